import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAUSE_REASONS, type RolloutEventBody, SIGNALS, SKIP_REASONS } from "../../src/model/rollout-event.ts";
import { foldRollout } from "../../src/plan/fold-rollout.ts";
import { NODE_TABLE } from "../../src/plan/fold-rollout-table.ts";
import type { Rollout } from "../../src/plan/rollout.ts";
import { begin, created, fail, logOf, pass, STARTED, signal, succeed } from "./rollout-log.ts";

/** upgrade-rollout, RolloutStatus, word for word; then DESIGN §3.4's additions. Written apart from the code's table. */
const ROLLOUT_DIAGRAM = `
  pending --> running : started
  running --> paused : signal pause
  running --> paused : paused
  running --> completed : completed
  running --> failed : failed
  paused --> running : signal resume
  paused --> canceled : signal cancel
  running --> canceled : signal cancel
  running --> rolled_back : rolled-back

  paused --> rolled_back : rolled-back
  completed --> rolled_back : rolled-back
  failed --> rolled_back : rolled-back
  failed --> running : signal retry
  paused --> running : signal retry
  paused --> running : signal force
  pending --> superseded : superseded
  running --> superseded : superseded
  paused --> superseded : superseded
  completed --> pending : created
  superseded --> pending : created
  failed --> pending : created
  canceled --> pending : created
  rolled_back --> pending : created`;

/** NodeUpgradeStatus; `in_progress --> rolled_back` comes with upgrades. Then the additions. */
const NODE_DIAGRAM = `
  pending --> in_progress
  in_progress --> validating
  validating --> succeeded
  in_progress --> failed
  validating --> failed
  failed --> in_progress
  pending --> skipped

  failed --> pending
  failed --> skipped
  in_progress --> skipped
  skipped --> pending`;

const lines = (text: string): string[] =>
  [...new Set(text.split("\n").map((line) => line.trim()))].filter(Boolean).sort();

const NODES = ["a", "b"];
const ROUND = created([["a"], ["b"]]);

/** All that can happen to a rollout of two waves. */
const EVENTS: readonly RolloutEventBody[] = [
  STARTED,
  { event: "completed" },
  { event: "failed", detail: "" },
  { event: "rolled-back" },
  { event: "superseded", by: "" },
  { event: "start-requested", reason: null },
  { event: "run-ended", reason: "budget" },
  ...PAUSE_REASONS.map((reason): RolloutEventBody => ({ event: "paused", reason, detail: "" })),
  ...SIGNALS.flatMap((word) => [
    signal(word),
    signal(word, { reason: null }),
    signal(word, { accept_already_true: true }),
    ...NODES.map((node) => signal(word, { nodes: [node] })),
  ]),
  ...[0, 1].flatMap((wave): RolloutEventBody[] => [{ event: "wave-started", wave }, pass(wave)]),
  ...NODES.flatMap((node, wave) => [
    begin(node, wave),
    begin(node, 1 - wave),
    succeed(node),
    fail(node),
    fail(node, "not-converged"),
  ]),
  ...NODES.flatMap((node) =>
    SKIP_REASONS.map((reason): RolloutEventBody => ({ event: "node-skipped", node, reason, detail: "" })),
  ),
];

/** What decides how a rollout goes on; how often and when are left out, so that there are finitely many. */
function essence(rollout: Rollout): string {
  const nodes = [...rollout.nodes.values()].map(({ state, skipped }) => `${state} ${skipped}`);
  const { state, reason, wave, forced, restartRequested } = rollout;
  return JSON.stringify([state, reason?.code, wave, [...forced].sort(), restartRequested, nodes]);
}

interface Found {
  readonly seen: ReadonlyMap<string, Rollout>;
  readonly rolloutMoves: Set<string>;
  readonly nodeMoves: Set<string>;
}

/** Every state that any sequence of events leads to, and every move on the way. */
function explored(): Found {
  const first = foldRollout(logOf([ROUND])) as Rollout;
  const seen = new Map([[essence(first), first]]);
  const found = { seen, rolloutMoves: new Set<string>(), nodeMoves: new Set<string>() };
  for (const before of seen.values()) {
    for (const body of [...EVENTS, { ...ROUND, round: before.round + 1 }]) {
      const after = foldRollout(logOf([body], before.lastSeq + 1), before) as Rollout;
      note(found, before, body, after);
      const key = essence(after);
      // What has no part in how it goes on must not grow without end.
      if (!seen.has(key)) seen.set(key, { ...after, ignored: [], escapes: [] });
    }
  }
  return found;
}

function note({ rolloutMoves, nodeMoves }: Found, before: Rollout, body: RolloutEventBody, after: Rollout): void {
  const name = body.event === "signal" ? `signal ${body.signal}` : body.event;
  if (after.state !== before.state) rolloutMoves.add(`${before.state} --> ${after.state} : ${name}`);
  if (body.event === "created") return;
  for (const [node, { state, wave, attempts }] of after.nodes) {
    const was = before.nodes.get(node);
    if (was?.state !== state) nodeMoves.add(`${was?.state} --> ${state}`);
    if (attempts !== was?.attempts && wave > before.wave) nodeMoves.add(`${node} begun before its wave`);
  }
}

describe("the states of a rollout", () => {
  const { seen, rolloutMoves, nodeMoves } = explored();

  it("are left by every way of the diagram, and no other", () => {
    expect([...rolloutMoves].sort()).toEqual(lines(ROLLOUT_DIAGRAM));
  });

  it("are of nodes the diagram's too, of which validating is passed within one event", () => {
    const passed = lines(NODE_DIAGRAM).filter((move) => !move.includes("validating"));
    expect([...nodeMoves].sort()).toEqual([...passed, "in_progress --> succeeded"].sort());
    const walked = Object.values(NODE_TABLE).flatMap((row) =>
      Object.entries(row).flatMap(([from, path]) =>
        path.flatMap((state, index) => {
          const before = path[index - 1] ?? from;
          return before === state ? [] : [`${before} --> ${state}`];
        }),
      ),
    );
    expect([...new Set(walked)].sort()).toEqual(lines(NODE_DIAGRAM));
  });

  it("hold together wherever one gets", () => {
    expect(seen.size).toBeGreaterThan(500);
    for (const rollout of seen.values()) {
      const at = [...rollout.nodes.values()].map(({ state }) => state);
      if (rollout.state === "completed") {
        expect(at.every((state) => state === "succeeded" || state === "skipped")).toBe(true);
        expect(at).toContain("succeeded");
      }
      expect(rollout.reason !== null).toBe(["paused", "failed", "canceled", "superseded"].includes(rollout.state));
    }
  });
});

const anyBody = fc.oneof(
  fc.constantFrom(...EVENTS),
  fc.nat(4).map((round): RolloutEventBody => ({ ...ROUND, round: round + 1 })),
);

describe("folding", () => {
  it("takes any log, and in parts as well as whole", () => {
    fc.assert(
      fc.property(fc.array(anyBody, { maxLength: 60 }), fc.nat(60), (bodies, cut) => {
        const log = logOf(bodies);
        const whole = foldRollout(log);
        expect(foldRollout(log.slice(cut), foldRollout(log.slice(0, cut)))).toEqual(whole);
        const begins = log.findIndex(({ event }) => event === "created");
        expect(whole === null).toBe(begins === -1);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves what it is given alone", () => {
    fc.assert(
      fc.property(fc.array(anyBody, { maxLength: 30 }), anyBody, (bodies, last) => {
        const before = foldRollout(logOf([ROUND, STARTED, ...bodies]));
        const copy = structuredClone(before);
        foldRollout(logOf([last], 99), before);
        expect(before).toEqual(copy);
      }),
    );
  });

  it("of 10,000 nodes is a matter of milliseconds", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `n${index}`);
    const first = names.slice(0, 1) as [string];
    const log = logOf([
      created([first, names.slice(1)]),
      STARTED,
      begin(first[0], 0),
      succeed(first[0]),
      pass(0),
      ...names.slice(1).flatMap((node) => [begin(node, 1), succeed(node)]),
      { event: "completed" },
    ]);
    const started = performance.now();
    expect(foldRollout(log)).toMatchObject({ state: "completed", ignored: [] });
    // Measured 15 ms; quadratic copies would take many seconds.
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
