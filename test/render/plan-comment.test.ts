import { describe, expect, it } from "vitest";
import { FORGE_BODY_LIMIT } from "../../src/model/forge.ts";
import type { PlanDocument } from "../../src/model/plan-document.ts";
import { moved } from "../../src/plan/moved.ts";
import { planComment } from "../../src/render/plan-comment.ts";
import { decisionKey } from "../../src/render/plan-comment-decisions.ts";
import type { PlanFrame } from "../../src/render/plan-comment-frame.ts";
import { begin, created, fail, paused, STARTED, signal } from "../plan/rollout-log.ts";
import { documentOf, expectGolden, FRAME, storyOf } from "./plan-comment-story.ts";

const SKIPPED = [
  created([["web-01"], ["web-02", "web-03"]], {
    unit: "role:api",
    generation: 42,
    reasons: {
      canary: "web-01: of the majority class headless-server on linux (3 of 3)",
      second_look: { missing: true, why: "all 3 targets are headless-server on linux" },
      warnings: [],
    },
  }),
  STARTED,
  begin("web-01", 0),
  fail("web-01"),
  paused(),
  signal("skip", { nodes: ["web-01"], reason: "it is replaced tomorrow" }),
  signal("force", { reason: "the fix is urgent" }),
];

const FORK =
  "The change comes from a fork: its files were read as data by the default branch's code, without keys and secrets.";

const withConflict = (document: PlanDocument): PlanDocument => ({
  ...document,
  units: document.units.map((unit) => ({
    ...unit,
    conflicts:
      unit.unit === "role:edge"
        ? [{ with: "pull request 12, “edge: @octocat's IPv6”", why: "it changes role edge too" }]
        : [],
  })),
});

const STORIES: readonly (readonly [string, () => Promise<readonly [PlanDocument, Partial<PlanFrame>]>])[] = [
  ["nothing-to-do", async () => [await documentOf(storyOf("plan/nothing-changes")), {}]],
  ["role-on-three-nodes", async () => [await documentOf(storyOf("plan-comment/role-on-three-nodes")), {}]],
  ["removal", async () => [await documentOf(storyOf("plan/released-removed")), {}]],
  [
    "escape-and-no-second-look",
    async () => [await documentOf(storyOf("plan-comment/escape-and-one-class"), SKIPPED), {}],
  ],
  ["stale-generation", async () => [await documentOf(storyOf("plan/stale-generation")), {}]],
  ["invalid", async () => [await documentOf(storyOf("plan/invalid")), {}]],
  ["never-observed-and-down", async () => [await documentOf(storyOf("plan/down-silent-never")), {}]],
  ["changed-on-a-node", async () => [await documentOf(storyOf("plan/changed-by-hand")), {}]],
  ["first-plan", async () => [await documentOf(storyOf("plan/first-plan")), { mark: null }]],
  ["role-leaves-a-node", async () => [await documentOf(storyOf("plan/role-leaves")), {}]],
  ["several-units", async () => [withConflict(await documentOf(storyOf("plan-comment/several-units"))), {}]],
  ["hostile-text", async () => [await documentOf(storyOf("plan-comment/hostile-text")), {}]],
  ["fork", async () => [await documentOf(storyOf("plan/content-and-restart")), { notes: [FORK] }]],
  [
    "moved-since-the-last-look",
    async () => {
      const before = await documentOf(storyOf("plan/content-and-restart"));
      const after = await documentOf(storyOf("plan/changed-by-hand"));
      const look = {
        kind: "moved" as const,
        head: { from: "a".repeat(40), to: "e".repeat(40) },
        base: { from: "c".repeat(40), to: "c".repeat(40) },
        observed: { from: "b".repeat(40), to: "c".repeat(40) },
        moved: moved(before, after),
        seen: new Set(before.decisions.map(decisionKey)),
      };
      return [after, { look }];
    },
  ],
];

describe("a plan comment tells the story as it was accepted", () => {
  it.each(STORIES)("%s", async (name, tell) => {
    const [document, frame] = await tell();
    const text = planComment(document, { ...FRAME, ...frame }, FORGE_BODY_LIMIT);
    expectGolden(name, text);
    expect(text.length).toBeLessThanOrEqual(FORGE_BODY_LIMIT);
  });
});
