import type { Wish } from "../desired/edit/guarded-edit.ts";
import { type NodeChange, parseNodeChanges } from "../desired/edit/node-change.ts";
import { addNode, removeNode, setNode } from "../desired/edit/node-edits.ts";
import type { DesiredEditor, DesiredFiles } from "../ports.ts";
import { runEdit } from "./edit-answer.ts";
import { type CommandResult, EXIT, refused } from "./result.ts";

/** A change of one node: `words` are `key=value`, `key=`, `list+=item`, `list-=item`, `labels.key=value` (parseNodeChanges). */
export interface NodeEdit {
  readonly name: string;
  readonly words: readonly string[];
  readonly generation: number;
}

/** `node add NAME …`: a new file, and the bump. */
export async function runNodeAdd(editor: DesiredEditor, { name, words, generation }: NodeEdit): Promise<CommandResult> {
  return withChanges(editor, words, generation, (changes) => addNode(name, changes));
}

/** `node set NAME …`: what changes in the node's file, and the bump; nothing when it already is so. */
export async function runNodeSet(editor: DesiredEditor, { name, words, generation }: NodeEdit): Promise<CommandResult> {
  return withChanges(editor, words, generation, (changes) => setNode(name, changes));
}

/** `node remove NAME`: the file goes; refused while another node is reached through it. */
export async function runNodeRemove(
  editor: DesiredEditor,
  { name, generation }: Omit<NodeEdit, "words">,
): Promise<CommandResult> {
  return runEdit(editor, { generation, above: null }, removeNode(name));
}

async function withChanges(
  editor: DesiredEditor,
  words: readonly string[],
  generation: number,
  wish: (changes: readonly NodeChange[]) => (files: DesiredFiles) => Wish,
): Promise<CommandResult> {
  const changes = parseNodeChanges(words);
  if ("code" in changes) return refused(changes, EXIT.usage);
  return runEdit(editor, { generation, above: null }, wish(changes));
}

/** Flags of `node add` and `node set`, as words for {@link NodeEdit}. */
export interface NodeFlags {
  readonly class?: string;
  readonly os?: string;
  readonly address?: string;
  readonly port?: string;
  readonly user?: string;
  readonly become?: string;
  readonly jump?: string;
  readonly machineId?: string;
  readonly enabled?: string;
  readonly state?: string;
  readonly role?: readonly string[];
  readonly profile?: readonly string[];
  readonly alias?: readonly string[];
  /** `key=value` each. */
  readonly label?: readonly string[];
  readonly var?: readonly string[];
}

const SCALAR_FLAGS = [
  ["class", "class"],
  ["os", "os"],
  ["address", "address"],
  ["port", "port"],
  ["user", "user"],
  ["become", "become"],
  ["jump", "jump"],
  ["machineId", "machine_id"],
  ["enabled", "enabled"],
  ["state", "state"],
] as const satisfies readonly (readonly [keyof NodeFlags, string])[];

export function wordsOf(flags: NodeFlags): readonly string[] {
  const scalars = SCALAR_FLAGS.flatMap(([flag, key]) => (flags[flag] === undefined ? [] : `${key}=${flags[flag]}`));
  return [
    ...scalars,
    ...(flags.alias ?? []).map((item) => `aliases+=${item}`),
    ...(flags.role ?? []).map((item) => `roles+=${item}`),
    ...(flags.profile ?? []).map((item) => `profiles+=${item}`),
    ...(flags.label ?? []).map((entry) => `labels.${entry}`),
    ...(flags.var ?? []).map((entry) => `vars.${entry}`),
  ];
}
