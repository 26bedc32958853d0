import { type Diagnostic, hasErrors } from "../../kit/diagnostic.ts";
import { sameBytes } from "../../kit/same-bytes.ts";
import type { DesiredFiles, FileWrite } from "../../ports.ts";
import { generationOf, STALE_GENERATION } from "../generation-fence.ts";
import { FLEET_FILE } from "../layout.ts";
import { loadDesired } from "../load-desired.ts";
import { problemAt } from "../problem-at.ts";
import type { YamlSource } from "../yaml/read-yaml.ts";
import { overlay } from "./overlay.ts";
import { setScalar } from "./yaml-text.ts";

/** What an edit wants to write, the generation apart, which is raised in what it makes of fleet.yaml; or why it cannot. */
export type Wish = { readonly writes: readonly FileWrite[] } | { readonly diagnostics: readonly Diagnostic[] };

export interface EditOutcome {
  readonly ok: boolean;
  /** After the edit; null when it could not be read. */
  readonly generation: number | null;
  /** The generation first (DESIGN §3.1). Empty when nothing changed or the edit was refused. */
  readonly writes: readonly FileWrite[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface EditGuard {
  /** What the caller believes is current; null for whoever may not care (`generation bump`). */
  readonly generation: number | null;
  /** The new number is greater than this too: what a base branch has reached meanwhile. */
  readonly above: number | null;
}

/**
 * One editing verb (DESIGN §3.1): refused when the caller's generation is not current or the result would be invalid in
 * a way it was not before; otherwise the wish and the bump together, and neither when the wish changes nothing.
 */
export function guardedEdit(
  files: DesiredFiles,
  { generation, above }: EditGuard,
  wish: (files: DesiredFiles) => Wish,
): EditOutcome {
  const current = generationOf(files);
  if (current === null) return refusal(null, loadDesired(files).diagnostics);
  if (generation !== null && generation !== current.generation) {
    return refusal(current.generation, [stale(current, generation)]);
  }
  const wished = wish(files);
  if ("diagnostics" in wished) return refusal(current.generation, wished.diagnostics);
  const changes = wished.writes.filter((write) => !isAlready(files, write));
  if (changes.length === 0 && wished.writes.length > 0) {
    return { ok: true, generation: current.generation, writes: [], diagnostics: [] };
  }
  const next = Math.max(current.generation, above ?? 0) + 1;
  const fleet = changes.find(({ path }) => path === FLEET_FILE)?.text ?? current.source.text;
  const bumped = setScalar(textOf(fleet), "generation", String(next), []);
  if (bumped === null) return refusal(current.generation, [unwritable(current.source)]);
  const writes = [{ path: FLEET_FILE, text: bumped }, ...changes.filter(({ path }) => path !== FLEET_FILE)];
  const after = loadDesired(overlay(files, writes)).diagnostics;
  const fresh = hasErrors(after) ? newErrors(loadDesired(files).diagnostics, after) : [];
  if (fresh.length > 0) return refusal(current.generation, fresh);
  return { ok: true, generation: next, writes, diagnostics: [] };
}

function refusal(generation: number | null, diagnostics: readonly Diagnostic[]): EditOutcome {
  return { ok: false, generation, writes: [], diagnostics };
}

function stale({ generation, source }: NonNullable<ReturnType<typeof generationOf>>, believed: number): Diagnostic {
  return problemAt(source, ["generation"], "value", {
    code: STALE_GENERATION,
    message: `the generation is ${generation}, not ${believed}: somebody changed the desired state meanwhile`,
    hint: `Look at what changed, then run it again with --generation ${generation}.`,
  });
}

function unwritable(source: YamlSource): Diagnostic {
  return problemAt(source, ["generation"], "value", {
    code: "edit-not-possible",
    message: "the generation is written in a way that this edit cannot keep",
    hint: "Write it on the line of its key, as in generation: 42.",
  });
}

function textOf(text: string | Uint8Array): string {
  return typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
}

function isAlready(files: DesiredFiles, { path, text }: FileWrite): boolean {
  const bytes = files.read(path)?.bytes();
  if (bytes === undefined || text === null) return bytes === undefined && text === null;
  const wanted = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return sameBytes(bytes, wanted);
}

/** A repository that is already broken may still be mended step by step: only what the edit breaks stops it. */
function newErrors(before: readonly Diagnostic[], after: readonly Diagnostic[]): readonly Diagnostic[] {
  const name = ({ code, file, key, message }: Diagnostic) => [code, file, key, message].join("\n");
  const known = new Set(before.map(name));
  return after.filter((diagnostic) => diagnostic.severity === "error" && !known.has(name(diagnostic)));
}
