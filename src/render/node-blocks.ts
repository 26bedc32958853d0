import { groupBy } from "../kit/group-by.ts";
import type { Paint } from "./paint.ts";

/** What is printed of one node. */
export interface NodeBlock {
  readonly node: string;
  readonly class: string;
  /** The outcome, painted, and what happened. */
  readonly outcome: string;
  readonly message: string;
  /** Of what it has below its first line, in words: `2 items`; empty for nothing. */
  readonly count: string;
  readonly lines: readonly string[];
}

/** More nodes than this that would print the same are one block. */
const APART = 3;
/** Names in the first line of a group; the document has all. */
const MOST_NAMES = 12;

/**
 * Blocks in order; nodes of one class that have the same to say, word for word, say it once, in the place of the first:
 * `headless-server · web-01 web-02 web-03 web-04  drift · the same 2 items on all 4`.
 */
export function blockLines(blocks: readonly NodeBlock[], paint: Paint): readonly string[] {
  const groups = groupBy(blocks, (block) => JSON.stringify({ ...block, node: "" }));
  const ofBlock = new Map([...groups.values()].flatMap((group) => group.map((block) => [block, group] as const)));
  return blocks.flatMap((block) => {
    const group = ofBlock.get(block) ?? [block];
    if (group.length <= APART) return [firstLine([block], paint), ...block.lines];
    return block === group[0] ? [firstLine(group, paint), ...block.lines] : [];
  });
}

function firstLine(group: readonly NodeBlock[], paint: Paint): string {
  const [block] = group;
  if (block === undefined) return "";
  const message = block.message === "" ? "" : ` · ${block.message}`;
  if (group.length === 1) {
    const count = block.count === "" ? "" : ` (${block.count})`;
    return `${paint.bold(block.node)}  ${block.outcome}${count}${message}`;
  }
  const names = group.slice(0, MOST_NAMES).map(({ node }) => node);
  const more = group.length > names.length ? ` and ${group.length - names.length} more` : "";
  const count = block.count === "" ? "" : ` · the same ${block.count} on all ${group.length}`;
  return `${block.class} · ${paint.bold(names.join(" "))}${more}  ${block.outcome}${count}${message}`;
}
