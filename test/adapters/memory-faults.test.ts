import { describe, expect, it } from "vitest";
import { CONNECT_FAULTS, type ConnectFault } from "../../src/adapters/memory/faults.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import { node, nothing, portrait, reach, request, STEPS, target } from "./memory-fixture.ts";

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
