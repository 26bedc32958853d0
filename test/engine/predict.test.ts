import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { memorySimulator } from "../../src/adapters/memory/simulator.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { convergeNode } from "../../src/engine/converge-node.ts";
import { IMAGINED_SECRETS } from "../../src/engine/imagined-run.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import { observeNode } from "../../src/engine/observe-node.ts";
import { predict } from "../../src/engine/predict.ts";
import type { NodePrediction } from "../../src/engine/prediction.ts";
import { sourceOf } from "../../src/engine/role-grounds.ts";
import type { ObservedRecord } from "../../src/plan/observed-record.ts";
import { desired, fleetSpec, newNode, tamper, tampering } from "./generated-fleet.ts";
import { applyUntilKnown } from "./history.ts";
import { provedRecord } from "./proved-record.ts";
import { PROPERTY_RUNS, run, runContext } from "./run-in-memory.ts";

const UNITS = ["role:host", "role:web"];
const NOW = new Date("2026-11-30T10:00:00Z");

async function predicted(before: DesiredState, after: DesiredState, record: ObservedRecord) {
  const visits = UNITS.map((unit) => ({ unit, action: "converge" as const }));
  const input = {
    head: sourceOf(after),
    sources: [sourceOf(before), sourceOf(after)],
    record,
    simulator: memorySimulator,
    now: NOW,
  };
  const predictions = await predict(new Map([["web-01", visits]]), input);
  return predictions.get("web-01") ?? new Map();
}

/** What a run really finds, unit by unit, on a node that somebody else made. */
async function found(node: MemoryNode, after: DesiredState) {
  const context = runContext(new MemoryTransport(new Map([["web-01", node]])));
  const items = new Map<string, unknown[]>();
  for (const unit of UNITS) {
    const [web] = after.nodes;
    if (web === undefined) throw new Error("no node");
    const work = nodeWork(after, web, new Set([unit.slice("role:".length)]), IMAGINED_SECRETS);
    const observation = await observeNode(work, context);
    if (observation.kind === "left") throw new Error(observation.outcome.message);
    const { entries } = observation.observed;
    items.set(
      unit,
      entries.map(({ role, resource, finding }) => [role.name, resource.record.id, finding.verb, finding.reasons]),
    );
    await convergeNode(observation.observed, context);
  }
  return items;
}

function told(prediction: NodePrediction) {
  const entries = [...prediction].map(([unit, items]) => [
    unit,
    items.map(({ role, resource, verb, reasons }) => [role, resource, verb, reasons]),
  ]);
  return new Map(entries as [string, unknown[]][]);
}

describe("what is predicted for a node that proved the base", () => {
  it("is what a run finds there", async () => {
    await fc.assert(
      fc.asyncProperty(fleetSpec, fleetSpec, async (base, head) => {
        // Which version a node has is not known then: see below.
        fc.pre(base.tool !== "present" || !head.tool.startsWith("1."));
        const [before, after] = [desired(base), desired(head)];
        const node = newNode("web-01");
        const fleet = new Map([["web-01", node]]);
        const alone = { ...before, nodes: before.nodes.filter(({ name }) => name === "web-01") };
        await applyUntilKnown(alone, fleet);
        await run("apply", alone, fleet);
        const prediction = await predicted(before, after, provedRecord(before));
        expect(told(prediction)).toEqual(await found(node, after));
        const items = [...prediction.values()].flat();
        expect(items.filter(({ basis }) => basis !== "desired")).toEqual([]);
      }),
      PROPERTY_RUNS,
    );
  });

  it("is nothing where nothing changes, and the same each time", async () => {
    await fc.assert(
      fc.asyncProperty(fleetSpec, fleetSpec, async (base, head) => {
        const [before, after] = [desired(base), desired(head)];
        const none = await predicted(before, before, provedRecord(before));
        expect([...none.values()].flat()).toEqual([]);
        const once = await predicted(before, after, provedRecord(before));
        const again = await predicted(before, after, provedRecord(before));
        expect(JSON.stringify([...again])).toBe(JSON.stringify([...once]));
      }),
      PROPERTY_RUNS,
    );
  });
});

describe("what an audit saw", () => {
  it("is in the prediction: files and packages as a run finds them", async () => {
    await fc.assert(
      fc.asyncProperty(fleetSpec, fleetSpec, tampering, async (base, head, effects) => {
        const [before, after] = [desired(base), desired(head)];
        const node = newNode("web-01");
        const fleet = new Map([["web-01", node]]);
        const alone = { ...before, nodes: before.nodes.filter(({ name }) => name === "web-01") };
        await applyUntilKnown(alone, fleet);
        await run("apply", alone, fleet);
        tamper(node, effects);
        const audit = await run("check", alone, fleet);
        const items = audit.result.reports.flatMap((report) => report.items);
        const record = provedRecord(before);
        const report = record.reports.get("web-01");
        if (report === undefined) throw new Error("no report");
        record.reports.set("web-01", { ...report, items: items as unknown as typeof report.items });
        const prediction = [...(await predicted(before, after, record)).values()].flat();
        const seen = new Set(items.map(({ resource }) => resource.id));
        const paths = (await found(node, after)).values();
        for (const [role, id] of [...paths].flat() as [string, string][]) {
          if (!/^(file|package|env|directory|command):/.test(id)) continue;
          expect(prediction).toContainEqual(
            expect.objectContaining({ role, resource: id, ...(seen.has(id) ? { basis: "audit" } : {}) }),
          );
        }
      }),
      PROPERTY_RUNS,
    );
  });
});

describe("many nodes", () => {
  const spec = {
    tool: "1.2" as const,
    shared: { text: "A=one\n", mode: "0644" as const },
    prober: { state: "started" as const, enabled: true, config: { text: "A=one\n", mode: "0644" as const } },
    app: {
      unit: "simple" as const,
      state: "started" as const,
      enabled: true,
      config: { text: "A=one\n", mode: "0644" as const },
      dropIn: null,
      listens: "restart_on" as const,
    },
  };
  const many = (state: DesiredState): DesiredState => {
    const [web] = state.nodes;
    if (web === undefined) throw new Error("no node");
    return { ...state, nodes: Array.from({ length: 1000 }, (_, index) => ({ ...web, name: `web-${index}` })) };
  };

  it("that are alike are imagined once, and what differs is told apart", async () => {
    const before = many(desired(spec));
    const after = many(desired({ ...spec, tool: "1.10" }));
    const record = provedRecord(before);
    const report = record.reports.get("web-7");
    if (report === undefined) throw new Error("no report");
    const item = {
      host: "web-7",
      role: "web",
      resource: { type: "file" as const, id: "file:/etc/prober.yaml" },
      declared: { path: "/etc/prober.yaml" },
      observed: null,
      action_to_apply: { verb: "write" as const, params: { reasons: ["missing"] } },
      severity: "drift" as const,
    };
    record.reports.set("web-7", { ...report, items: [item] });
    let imagined = 0;
    const simulator = {
      ...memorySimulator,
      imagine: (needs: Parameters<typeof memorySimulator.imagine>[0]) => {
        imagined += 1;
        return memorySimulator.imagine(needs);
      },
    };
    const visits = UNITS.map((unit) => ({ unit, action: "converge" as const }));
    const input = { head: sourceOf(after), sources: [sourceOf(before)], record, simulator, now: NOW };
    const predictions = await predict(new Map(after.nodes.map(({ name }) => [name, visits])), input);
    expect(imagined).toBe(2);
    expect(predictions.get("web-1")?.get("role:host")).toMatchObject([{ resource: "package:tool", verb: "upgrade" }]);
    expect(predictions.get("web-999")).toBe(predictions.get("web-1"));
    expect(predictions.get("web-7")?.get("role:web")).toMatchObject([
      { resource: "file:/etc/prober.yaml", kind: "create", basis: "audit" },
      { resource: "systemd_unit:gyrum-prober.service", kind: "restart" },
    ]);
  });
});
