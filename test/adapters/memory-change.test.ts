import { describe, expect, it } from "vitest";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import {
  asking,
  node,
  nothing,
  path,
  portrait,
  reach,
  request,
  STEPS,
  step,
  target,
  unit,
  write,
} from "./memory-fixture.ts";

const prober = unit("gyrum-prober.service");

describe("a change", () => {
  it("does the steps in order, says which, and answers from what they left", async () => {
    const begun: number[] = [];
    const result = await reach(node()).change(
      target(),
      request(STEPS, {}, { questions: asking({ paths: [path("/etc/a")], units: [prober] }) }),
      (index) => begun.push(index),
    );
    expect(begun).toEqual([0, 1, 2]);
    if (result.kind !== "changed") throw new Error(result.kind);
    expect(result.steps.map(({ index, state }) => [index, state])).toEqual([
      [0, "done"],
      [1, "done"],
      [2, "done"],
    ]);
    expect(result.facts.paths.get("/etc/a")?.found?.sha256).toBe(textContent("/etc/a").sha256);
    expect(result.facts.units.get("gyrum-prober.service")).toMatchObject({ activeState: "active", activeForMs: 501 });
    expect(result.facts).toMatchObject({ fence: { epoch: 1, runId: "run-a" }, busy: false, lastRun: { ended: true } });
  });

  it("leaves out what a failed step forbids, and nothing else", async () => {
    const steps = [
      step([write("/etc/nowhere/x"), write("/etc/b")], "base"),
      step([write("/etc/c")], "web", ["web", "base"]),
      step([write("/etc/d")], "other"),
      step([write("/etc/e")], "top", ["top", "web"]),
    ];
    const web = node();
    const result = await reach(web).change(target(), request(steps), nothing);
    expect(result).toMatchObject({
      kind: "changed",
      steps: [
        { state: "failed", code: "parent-missing" },
        { state: "skipped", code: null },
        { state: "done" },
        // `needs` is transitive: who requires web names base too, so a skipped step alone forbids nothing.
        { state: "done" },
      ],
    });
    expect(web.files.get("/etc/b")).toBeUndefined();
  });

  it("sees a service that crashes after its start only once time has passed", async () => {
    for (const [settleMs, activeState] of [
      [0, "active"],
      [500, "activating"],
    ] as const) {
      const web = node();
      web.crashing.add("gyrum-prober.service");
      const questions = asking({ units: [prober] });
      const result = await reach(web).change(target(), request(STEPS, {}, { settleMs, questions }), nothing);
      if (result.kind !== "changed") throw new Error(result.kind);
      expect(result.steps.at(-1)?.state).toBe("done");
      expect(result.facts.units.get("gyrum-prober.service")?.activeState).toBe(activeState);
    }
  });

  it("ends a restart loop in the start limit", async () => {
    const web = node();
    await reach(web).change(target(), request(STEPS), nothing);
    web.crashing.add("gyrum-prober.service");
    await reach(web).change(
      target(),
      request([step([{ do: "restart-unit", unit: prober }])], { epoch: 2, seen: web.fence }),
      nothing,
    );
    const states = [];
    for (let look = 0; look < 5; look++) {
      const seen = await reach(web).observe(target(), asking({ units: [prober] }));
      if (seen.kind === "observed") states.push(seen.facts.units.get("gyrum-prober.service")?.result);
    }
    expect(states).toEqual(["exit-code", "exit-code", "exit-code", "start-limit-hit", "start-limit-hit"]);
  });
});

describe("the fence", () => {
  const seen = { epoch: 7, runId: "run-z" };
  const cases: readonly [string, MemoryNode["fence"], Parameters<typeof request>[1], string, string][] = [
    ["takes a node that nobody had", null, { epoch: 1, seen: null }, "changed", ""],
    ["takes over what was seen, with a higher epoch", seen, { epoch: 8, seen }, "changed", ""],
    [
      "lets a run come again",
      { epoch: 7, runId: "run-a" },
      { epoch: 7, seen: { epoch: 7, runId: "run-a" } },
      "changed",
      "",
    ],
    ["refuses an epoch that is not higher", seen, { epoch: 7, seen }, "failure", "fenced"],
    [
      "calls steps stale when another run came in between",
      seen,
      { epoch: 9, seen: { epoch: 6, runId: "run-y" } },
      "stale",
      "",
    ],
    ["calls steps stale when a first run came in between", seen, { epoch: 9, seen: null }, "stale", ""],
    ["calls steps stale when the fence is gone", null, { epoch: 9, seen }, "stale", ""],
  ];
  it.each(cases)("%s", async (_what, fence, asked, kind, outcome) => {
    const web = node();
    web.fence = fence;
    const before = portrait(web);
    const result = await reach(web).change(target(), request(STEPS, asked), nothing);
    expect(result.kind).toBe(kind);
    if (result.kind === "failure") expect(result.outcome).toBe(outcome);
    if (result.kind === "stale") expect(result).toMatchObject({ by: fence, facts: { fence } });
    if (kind === "changed") expect(web.fence).toEqual({ epoch: asked?.epoch, runId: "run-a" });
    else expect([portrait(web), web.fence]).toEqual([before, fence]);
  });

  it("stops a run that is taken over before its next step", async () => {
    for (const [at, done] of [
      [{ step: 1, effect: 0 }, 1],
      [{ step: 1, effect: 1 }, 2],
      ["end", 3],
    ] as const) {
      const web = node();
      const by = { epoch: 2, runId: "run-b" };
      const result = await reach(web, [{ node: "web-01", fault: "taken-over", at, by }]).change(
        target(),
        request(STEPS),
        nothing,
      );
      expect(result).toMatchObject(done === 3 ? { kind: "changed" } : { kind: "failure", outcome: "fenced" });
      expect(web.lastRun?.steps.filter(({ state }) => state === "done")).toHaveLength(done);
      expect(web.lastRun?.steps.filter(({ state }) => state === "skipped")).toHaveLength(3 - done);
      expect(web.fence).toEqual(by);
    }
  });
});
