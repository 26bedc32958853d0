import { describe, expect, it } from "vitest";
import type { RolloutEventBody } from "../../src/model/rollout-event.ts";
import { foldRollout, signalAnswer } from "../../src/plan/fold-rollout.ts";
import type { Rollout } from "../../src/plan/rollout.ts";
import { begin, created, fail, folded, logOf, pass, paused, STARTED, signal, skip, succeed } from "./rollout-log.ts";

const ROUND = created([["a"], ["b"], ["c", "d"]]);
const CANARY_FAILED = [ROUND, STARTED, begin("a", 0), fail("a"), paused()];
const states = (rollout: Rollout) =>
  [...rollout.nodes.values()].map(({ node, state }) => `${node} ${state}`).join(", ");
const COMPLETED: RolloutEventBody = { event: "completed" };

describe("a rollout on its way", () => {
  it("goes from wave to wave to its end", () => {
    const log = [ROUND, STARTED, begin("a", 0), succeed("a"), pass(0), begin("b", 1), succeed("b"), pass(1)];
    const last = ["c", "d"].flatMap((node) => [begin(node, 2), succeed(node)]);
    const rollout = folded(...log, ...last, pass(2), COMPLETED);
    expect([rollout.state, rollout.wave, rollout.reason, rollout.ignored]).toEqual(["completed", 3, null, []]);
    expect(states(rollout)).toBe("a succeeded, b succeeded, c succeeded, d succeeded");
    expect(rollout.nodes.get("a")).toMatchObject({ attempts: 1, grade: "transition", outcome: "converged" });
  });

  it("takes a node again that a dead run left at work", () => {
    const rollout = folded(ROUND, STARTED, begin("a", 0), begin("a", 0), succeed("a"));
    expect(rollout.nodes.get("a")).toMatchObject({ state: "succeeded", attempts: 2 });
  });

  it("takes no node of a wave that has not begun, and none of another wave", () => {
    const rollout = folded(ROUND, STARTED, begin("b", 1), begin("a", 1), begin("x", 0));
    expect(states(rollout)).toBe("a pending, b pending, c pending, d pending");
    expect(rollout.ignored.map(({ why }) => why)).toEqual([
      "wave 1 is the one at work",
      "a is of wave 1",
      "x is in none of its waves",
    ]);
  });

  it.each([
    ["with a failed node", [begin("a", 0), fail("a")], "a is failed"],
    ["with a node still to come", [begin("a", 0), succeed("a")], "b is pending"],
    ["with a node at work", [begin("a", 0)], "a is in_progress"],
    ["when all were skipped", ["a", "b", "c", "d"].map((node) => skip(node)), "nobody proved it"],
  ])("is not completed %s", (_what, events, why) => {
    const rollout = folded(ROUND, STARTED, ...events, COMPLETED);
    expect([rollout.state, rollout.ignored.at(-1)?.why]).toEqual(["running", why]);
  });

  it("is completed without those who are down, when somebody proved it", () => {
    const two = created([["a", "b"]], { strategy: "safe" });
    expect(folded(two, STARTED, begin("a", 0), succeed("a"), skip("b"), COMPLETED).state).toBe("completed");
  });

  it("lets a node go that left the roster, whatever became of it", () => {
    const rollout = folded(...CANARY_FAILED, skip("a", "left-roster"));
    expect(rollout.nodes.get("a")).toMatchObject({ state: "skipped", skipped: "left-roster" });
  });
});

describe("signals", () => {
  it("pause, and what is at work still comes in", () => {
    const rollout = folded(ROUND, STARTED, begin("a", 0), signal("pause"), succeed("a"), pass(0));
    expect([rollout.state, rollout.wave, states(rollout)]).toEqual([
      "paused",
      1,
      "a succeeded, b pending, c pending, d pending",
    ]);
    expect(rollout.reason).toEqual({ code: "signal", detail: "paused by octocat: because" });
  });

  it("resume: what failed in this wave gets another turn, and nothing else", () => {
    const forced = [...CANARY_FAILED, signal("force"), pass(0), begin("b", 1), fail("b"), paused()];
    const rollout = folded(...forced, signal("resume"));
    expect([rollout.state, rollout.reason, rollout.wave]).toEqual(["running", null, 1]);
    expect(states(rollout)).toBe("a failed, b pending, c pending, d pending");
  });

  it("resume: a node that was skipped as down is asked again, one skipped by hand is not", () => {
    const log = [ROUND, STARTED, skip("a"), paused("zero-attempted")];
    expect(states(folded(...log, signal("resume")))).toBe("a pending, b pending, c pending, d pending");
    const byHand = [...CANARY_FAILED, signal("skip", { nodes: ["a"] }), signal("resume")];
    expect(states(folded(...byHand))).toBe("a skipped, b pending, c pending, d pending");
  });

  it("retry: goes back to the wave of what it retries, where the gate holds again", () => {
    const forced = [...CANARY_FAILED, signal("force"), pass(0), begin("b", 1), fail("b"), paused()];
    expect([...folded(...forced).forced]).toEqual([0]);
    const one = folded(...forced, signal("retry", { nodes: ["b"] }));
    expect([one.wave, states(one), [...one.forced]]).toEqual([1, "a failed, b pending, c pending, d pending", [0]]);
    const all = folded(...forced, signal("retry"));
    expect([all.wave, states(all), [...all.forced]]).toEqual([0, "a pending, b pending, c pending, d pending", []]);
  });

  it("retry: a failed one runs again in the same round", () => {
    const failed: RolloutEventBody = { event: "failed", detail: "d failed" };
    const rollout = folded(created([["a"]]), STARTED, begin("a", 0), fail("a"), failed, signal("retry"));
    expect([rollout.state, rollout.round, states(rollout)]).toEqual(["running", 1, "a pending"]);
  });

  it("force and skip are on the record for ever, in later rounds too", () => {
    const skipped = signal("skip", { nodes: ["a"], reason: "psu dead" });
    const log = [...CANARY_FAILED, skipped, signal("force", { reason: "tonight" }), signal("cancel")];
    const again = [...log, { event: "start-requested" as const, reason: null }, { ...ROUND, round: 2 }];
    const rollout = folded(...again);
    expect([rollout.round, rollout.state, rollout.restartRequested]).toEqual([2, "pending", false]);
    expect(rollout.escapes.map(({ gate, reason, by }) => [gate, reason, by])).toEqual([
      ["skip a", "psu dead", "octocat"],
      ["wave-gate after wave 1", "tonight", "octocat"],
    ]);
  });

  it("force and skip do nothing without a reason", () => {
    for (const word of [signal("force", { reason: null }), signal("skip", { nodes: ["a"], reason: " " })]) {
      const rollout = folded(...CANARY_FAILED, word);
      expect([rollout.state, rollout.escapes, rollout.ignored[0]?.why]).toEqual([
        "paused",
        [],
        "a bypass needs a reason",
      ]);
    }
  });
});

describe("rounds", () => {
  const over = (how: RolloutEventBody) => [created([["a"]]), STARTED, begin("a", 0), succeed("a"), how];
  const second = { ...created([["b"]]), round: 2 };

  it.each([[COMPLETED], [{ event: "superseded", by: "a newer digest" } as const]])("a new one follows %o", (end) => {
    expect(folded(...over(end), second)).toMatchObject({ round: 2, state: "pending", lastSeq: 6 });
  });

  it("a new one follows a canceled, failed or rolled back one only when somebody asks", () => {
    const ends: RolloutEventBody[] = [signal("cancel"), { event: "failed", detail: "" }, { event: "rolled-back" }];
    for (const end of ends) {
      expect(folded(...over(end), second)).toMatchObject({ round: 1 });
      expect(folded(...over(end), { event: "start-requested", reason: null }, second)).toMatchObject({ round: 2 });
    }
  });

  it("one that is at work, or of another unit, or old, is not replaced", () => {
    expect(folded(ROUND, STARTED, second).round).toBe(1);
    expect(folded(...over(COMPLETED), { ...second, round: 1 }).ignored[0]?.why).toBe("round 1 has begun already");
    expect(folded(...over(COMPLETED), { ...second, unit: "role:web" }).unit).toBe("role:edge");
  });

  it.each([
    ["a target in no wave", created([["a"]], { waves: [["b"]] })],
    ["a node twice", created([["a"], ["a"]])],
    ["no targets", created([])],
  ])("one with %s is none", (_what, round) => expect(foldRollout(logOf([round, STARTED]))).toBeNull());
});

describe("signalAnswer", () => {
  const ask = (rollout: Rollout | null, word: Parameters<typeof signal>[0], nodes: string[] = []) =>
    signalAnswer(rollout, { signal: word, nodes, acceptAlreadyTrue: false });
  const gate = folded(...CANARY_FAILED);
  const running = folded(ROUND, STARTED, begin("a", 0));

  it.each([
    ["no rollout at all", ask(null, "pause"), "no-rollout"],
    ["pause of a paused one", ask(gate, "pause"), "wrong-state"],
    ["resume of a running one", ask(running, "resume"), "wrong-state"],
    ["rollback of a role", ask(gate, "rollback"), "revert-instead"],
    ["an approval that nobody waits for", ask(running, "approve-canary"), "no-approval"],
    ["skip of nobody", ask(gate, "skip"), "node-missing"],
    ["skip of somebody else", ask(gate, "skip", ["zz"]), "unknown-node"],
    ["skip of a node at work", ask(running, "skip", ["a"]), "wrong-node-state"],
    ["retry of a node that did not fail", ask(gate, "retry", ["b"]), "wrong-node-state"],
    ["retry without anything failed", ask(folded(ROUND, STARTED, signal("pause")), "retry"), "nothing-failed"],
    ["force where a person paused", ask(folded(ROUND, STARTED, signal("pause")), "force"), "no-gate"],
    ["force where nobody proved it", ask(folded(ROUND, STARTED, paused("zero-attempted")), "force"), "nothing-proved"],
  ])("refuses %s", (_what, answer, code) => expect(answer).toMatchObject({ allowed: false, code }));

  it("names the command that goes on", () => {
    expect(ask(gate, "rollback")).toMatchObject({ hint: "rollcall revert role:edge" });
    expect(ask(folded(ROUND, STARTED, signal("pause")), "force")).toMatchObject({
      hint: "rollcall rollout resume role:edge",
    });
  });

  it("accepts an already true fact only where one holds it up", () => {
    const wanted = { signal: "resume" as const, nodes: [], acceptAlreadyTrue: true };
    expect(signalAnswer(gate, wanted)).toMatchObject({ code: "not-inconclusive" });
    const inconclusive = folded(ROUND, STARTED, paused("inconclusive"));
    expect(signalAnswer(inconclusive, wanted)).toEqual({ allowed: true });
    const accepted = folded(ROUND, STARTED, paused("inconclusive"), signal("resume", { accept_already_true: true }));
    expect([accepted.acceptedAlreadyTrue, accepted.escapes[0]?.gate]).toEqual([true, "already-true"]);
  });
});
