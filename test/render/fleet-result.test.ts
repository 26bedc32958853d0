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

describe("more than three nodes of a class that would print the same", () => {
  const nodes = (count: number) => Array.from({ length: count }, (_, index) => `web-${index + 1}`);
  const result = (names: readonly string[], itemsOf: (name: string) => DriftItem[]) => ({
    reports: names.map((name) => report(name, itemsOf(name))),
    outcomes: names.map((node) => ({ node, outcome: "drift", message: "" }) as const),
  });
  const view = { ...VIEW, classOf: (node: string) => (node === "web-5" ? "desktop" : "headless-server") };

  test("are one block, at the place of the first; the others stay as they are", () => {
    const other = { ...write, role: "other" };
    const text = renderCheck(
      result(nodes(6), (name) => (name === "web-2" ? [other] : [write, start])),
      view,
      PLAIN,
    );
    expect(text.split("\n").slice(0, 8)).toEqual([
      "headless-server · web-1 web-3 web-4 web-6  drift · the same 2 items on all 4",
      "  drift  write                 file:/etc/a             edge · absent",
      "  drift  start+enable+restart  systemd_unit:a.service  edge · trigger-changes",
      "web-2  drift (1 item)",
      "  drift  write  file:/etc/a  other · absent",
      "web-5  drift (2 items)",
      "  drift  write                 file:/etc/a             edge · absent",
      "  drift  start+enable+restart  systemd_unit:a.service  edge · trigger-changes",
    ]);
  });

  test("three are too few, and a diff that differs keeps them apart", () => {
    const text = renderCheck(
      result(nodes(3), () => [write]),
      view,
      PLAIN,
    );
    expect(text).toContain("web-3  drift (1 item)");
    const diffs = nodes(4).map((node) => ({
      node,
      role: "edge",
      resource: "file:/etc/a",
      status: "binary" as const,
      from_bytes: node === "web-4" ? 2 : 1,
      to_bytes: 3,
    }));
    const apart = renderCheck({ ...result(nodes(4), () => [write]), diffs }, view, PLAIN);
    expect(apart.split("\n").slice(-6, -3)).toEqual([
      "web-4  drift (1 item)",
      "  drift  write  file:/etc/a  edge · absent",
      "    │ binary, 2 bytes → 3 bytes",
    ]);
  });

  test("of many, the first are named", () => {
    const text = renderCheck(
      result(
        nodes(40).filter((name) => name !== "web-5"),
        () => [],
      ),
      view,
      PLAIN,
    );
    expect(text.split("\n")[0]).toBe(
      `headless-server · ${nodes(13)
        .filter((name) => name !== "web-5")
        .join(" ")} and 27 more  drift`,
    );
  });

  test("apply says it once too", () => {
    const names = nodes(4);
    const text = renderApply(
      {
        reports: names.flatMap((name) => [report(name, [write], "before"), report(name, [], "after")]),
        outcomes: names.map((node) => ({ node, outcome: "converged", message: "" }) as const),
      },
      VIEW,
      PLAIN,
    );
    expect(text.split("\n").slice(0, 2)).toEqual([
      "server · web-1 web-2 web-3 web-4  converged",
      "  done  write  file:/etc/a",
    ]);
  });
});

test("a partial run ends with what it left out", () => {
  const leftOut = { nodes: ["a", "b", "c", "d", "e", "f"], roles: ["host"] };
  const text = renderCheck({ reports: [], outcomes: [] }, { ...VIEW, leftOut }, PLAIN);
  expect(text.split("\n").at(-2)).toBe("left out, as asked: 6 nodes (a, b, c, d, e, …), 1 role (host)");
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
