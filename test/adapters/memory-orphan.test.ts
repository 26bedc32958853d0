import { describe, expect, it } from "vitest";
import { answer } from "../../src/adapters/memory/answers.ts";
import { type Boundary, boundariesOf, ControllerKilled, type Orphan } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { ChangeResult } from "../../src/ports.ts";
import { node, nothing, portrait, reach, request, STEPS, target } from "./memory-fixture.ts";

async function finished(): Promise<MemoryNode> {
  const web = node();
  await reach(web).change(target(), request(STEPS), nothing);
  return web;
}

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
