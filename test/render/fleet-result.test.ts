import { describe, expect, test } from "vitest";
import type { DriftItem } from "../../src/model/drift-item.ts";
import { type DriftReport, driftStats } from "../../src/model/drift-report.ts";
import { type FleetView, renderApply, renderCheck } from "../../src/render/fleet-result.ts";
import { PLAIN } from "../../src/render/paint.ts";

function item(id: string, verb: DriftItem["action_to_apply"]["verb"], more: Partial<DriftItem> = {}): DriftItem {
  return {
    host: "web-01",
    role: "edge",
    resource: { type: "file", id },
    declared: {},
    observed: null,
    action_to_apply: { verb, params: { reasons: ["absent"] } },
    severity: "drift",
    idempotent: true,
    discovered_at: "2026-11-30T09:00:00.000Z",
    ...more,
  };
}

function report(host: string, items: DriftItem[], stage?: "before" | "after"): DriftReport {
  return {
    drift_report_id: `r/${host}`,
    run_id: "r",
    host,
    started_at: "2026-11-30T09:00:00.000Z",
    finished_at: "2026-11-30T09:00:00.000Z",
    dry_run: false,
    ...(stage === undefined ? {} : { stage }),
    items,
    stats: driftStats(items),
  };
}

const VIEW: FleetView = { classOf: () => "server", leftOut: { nodes: [], roles: [] } };
const write = item("file:/etc/a", "write");
const start = item("systemd_unit:a.service", "start", {
  observed: { active: true },
  action_to_apply: { verb: "start", params: { restart: true, enable: true, reasons: ["trigger-changes"] } },
});

describe("check", () => {
  test("says per node what differs, then adds it up without mixing the kinds", () => {
    const text = renderCheck(
      {
        reports: [report("web-01", [write, start]), report("web-02", [])],
        outcomes: [
          { node: "web-01", outcome: "drift", message: "" },
          { node: "web-02", outcome: "converged", message: "" },
          { node: "db-01", outcome: "unreachable", message: "connection refused" },
          { node: "desk-01", outcome: "skipped", message: "enabled: false in its node file" },
        ],
      },
      VIEW,
      PLAIN,
    );
    expect(text).toBe(
      [
        "web-01  drift (2 items)",
        "  drift  write                 file:/etc/a             edge · absent",
        "  drift  start+enable+restart  systemd_unit:a.service  edge · trigger-changes",
        "web-02  converged",
        "db-01  unreachable · connection refused",
        "desk-01  skipped · enabled: false in its node file",
        "",
        "4 nodes: 1 as declared, 1 not as declared (web-01), 1 not observed (db-01), 1 skipped (desk-01)",
        "",
      ].join("\n"),
    );
  });

  test("text from a node cannot move the cursor", () => {
    const outcome = { node: "web-01", outcome: "failed", message: "\u001b[2Jgone" } as const;
    expect(renderCheck({ reports: [], outcomes: [outcome] }, VIEW, PLAIN)).toContain("\\x1b[2Jgone");
  });
});

test("apply lists what was done and what still differs", () => {
  const text = renderApply(
    {
      reports: [report("web-01", [write, start], "before"), report("web-01", [start], "after")],
      outcomes: [{ node: "web-01", outcome: "not-converged", message: "systemd_unit:a.service still differs" }],
    },
    VIEW,
    PLAIN,
  );
  expect(text).toBe(
    [
      "web-01  not-converged · systemd_unit:a.service still differs",
      "  done  write  file:/etc/a",
      "  drift  start+enable+restart  systemd_unit:a.service  edge · trigger-changes",
      "",
      "1 node: 0 converged, 1 not as declared (web-01)",
      "",
    ].join("\n"),
  );
});
