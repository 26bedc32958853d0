import { sha256Hex } from "../kit/digest.ts";
import type { ContentComparison, ContentDiff } from "../model/content-diff.ts";
import { NO_QUESTIONS, TEXT_LIMIT } from "../model/node-question.ts";
import { type ComparableContent, comparableContents } from "../plan/comparable-content.ts";
import { compareContents, type SideLabels } from "../render/content-comparison.ts";
import { inParallel } from "./in-parallel.ts";
import type { NodeObservation, ObservedNode } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

/** Of all files of one node together, bytes: more is not fetched for being looked at. */
const NODE_LIMIT = 4_194_304;

/**
 * What `--diff` adds to a check: nodes with files that differ are asked for just these, in one more round trip each; all
 * others are left in peace (docs/decisions/010).
 */
export async function contentDiffs(
  observations: readonly NodeObservation[],
  run: RunContext,
  labels?: SideLabels,
): Promise<readonly ContentDiff[]> {
  const observed = observations.flatMap((one) => (one.kind === "observed" ? [one.observed] : []));
  const diffs = await inParallel(observed, run.parallel, (node) => diffsOf(node, run, labels));
  return diffs.flat();
}

async function diffsOf(observed: ObservedNode, run: RunContext, labels?: SideLabels): Promise<readonly ContentDiff[]> {
  const contents = comparableContents(observed.entries, observed.facts);
  const wanted = wantedTexts(contents);
  const reading = await readTexts(observed, wanted, run);
  return contents.map((content) => {
    const { role, resource } = content;
    return { node: observed.work.node.name, role, resource, ...comparison(content, reading, labels) };
  });
}

interface Reading {
  readonly texts: ReadonlyMap<string, Uint8Array | null>;
  /** Why there is no text of a path. */
  readonly whyNot: (path: string) => string;
}

async function readTexts({ work }: ObservedNode, paths: readonly string[], run: RunContext): Promise<Reading> {
  const questions = { ...NO_QUESTIONS, texts: paths };
  const observation = paths.length === 0 ? null : await run.transport.observe(work.target, questions);
  const failed = observation?.kind === "failure" ? observation.message : "it could not be read, or changed meanwhile";
  return {
    texts: observation?.kind === "observed" ? observation.facts.texts : new Map(),
    whyNot: (path) => (paths.includes(path) ? failed : "too much differs on this node to fetch all of it"),
  };
}

/** In order, as long as there is room. */
function wantedTexts(contents: readonly ComparableContent[]): readonly string[] {
  let room = NODE_LIMIT;
  const wanted: string[] = [];
  for (const content of contents) {
    if (content.onNode === null || content.hidden !== null || isTooLarge(content)) continue;
    if (content.onNode.size > room) continue;
    room -= content.onNode.size;
    wanted.push(content.path);
  }
  return wanted;
}

function isTooLarge({ declared, onNode }: ComparableContent): boolean {
  return Math.max(declared?.size ?? 0, onNode?.size ?? 0) > TEXT_LIMIT;
}

function comparison(content: ComparableContent, { texts, whyNot }: Reading, labels?: SideLabels): ContentComparison {
  const { path, declared, onNode, hidden } = content;
  if (hidden !== null) return { status: "withheld", message: hidden };
  if (isTooLarge(content)) {
    return { status: "too-large", from_bytes: onNode?.size ?? null, to_bytes: declared?.size ?? null };
  }
  const text = texts.get(path) ?? null;
  // Between the two questions somebody may have written it; a diff must belong to the item that it stands below.
  const isTheOne = text !== null && (onNode?.sha256 ?? sha256Hex(text)) === sha256Hex(text);
  if (onNode !== null && !isTheOne) return { status: "unread", message: whyNot(path) };
  return compareContents({ path, onNode: text, declared: declared?.bytes() ?? null }, labels);
}
