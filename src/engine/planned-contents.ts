import type { ContentDiff } from "../model/content-diff.ts";
import type { PlannedContent } from "../model/plan-document.ts";
import { contentDiffs } from "./content-diffs.ts";
import type { NodeObservation } from "./observe-node.ts";
import type { RunContext } from "./run-context.ts";

/** By {@link contentKey}. */
export type PlannedContents = ReadonlyMap<string, PlannedContent>;

/**
 * What the content of files would become, on a machine that was made up. Where the plan knows the bytes they are what the node
 * proved; where it does not, it says so and shows nothing (DESIGN §6).
 */
export async function imaginedContents(observation: NodeObservation, run: RunContext): Promise<PlannedContents> {
  const diffs = await contentDiffs([observation], run, { before: "as proved", after: "this change" });
  return byKey(diffs, (diff) =>
    diff.status === "unread"
      ? { status: "changed", message: "what stands on the node is not known; it is written over" }
      : withoutPlace(diff),
  );
}

/** The same where nodes were read. */
export async function readContents(observation: NodeObservation, run: RunContext): Promise<PlannedContents> {
  return byKey(await contentDiffs([observation], run), withoutPlace);
}

export function contentKey(role: string, resource: string): string {
  return `${role} ${resource}`;
}

function byKey(diffs: readonly ContentDiff[], shown: (diff: ContentDiff) => PlannedContent): PlannedContents {
  return new Map(diffs.map((diff) => [contentKey(diff.role, diff.resource), shown(diff)]));
}

function withoutPlace({ node: _node, role: _role, resource: _resource, ...content }: ContentDiff): PlannedContent {
  return content;
}
