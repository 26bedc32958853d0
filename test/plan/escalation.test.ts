import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { planDocumentOf } from "../../src/commands/plan-document-of.ts";
import type { PlanDocument, PlannedItem } from "../../src/model/plan-document.ts";
import { escalations } from "../../src/plan/escalation.ts";
import { moved } from "../../src/plan/moved.ts";
import { doorsOf, readScenario } from "./plan-scenario.ts";

async function planOf(name: string): Promise<PlanDocument> {
  const scenario = readScenario(readFileSync(`test/scenarios/plan/${name}.txt`, "utf8"));
  const answer = await planDocumentOf(doorsOf(scenario), { base: "base", scheduleMs: null });
  if ("refusal" in answer) throw new Error(answer.refusal.message);
  return answer.document;
}

/** The same plan, one thing of it otherwise. */
function changed(plan: PlanDocument, change: (item: PlannedItem) => PlannedItem[]): PlanDocument {
  const units = plan.units.map((unit) => ({
    ...unit,
    groups: unit.groups.map((group) => ({ ...group, items: group.items.flatMap(change) })),
  }));
  return { ...plan, units };
}

describe("a fresh plan escalates", () => {
  it("not when it is the reviewed one, nor when less is done", async () => {
    const plan = await planOf("content-and-restart");
    expect(escalations(plan, plan)).toEqual([]);
    expect(moved(plan, plan)).toEqual([]);
    const less = changed(plan, (item) => (item.kind === "restart" ? [] : [item]));
    expect(escalations(plan, less)).toEqual([]);
    expect(moved(plan, less).map(({ code, subject }) => `${code} ${subject}`)).toEqual(
      Array.from({ length: 4 }, () => "gone systemd_unit:caddy.service"),
    );
  });

  it("by a unit that was not reviewed, however harmless", async () => {
    const reviewed = await planOf("nothing-changes");
    const fresh = await planOf("content-and-restart");
    expect(escalations(reviewed, fresh)).toMatchObject([
      { code: "unit", unit: "role:edge", nodes: ["desk-01", "web-01", "web-02", "web-03"] },
    ]);
  });

  it("by a node that was no target", async () => {
    const fresh = await planOf("content-and-restart");
    const units = fresh.units.map((unit) => ({
      ...unit,
      targets: unit.targets.filter(({ node }) => node !== "web-03"),
    }));
    expect(escalations({ ...fresh, units }, fresh)).toContainEqual(
      expect.objectContaining({ code: "node", nodes: ["web-03"] }),
    );
  });

  it("by something that is taken away", async () => {
    const fresh = await planOf("released-removed");
    const reviewed = changed(fresh, (item) => [{ ...item, kind: "keep", verb: "noop" }]);
    expect(escalations(reviewed, fresh)).toMatchObject([
      { code: "destructive", subject: "package:telnetd", nodes: ["desk-01", "web-01", "web-02", "web-03"] },
    ]);
  });

  it("by a restart, and not by other content", async () => {
    const fresh = await planOf("content-and-restart");
    const reviewed = changed(fresh, (item) => (item.kind === "restart" ? [] : [item]));
    expect(escalations(reviewed, fresh)).toMatchObject([{ code: "restart", subject: "systemd_unit:caddy.service" }]);
    const otherBytes = changed(fresh, (item) => [
      item.type === "file" ? { ...item, params: { ...item.params, sha256: "f".repeat(64) } } : item,
    ]);
    expect(escalations(fresh, otherBytes)).toEqual([]);
    expect(moved(fresh, otherBytes).map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => "changed"));
  });
});
