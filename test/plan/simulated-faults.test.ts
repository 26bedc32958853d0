import { describe, expect, it } from "vitest";
import { parseFaults } from "../../src/plan/simulated-faults.ts";

const NODES = new Set(["web-01", "desk-01"]);

describe("--simulate", () => {
  it("reads every phrase", () => {
    const text =
      "web-01 fails, web-01 fails at file:/etc/a b,desk-01  unreachable, web-01 slow, desk-01 drops link, controller killed after wave 2";
    expect(parseFaults(text, NODES)).toEqual({
      faults: [
        { kind: "fails", node: "web-01", resource: null },
        { kind: "fails", node: "web-01", resource: "file:/etc/a b" },
        { kind: "unreachable", node: "desk-01" },
        { kind: "slow", node: "web-01" },
        { kind: "drops-link", node: "desk-01" },
      ],
      killedAfterWave: 1,
    });
  });

  it("takes nothing for a day on which all goes well", () => {
    expect(parseFaults(" ", NODES)).toEqual({ faults: [], killedAfterWave: null });
  });

  it.each([
    "web-01 explodes",
    "web-01",
    "web-01 slow at x",
    "controller killed",
    "db-01 fails",
    "web-01 fails; desk-01 slow",
  ])("does not guess what %s may mean", (text) => expect(parseFaults(text, NODES)).toHaveProperty("problem"));
});
