import type { ObservedWrites } from "../../ports.ts";
import { demandGit, runGit } from "../git-process.ts";
import { type GitRefusal, refusalOf } from "../git-remote.ts";

/** A commit to be made. No ref knows it afterwards. */
export interface NewCommit {
  /** One line or more; of a lock, its record. */
  readonly message: string;
  readonly at: Date;
  readonly parent: string | null;
  /** The tree to start from: of a parentless commit, another one's tree; null: nothing. */
  readonly tree: string | null;
  readonly writes: ObservedWrites;
}

/** The record is rollcall's own, whoever runs it: the actor stands in the events. Works without any user.name. */
const COMMITTER = "rollcall <rollcall@users.noreply.invalid>";

/** `ids`: of the commits, in order. */
export type BuiltCommits = { readonly kind: "built"; readonly ids: readonly string[] } | GitRefusal;

/**
 * Makes commits through one `git fast-import`, which takes unchanged folders as they are: one node's change makes as many
 * objects as its path is deep. Neither index nor working tree nor any ref is touched.
 */
export async function buildCommits(folder: string, commits: readonly NewCommit[]): Promise<BuiltCommits> {
  const format = (await demandGit(folder, ["rev-parse", "--show-object-format"])).toString().trim();
  const nothing = "0".repeat(format === "sha256" ? 64 : 40);
  const commands = commits.flatMap((commit, index) => commitCommands(commit, index + 1, nothing));
  const input = ["feature done\n", ...commands, "done\n"].join("");
  const answer = await runGit(folder, ["fast-import", "--quiet", "--done"], { input });
  const ids = answer.out.toString("latin1").split("\n").filter(Boolean);
  if (answer.code === 0 && ids.length === commits.length) return { kind: "built", ids };
  const refusal = refusalOf(answer);
  return { ...refusal, message: `git cannot store the record: ${refusal.message}` };
}

function commitCommands(commit: NewCommit, mark: number, nothing: string): string[] {
  const { message, at, parent, tree, writes } = commit;
  const name = `refs/rollcall/building/${mark}`;
  const seconds = Math.floor(at.getTime() / 1000);
  // A writer may mean a file where a folder was: what goes, goes first.
  const removals = [...writes].flatMap(([path, text]) => (text === null ? `D ${checkedPath(path)}\n` : []));
  return [
    `commit ${name}\nmark :${mark}\ncommitter ${COMMITTER} ${seconds} +0000\n`,
    data(message),
    parent === null ? "" : `from ${parent}\n`,
    tree === null ? "" : `M 040000 ${tree} \n`,
    ...removals,
    ...[...writes].flatMap(([path, text]) =>
      text === null ? [] : `M 100644 inline ${checkedPath(path)}\n${data(text)}`,
    ),
    // The name was for the stream alone: set to nothing, it never becomes a ref.
    `\nget-mark :${mark}\nreset ${name}\nfrom ${nothing}\n\n`,
  ];
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** Paths are made by rollcall from names that were checked; another one is a bug, and must not become a command. */
function checkedPath(path: string): string {
  const parts = path.split("/");
  const odd = parts.some((part) => ["", ".", ".."].includes(part) || part.toLowerCase() === ".git");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (odd || path.startsWith('"') || /[\u0000-\u001f\u007f]/.test(path))
    throw new Error(`not a path of the record: ${path}`);
  return path;
}
