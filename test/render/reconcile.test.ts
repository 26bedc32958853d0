import { describe, expect, it } from "vitest";
import { courseOf } from "../../src/plan/unit-course.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { type ReconcileView, renderReconcile } from "../../src/render/reconcile.ts";
import { edge, fleet, node } from "../plan/edge-fleet.ts";

const FIVE = { "db-01": node(), "db-02": node(), "desk-01": node({ class: "desktop" }), "web-01": node() };

type UnitView = ReconcileView["units"][number];
const unit = (name: string, more: Partial<UnitView> = {}): UnitView => ({
  ...{ unit: name, state: "completed", next: "nothing", detail: "", hint: "", applied: 4, targets: 4, escapes: [] },
  ...more,
});
const view = (more: Partial<ReconcileView>): ReconcileView => ({
  ...{ run_id: "r", generation: 42, commit: "c".repeat(40), units: [], courses: [], outcomes: [], stopped: null },
  ...{ unrecorded: [], unpublished: null, damaged: [], tookOver: null, exitCode: 0 },
  ...more,
});
const text = (more: Partial<ReconcileView>) => renderReconcile(view(more), PLAIN);

describe("reconcile, as text", () => {
  it("tells the course of a rollout wave by wave, and folds what was in already", () => {
    const one = fleet(FIVE);
    one.run();
    const units = [unit("role:host"), unit("role:edge"), unit("role:db"), unit("role:seen", { next: "observe" })];
    expect(text({ units, courses: [courseOf(one.rollout("role:edge"))] })).toBe(`role:edge  completed  4 of 4 applied
  db-01 → desk-01 → db-02 web-01
    db-01: of the majority class server on linux (3 of 4), never answered so far
  ! the canary db-01 has never answered so far
in: role:host role:db
only observed: role:seen

generation 42 at cccccccccccc: no node was turned to
`);
  });

  it("names what failed, says once why it stands still, and what to do in the last line", () => {
    const one = fleet(FIVE);
    one.run({ fails: (_, name) => name === "desk-01" });
    const outcome = {
      unit: "role:edge",
      node: "desk-01",
      outcome: "unreachable" as const,
      message: "no route to host",
    };
    const detail = "wave 2: desk-01 failed; desk-01 unreachable: no route to host";
    const stopped = unit("role:edge", {
      ...{ state: "paused", next: "stopped", detail, hint: "rollcall rollout retry role:edge", applied: 1 },
    });
    const told = text({
      ...{ units: [stopped], courses: [courseOf(one.rollout("role:edge"))], outcomes: [outcome as never], exitCode: 1 },
    });
    expect(told).toBe(`role:edge  paused  1 of 4 applied
  db-01 → desk-01 (not-converged) → db-02 web-01 (not yet)
    db-01: of the majority class server on linux (3 of 4), never answered so far
  ! the canary db-01 has never answered so far
    desk-01 unreachable: no route to host
  stopped: wave 2: desk-01 failed
  next: rollcall rollout retry role:edge

generation 42 at cccccccccccc: 0 of 1 node visits converged
to do: rollcall rollout retry role:edge
`);
  });

  it("says loudly that a second look is missing", () => {
    const one = fleet({ "db-01": node(), "db-02": node() });
    one.run();
    expect(text({ units: [unit("role:edge")], courses: [courseOf(one.rollout("role:edge"))] })).toContain(
      "\n  ! no second look: no other class or OS among 2 nodes: all are server on linux\n",
    );
  });

  it("keeps to 120 columns with a thousand nodes and a long reason, and sends no control to the terminal", () => {
    const many = Array.from(
      { length: 1000 },
      (_, index) => [`n-${String(index * 7).padStart(4, "0")}`, node()] as const,
    );
    const one = fleet({ ...Object.fromEntries(many), "desk-01": node({ class: "desktop" }) }, edge);
    one.run({ fails: (_, name) => name.endsWith("1") && name !== "desk-01" });
    const detail = `wave 3: ${"a reason with\u001b[2J words ".repeat(40)}`;
    const stopped = unit("role:edge", { state: "failed", next: "stopped", detail, hint: "rollcall board" });
    const told = text({ units: [stopped], courses: [courseOf(one.rollout("role:edge"))], exitCode: 1 });
    expect(told.split("\n").filter((line) => line.length > 120)).toEqual([]);
    expect(told).toContain("and 894 more, n-0021");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(told).not.toMatch(/\u001b/);
  });

  it.each([
    ["budget", { reason: "budget" as const }, "to do: rollcall reconcile"],
    [
      "record",
      { reason: "unrecorded" as const, code: "x", message: "no push", hint: "look at the remote" },
      "to do: look at the remote",
    ],
  ])("ends with what to do when it was stopped: %s", (_what, stopped, last) => {
    expect(text({ stopped, exitCode: 1 }).trimEnd().split("\n").at(-1)).toBe(last);
  });
});
