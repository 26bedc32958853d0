import { describe, expect, it } from "vitest";
import type { RolloutEvent, RolloutEventBody } from "../../src/model/rollout-event.ts";
import { outlivedRollouts } from "../../src/plan/outlived-rollouts.ts";
import { digestOf } from "./recorded.ts";
import { begin, created, fail, logOf, paused, STARTED, signal, succeed } from "./rollout-log.ts";

const BEFORE = new Date("2026-09-01T00:00:00Z");
const DONE: readonly RolloutEventBody[] = [STARTED, begin("a", 0), succeed("a"), { event: "completed" }];
const FAILED: readonly RolloutEventBody[] = [
  STARTED,
  begin("a", 0),
  fail("a"),
  { event: "failed", detail: "a is not as declared" },
];

/** A rollout of the digest of this figure, whose last event was at `at`. */
function log(figure: string, at: string, bodies = DONE, more: { unit?: string; generation?: number } = {}) {
  const digest = digestOf(figure);
  const unit = more.unit ?? "role:edge";
  const events = logOf([created([["a"]], { digest, generation: Number(figure), ...more }), ...bodies]);
  return [`${unit}@${digest.slice(0, 12)}`, events.map((event) => ({ ...event, at }))] as const;
}

const logs = (...all: readonly (readonly [string, readonly RolloutEvent[]])[]) => new Map(all);
const OLD = "2026-08-01T00:00:00Z";
const id = (figure: string, unit = "role:edge") => `${unit}@${digestOf(figure).slice(0, 12)}`;

describe("what may go of the rollouts", () => {
  it("is what ended long ago; the newest of a unit and what it would be taken back to stay", () => {
    expect(outlivedRollouts(logs(log("1", OLD), log("2", OLD), log("3", OLD)), BEFORE)).toEqual([id("1")]);
  });

  it("is of each unit on its own", () => {
    const other = { unit: "role:web" };
    const all = logs(log("1", OLD), log("2", OLD, DONE, other), log("3", OLD, DONE, other), log("4", OLD, DONE, other));
    expect(outlivedRollouts(all, BEFORE)).toEqual([id("2", "role:web")]);
  });

  it("stays up to the very moment of the retention, whatever zone that is written in", () => {
    const newer = ["4", "5"].map((figure) => log(figure, "2026-10-01T00:00:00Z"));
    const at = (moment: string) => outlivedRollouts(logs(log("1", moment), ...newer), BEFORE);
    expect(at("2026-09-01T00:00:00Z")).toEqual([]);
    expect(at("2026-08-31T23:59:59.999Z")).toEqual([id("1")]);
    expect(at("2026-09-01T01:59:00+02:00")).toEqual([id("1")]);
    expect(at("2026-08-31T22:00:00-02:00")).toEqual([]);
  });

  it("stays while any of its events is young, even when the last one was written by a clock that is late", () => {
    const [name, events] = log("1", OLD);
    const young = events.map((event, index) => (index === 1 ? { ...event, at: "2026-10-01T00:00:00Z" } : event));
    const newer = ["4", "5"].map((figure) => log(figure, "2026-10-02T00:00:00Z"));
    expect(outlivedRollouts(logs([name, young], ...newer), BEFORE)).toEqual([]);
    expect(outlivedRollouts(logs([name, events], ...newer), BEFORE)).toEqual([id("1")]);
  });

  it.each<[string, readonly RolloutEventBody[]]>([
    ["never began", []],
    ["runs", [STARTED, begin("a", 0)]],
    ["is paused", [STARTED, begin("a", 0), fail("a"), paused()]],
  ])("is no rollout that %s", (_what, bodies) => {
    expect(outlivedRollouts(logs(log("1", OLD, bodies), log("4", OLD), log("5", OLD)), BEFORE)).toEqual([]);
  });

  it("is one that failed, but not what completed before the newest one", () => {
    const all = logs(log("1", OLD), log("2", OLD, FAILED), log("3", OLD, FAILED), log("4", OLD));
    expect(outlivedRollouts(all, BEFORE)).toEqual([id("2"), id("3")]);
  });

  it("is not the newest by generation, even when an older one was spoken of later", () => {
    const canceled = [STARTED, signal("cancel")];
    const all = logs(log("1", OLD), log("2", "2026-08-20T00:00:00Z", canceled), log("3", OLD), log("4", OLD));
    expect(outlivedRollouts(all, BEFORE)).toEqual([]);
    const more = logs(...all, log("5", OLD));
    expect(outlivedRollouts(more, BEFORE)).toEqual([id("3")]);
  });

  it("is no log that begins no rollout", () => {
    const [name, events] = log("1", OLD);
    expect(outlivedRollouts(logs([name, events.slice(1)], log("4", OLD), log("5", OLD)), BEFORE)).toEqual([]);
  });
});
