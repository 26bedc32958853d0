import { describe, expect, it } from "vitest";
import { answer } from "../../src/adapters/memory/answers.ts";
import {
  type Boundary,
  boundariesOf,
  CONNECT_FAULTS,
  type ConnectFault,
  ControllerKilled,
  type Fault,
  type Orphan,
} from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { ChangeResult } from "../../src/ports.ts";
import { asking, node, path, portrait, request, step, target, unit } from "./memory-fixture.ts";

const write = (at: string): NodeEffect => {
  return { do: "write-file", path: at, content: textContent(at), mode: "0644", owner: "root", group: "root" };
};
const prober = unit("gyrum-prober.service");
const STEPS = [
  step([{ do: "install-package", name: "gyrum-prober", version: null, repair: false }]),
  step([{ do: "note-pending", unit: prober, how: "restart", because: ["file:/etc/a"] }, write("/etc/a")]),
  step([
    { do: "enable-unit", unit: prober },
    { do: "start-unit", unit: prober },
    { do: "clear-pending", unit: prober },
  ]),
];
const nothing = (): void => {};
const reach = (web: MemoryNode, faults: readonly Fault[] = []) =>
  new MemoryTransport(new Map([["web-01", web]]), faults);

async function finished(): Promise<MemoryNode> {
  const web = node();
  await reach(web).change(target(), request(STEPS), nothing);
  return web;
}

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
    expect(result.facts.units.get("gyrum-prober.service")).toMatchObject({ activeState: "active", activeForMs: 500 });
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
    const web = await finished();
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

describe("a link lost or a controller killed", () => {
  const boundaries = boundariesOf(STEPS);
  const name = (at: Boundary) => (typeof at === "string" ? at : `${at.step}.${at.effect}`);
  const attempt = async (web: MemoryNode, fault: "link-lost" | "controller-killed", at: Boundary, orphan: Orphan) => {
    const transport = reach(web, [{ node: "web-01", fault, at, orphan }]);
    const change = transport.change(target(), request(STEPS), nothing);
    if (fault === "link-lost") return expect(await change).toMatchObject({ kind: "failure", outcome: "unknown" });
    await expect(change).rejects.toThrow(ControllerKilled);
    await expect(transport.observe(target(), NO_QUESTIONS)).rejects.toThrow(ControllerKilled);
  };
  /** What the next controller does: reads, decides (here: the same steps), and again when they were stale. */
  const comeAgain = async (web: MemoryNode): Promise<ChangeResult> => {
    const transport = reach(web);
    let result: ChangeResult | undefined;
    for (let round = 0; round < 3 && (result === undefined || result.kind === "stale"); round++) {
      const seen = await transport.observe(target(), NO_QUESTIONS);
      if (seen.kind !== "observed") throw new Error(seen.outcome);
      const { fence } = seen.facts;
      result = await transport.change(
        target(),
        request(STEPS, { epoch: (fence?.epoch ?? 0) + 1, seen: fence }, { runId: "run-b" }),
        nothing,
      );
    }
    return result as ChangeResult;
  };

  it("can happen before and after every effect", () => {
    expect(boundaries.map(name)).toEqual([
      "begin",
      "0.0",
      "0.1",
      "1.0",
      "1.1",
      "1.2",
      "2.0",
      "2.1",
      "2.2",
      "2.3",
      "end",
    ]);
  });

  describe.each(["link-lost", "controller-killed"] as const)("%s", (fault) => {
    it.each(boundaries.map((at) => [name(at), at] as const))(
      "at %s: the same end, whatever the orphan does",
      async (_name, at) => {
        const expected = portrait(await finished());
        for (const orphan of ["finishes", "dies", { boundaries: 0 }, { boundaries: 1 }, { boundaries: 3 }] as const) {
          const web = node();
          await attempt(web, fault, at, orphan);
          expect(await comeAgain(web)).toMatchObject({
            kind: "changed",
            facts: { busy: false, lastRun: { runId: "run-b", ended: true } },
          });
          expect(portrait(web)).toEqual(expected);
        }
      },
    );
  });

  it("is told by the node: who is at work, how far it came", async () => {
    const web = node();
    await attempt(web, "controller-killed", { step: 1, effect: 1 }, { boundaries: 0 });
    const seen = await reach(web).observe(target(), NO_QUESTIONS);
    expect(seen).toMatchObject({
      kind: "observed",
      facts: {
        busy: true,
        lastRun: { runId: "run-a", ended: false, steps: [{ state: "done" }, { state: "cut-off" }] },
      },
    });
    web.atWork = null;
    expect(answer(web, NO_QUESTIONS)).toMatchObject({ busy: false, lastRun: { ended: false } });
  });

  it("makes the next run's steps stale when it had to wait for the orphan", async () => {
    const web = node();
    await attempt(web, "link-lost", { step: 1, effect: 1 }, { boundaries: 0 });
    const asked = request(STEPS, { epoch: 2, seen: web.fence }, { runId: "run-b" });
    expect(await reach(web).change(target(), asked, nothing)).toMatchObject({
      kind: "stale",
      facts: { fence: { runId: "run-b" }, busy: false },
    });
    expect(web.lastRun).toMatchObject({
      runId: "run-a",
      ended: true,
      steps: [{ state: "done" }, { state: "done" }, { state: "skipped" }],
    });
  });

  it("makes steps stale that were decided while the orphan was at work, though it is done by now", async () => {
    const web = node();
    await attempt(web, "link-lost", { step: 1, effect: 1 }, { boundaries: 1 });
    const seen = await reach(web).observe(target(), NO_QUESTIONS);
    if (seen.kind !== "observed") throw new Error(seen.outcome);
    const { fence, lastRun } = seen.facts;
    web.atWork?.stop();
    const asked = request(STEPS, { epoch: 2, seen: fence, lastRun }, { runId: "run-b" });
    const stale = await reach(web).change(target(), asked, nothing);
    if (stale.kind !== "stale") throw new Error(stale.kind);
    const again = { epoch: 3, seen: stale.facts.fence, lastRun: stale.facts.lastRun };
    const result = await reach(web).change(target(), request(STEPS, again, { runId: "run-b" }), nothing);
    expect(result.kind).toBe("changed");
  });

  it("keeps the node busy while the orphan hangs", async () => {
    const web = node();
    await attempt(web, "link-lost", { step: 0, effect: 1 }, "hangs");
    const asked = request(STEPS, { epoch: 2, seen: web.fence }, { runId: "run-b" });
    expect(await reach(web).change(target(), asked, nothing)).toMatchObject({ kind: "failure", outcome: "busy" });
  });
});

describe("a fault", () => {
  it.each(Object.keys(CONNECT_FAULTS) as ConnectFault[])("%s: an outcome of its own, nothing done", async (fault) => {
    const web = node();
    const before = portrait(web);
    const transport = reach(web, [
      { node: "web-01", fault },
      { node: "other", fault: "unreachable" },
    ]);
    expect(await transport.observe(target(), NO_QUESTIONS)).toMatchObject({ kind: "failure", outcome: fault });
    expect(await transport.change(target(), request(STEPS), nothing)).toMatchObject({
      kind: "failure",
      outcome: fault,
    });
    expect(portrait(web)).toEqual(before);
  });

  it("is a node that is not there", async () => {
    expect(await reach(node()).observe(target("web-99"), NO_QUESTIONS)).toMatchObject({ outcome: "unreachable" });
  });

  it("can be for one call only", async () => {
    const transport = reach(node(), [{ node: "web-01", fault: "unreachable", on: { kind: "observe", nth: 1 } }]);
    const kinds = [];
    for (let call = 0; call < 3; call++) kinds.push((await transport.observe(target(), NO_QUESTIONS)).kind);
    expect(kinds).toEqual(["observed", "failure", "observed"]);
    expect(transport.calls("web-01")).toEqual({ observe: 3, change: 0 });
  });

  it("fails any effect, before or after it was done", async () => {
    for (const done of [false, true]) {
      const web = node();
      const fault = {
        node: "web-01",
        fault: "effect-fails",
        step: 1,
        effect: 1,
        code: "disk-full",
        detail: "full",
        done,
      } as const;
      const result = await reach(web, [fault]).change(target(), request(STEPS), nothing);
      expect(result).toMatchObject({
        steps: [{ state: "done" }, { state: "failed", code: "disk-full", detail: "full" }, { state: "skipped" }],
      });
      expect(web.files.get("/etc/a") !== undefined).toBe(done);
    }
  });

  it("is slowness beyond a time-out, and none below it", async () => {
    const slow = (connectMs: number, programMs: number) =>
      reach(node(), [{ node: "web-01", fault: "slow", connectMs, programMs }]);
    expect(await slow(10_001, 0).observe(target(), NO_QUESTIONS)).toMatchObject({ outcome: "unreachable" });
    expect(await slow(10_000, 180_001).change(target(), request(STEPS), nothing)).toMatchObject({
      steps: [{ code: "step-timeout" }, {}, {}],
    });
    expect(await slow(10_000, 180_000).change(target(), request(STEPS), nothing)).toMatchObject({
      steps: [{ state: "done" }, {}, {}],
    });
  });

  it("is lateness: others overtake", async () => {
    const transport = new MemoryTransport(
      new Map([
        ["a", node("a")],
        ["b", node("b")],
      ]),
      [{ node: "a", fault: "late", turns: 20 }],
    );
    const order: string[] = [];
    await Promise.all(
      ["a", "b"].map(async (name) => {
        await transport.observe(target(name), NO_QUESTIONS);
        order.push(name);
      }),
    );
    expect(order).toEqual(["b", "a"]);
  });
});
