import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runSimulation } from "../../src/commands/plan.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { doorsOf, readScenario } from "../plan/plan-scenario.ts";

const scenario = readScenario(readFileSync("test/scenarios/plan/content-and-restart.txt", "utf8"));

const STORIES: readonly (readonly [string, string])[] = [
  ["all-goes-well", ""],
  ["canary-fails", "web-01 fails"],
  ["one-resource-fails", "web-02 fails at file:/etc/caddy/Caddyfile"],
  ["second-look-unreachable", "desk-01 unreachable"],
  ["link-is-lost", "web-02 drops link"],
  ["controller-is-killed", "controller killed after wave 1"],
];

describe("plan --simulate goes through", () => {
  it.each(STORIES)("%s", async (name, faults) => {
    const result = await runSimulation(doorsOf(scenario), { base: "base", scheduleMs: null }, faults);
    const told = `${result.text(PLAIN)}exit ${result.exitCode}\n`;
    const golden = `test/golden/plan/simulate-${name}.txt`;
    if (process.env.ROLLCALL_ACCEPT === "1") writeFileSync(golden, told);
    expect(told).toBe(readFileSync(golden, "utf8"));
  });

  it("nothing that it does not understand, nor a plan that is blocked", async () => {
    const wish = { base: "base", scheduleMs: null };
    expect((await runSimulation(doorsOf(scenario), wish, "web-09 fails")).exitCode).toBe(64);
    const blocked = readScenario(readFileSync("test/scenarios/plan/stale-generation.txt", "utf8"));
    expect((await runSimulation(doorsOf(blocked), wish, "")).exitCode).toBe(2);
  });

  it("and the record stays as it was", async () => {
    const before = JSON.stringify([...scenario.record.states]);
    await runSimulation(doorsOf(scenario), { base: "base", scheduleMs: null }, "");
    expect(JSON.stringify([...scenario.record.states])).toBe(before);
  });
});
