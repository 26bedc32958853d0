import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORGE_BODY_LIMIT } from "../../src/model/forge.ts";
import {
  BASES,
  DECISION_CODES,
  ITEM_KINDS,
  type PlanDocument,
  type PlannedUnit,
  planDocumentSchema,
} from "../../src/model/plan-document.ts";
import { SUMMARY_LIMIT } from "../../src/ports/workflow-run.ts";
import { planAnnotations } from "../../src/render/plan-annotations.ts";
import { planComment } from "../../src/render/plan-comment.ts";
import { PLAN_MARK, readPlanMark } from "../../src/render/plan-mark.ts";
import { planSummary } from "../../src/render/plan-summary.ts";
import { FRAME } from "./plan-comment-story.ts";

/** Whatever somebody could write; much of it is what a comment is made of. */
const text = fc.oneof(
  fc.string({ maxLength: 80, unit: "binary" }),
  fc.constantFrom(
    "@octocat",
    "#1",
    "GH-1",
    "`",
    "```",
    "<!-- rollcall:plan -->",
    "</details>",
    "|",
    "\n",
    "::error::x",
    "##[error]x",
  ),
  fc.constantFrom("x".repeat(4000), "`".repeat(90), "@a ".repeat(1333), "<".repeat(4000)),
);
const nodeName = fc.integer({ min: 0, max: 3000 }).map((number) => `node-${number}`);
const nodes = fc.uniqueArray(nodeName, { minLength: 1, maxLength: 60 }).map((names) => names.sort());
const digest = fc.nat().map((number) => number.toString(16).padStart(64, "0"));
const count = fc.nat({ max: 5000 });
const content = fc.oneof(
  fc.constant(null),
  fc.array(text, { maxLength: 40 }).map((lines) => ({ status: "text" as const, diff: `${lines.join("\n")}\n` })),
  text.map((message) => ({ status: "changed" as const, message })),
);
const item = fc.record({
  role: fc.constant("edge"),
  resource: text.map((own) => `file:/${own}`),
  type: fc.constantFrom("file" as const, "package" as const, "systemd_unit" as const),
  kind: fc.constantFrom(...ITEM_KINDS),
  verb: fc.constantFrom("write" as const, "remove" as const, "stop" as const, "upgrade" as const, "noop" as const),
  params: fc.constantFrom({}, { from: "2", version: "1", downgrade: true }, { mode: "0644", owner: "`", group: "|" }),
  severity: fc.constantFrom("drift" as const, "error" as const),
  reasons: fc.array(fc.constantFrom("missing", "content"), { maxLength: 2 }),
  basis: fc.constantFrom(...BASES),
  why: text,
  content,
});
const group = fc.record({ same: digest, class: text, nodes, items: fc.array(item, { minLength: 1, maxLength: 5 }) });
const wave = fc.record({
  nodes,
  restarts: fc.array(fc.record({ unit: text, how: fc.constantFrom("restart" as const, "reload" as const), nodes }), {
    maxLength: 3,
  }),
});
const unit: fc.Arbitrary<PlannedUnit> = fc.record({
  unit: fc.nat({ max: 999 }).map((number) => `role:role-${number}`),
  kind: fc.constant("role" as const),
  title: text,
  version: fc.constantFrom(null, { from: null, to: 1 }, { from: 1, to: 2 }),
  digest,
  risk: fc.constantFrom("risky" as const, "safe" as const),
  strategy: fc.constant("waves" as const),
  enforced: fc.boolean(),
  provable: fc.boolean(),
  next: fc.record({
    kind: fc.constantFrom("start" as const, "stopped" as const, "waiting" as const, "nobody" as const),
    because: fc.constant("first" as const),
    round: fc.constant(1),
    state: fc.constant("paused"),
    detail: text,
    hint: text,
    waiting_on: fc.constant(["role:other"]),
  }),
  waves: fc.array(wave, { maxLength: 20 }),
  reasons: fc.record({
    canary: text,
    second_look: fc.record({ missing: fc.boolean(), why: text }),
    warnings: fc.array(text, { maxLength: 2 }),
  }),
  targets: fc.constant([]),
  left_out: fc.array(fc.record({ node: nodeName, reason: fc.constant("down" as const), detail: text }), {
    maxLength: 40,
  }),
  pending: fc.array(fc.record({ node: nodeName, reason: fc.constant("down"), detail: text }), { maxLength: 40 }),
  after: fc.array(fc.constant("role:other"), { maxLength: 30 }),
  blast_radius: fc.record({
    nodes,
    restarts: fc.array(text, { maxLength: 20 }),
    last_healthy: fc.array(fc.record({ class: text, wave: count, nodes }), { maxLength: 20 }),
  }),
  rollback: fc.record({ how: text, tier: fc.constant("declared" as const) }),
  duration: fc.record({ expected_ms: fc.option(count), worst_wait_ms: fc.option(count) }),
  counts: fc.record({ create: count, change: count, remove: count, restart: count, keep: count, obstacle: count }),
  groups: fc.array(group, { maxLength: 8 }),
  supersedes: fc.array(fc.record({ id: text, state: fc.constant("running") }), { maxLength: 20 }),
  escapes: fc.constant([]),
  conflicts: fc.array(fc.record({ with: text, why: text }), { maxLength: 30 }),
});
const finding = fc.record({
  code: fc.constantFrom("stale-generation", "unknown-key"),
  message: text,
  hint: text,
  file: fc.option(text),
  line: fc.option(fc.integer({ min: 1, max: 99 })),
});
const decision = fc.record({
  code: fc.constantFrom(...DECISION_CODES),
  unit: fc.constantFrom(null, "role:edge"),
  subject: text,
  nodes,
  text,
});

/** Some parts many times over, so that whole comments do not fit. */
const many = <T>(one: fc.Arbitrary<T>, most: number) =>
  fc
    .tuple(fc.array(one, { maxLength: 6 }), fc.integer({ min: 1, max: most }))
    .map(([few, times]) => Array.from({ length: times }, () => few).flat());

const document: fc.Arbitrary<PlanDocument> = fc.record({
  plan_version: fc.constant(1 as const),
  base: fc.constantFrom(null, { commit: "a".repeat(40), generation: 41, source: "asked" as const }),
  head: fc.constantFrom({ commit: "b".repeat(40), generation: 42 }, { commit: null, generation: null }),
  observed: fc.constantFrom({ commit: null, at: null }, { commit: "c".repeat(40), at: "2026-11-30T06:00:00Z" }),
  live: fc.boolean(),
  blocks: many(finding, 20),
  warnings: many(finding, 20),
  decisions: many(decision, 30),
  counts: fc.record({
    create: count,
    change: count,
    remove: count,
    restart: count,
    keep: count,
    obstacle: count,
    units: count,
    nodes: count,
    of_nodes: count,
  }),
  worst_risk: fc.constantFrom("none" as const, "risky" as const),
  units: many(unit, 5),
  nodes: many(
    fc.record({
      node: nodeName,
      class: text,
      os: fc.constant("linux" as const),
      basis: fc.constantFrom("live" as const, "audit" as const, "never" as const),
      observed_at: fc.constantFrom(null, "2026-11-30T06:00:00Z"),
      silent: fc.boolean(),
      down: fc.option(fc.record({ reason: text, since: fc.constant("2026-11-20T10:00:00Z"), recheck: text })),
    }),
    5,
  ),
});

const RUNS = { numRuns: Number(process.env.ROLLCALL_RUNS ?? 8), endOnFailure: true };

describe("any plan as a comment", () => {
  it("is made of documents that the schema accepts", () => {
    for (const one of fc.sample(document, { numRuns: 5, seed: 1 }))
      expect(planDocumentSchema.safeParse(one).error).toBeUndefined();
  });

  it("fits, says each decision or how many more, and has no mark or line but its own", () => {
    fc.assert(
      fc.property(document, (plan) => {
        const body = planComment(plan, FRAME, FORGE_BODY_LIMIT);
        expect(body.length).toBeLessThanOrEqual(FORGE_BODY_LIMIT);
        expect(body).toBe(planComment(structuredClone(plan), FRAME, FORGE_BODY_LIMIT));
        expect(readPlanMark(body)).toEqual(FRAME.mark);
        expect(countedIn(body, "**To decide**")).toBe(plan.decisions.length);
        expect(countedIn(body, "> **Blocked by ")).toBe(plan.blocks.length);
        const lines = body.split("\n");
        expect(lines.filter((line) => line.trimStart().startsWith("<!--"))).toEqual(lines.slice(0, 2));
        expect(lines.filter((line) => line === PLAN_MARK)).toHaveLength(1);
      }),
      RUNS,
    );
  });

  it("pings nobody outside of code, and its folds close", () => {
    fc.assert(
      fc.property(document, (plan) => {
        const body = planComment(plan, FRAME, FORGE_BODY_LIMIT);
        const prose = withoutCode(body.split("\n").slice(2).join("\n")).replace(/\]\(https:[^)\s]*\)/g, "]");
        expect(prose).not.toMatch(/@[A-Za-z0-9]|(^|\s)#\d|\bGH-\d/i);
        expect(prose.match(/<details>/g)?.length ?? 0).toBe(prose.match(/<\/details>/g)?.length ?? 0);
        const tags = [...prose.matchAll(/(?<!\\)<\/?[a-z!][^>\n]*/gi)].map(([tag]) => tag);
        expect(tags.filter((tag) => !/^<\/?(details|summary|code|sub)$/.test(tag))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("is within the limit of a summary in bytes, and of annotations in number", () => {
    fc.assert(
      fc.property(document, fc.array(text, { maxLength: 3 }), (plan, trouble) => {
        expect(new TextEncoder().encode(planSummary(plan, FRAME, trouble)).length).toBeLessThanOrEqual(SUMMARY_LIMIT);
        for (const level of ["error", "warning"]) {
          expect(planAnnotations(plan).filter((one) => one.level === level).length).toBeLessThanOrEqual(10);
        }
      }),
      RUNS,
    );
  });
});

/** List items of the section that begins so, those that are only counted included. */
function countedIn(body: string, title: string): number {
  const lines = body.split("\n");
  const start = lines.findIndex((line) => line.startsWith(title));
  if (start === -1) return 0;
  const list = lines.slice(start + 1).filter((line) => line !== "");
  const end = list.findIndex((line) => !line.startsWith("- "));
  return list
    .slice(0, end === -1 ? undefined : end)
    .reduce((sum, line) => sum + Number(/^- … and \*\*(\d+) more\*\*/.exec(line)?.[1] ?? 1), 0);
}

/** Fenced blocks and code spans out, as GitHub reads them: a fence closes by one of its length, a span by as many ticks. */
function withoutCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const [, ticks] = /^(`{3,})/.exec(line) ?? [];
    if (fence === null && ticks !== undefined) fence = ticks;
    else if (fence !== null && line === fence) fence = null;
    else if (fence === null) kept.push(line);
  }
  expect(fence).toBeNull();
  return kept.map((line) => line.replace(/\\`/g, "").replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, "")).join("\n");
}
