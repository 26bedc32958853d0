import { describe, expect, it } from "vitest";
import { mergedReport } from "../../src/plan/merge-report.ts";
import { nodeReportText } from "../../src/plan/record-files.ts";
import type { RecordedItem } from "../../src/plan/recorded-items.ts";
import { recordedItems } from "../../src/plan/recorded-items.ts";
import { digestOf, item, MACHINE, report } from "./recorded.ts";

const EARLIER = "2026-11-02T10:00:00Z";
const LATER = "2026-11-30T10:00:00Z";
const later = (over: Partial<RecordedItem> = {}) => item({ discovered_at: LATER, ...over });

function env(hash: string, vars: Record<string, unknown> = {}): RecordedItem {
  return item({
    resource: { type: "env", id: "env:/etc/env" },
    declared: { vars: { LOG: "info", TOKEN: { secret_ref: "env:TOKEN" } } },
    observed: { exists: true, mode: "0640", vars: { LOG: "info", TOKEN: hash, OLD: hash, ...vars } },
  });
}

describe("a report after another look", () => {
  it("is the same bytes when nothing differs but the time and the key of the hashes", () => {
    const before = mergedReport(undefined, report({ items: [item(), env("hmac:01")] }));
    const again = mergedReport(before, report({ items: [{ ...env("hmac:02"), discovered_at: LATER }, later()] }));
    expect(nodeReportText(again)).toBe(nodeReportText(before));
    expect(nodeReportText(before)).not.toContain("hmac:");
  });

  it.each<[string, Partial<RecordedItem>]>([
    ["what is observed", { observed: { mode: "0600" } }],
    ["what is declared", { declared: { path: "/etc/edge", mode: "0600" } }],
    ["the verb", { action_to_apply: { verb: "chmod" } }],
    ["the resource", { resource: { type: "file", id: "file:/etc/other" } }],
    ["the role", { role: "web" }],
  ])("says that an item is new when %s differs", (_what, over) => {
    const merged = mergedReport(report({ items: [item()] }), report({ items: [later(over)] }));
    expect(merged.items.map(({ discovered_at }) => discovered_at)).toEqual([LATER]);
  });

  it("keeps the first sight over any number of looks, and forgets it once the item was gone", () => {
    const first = report({ items: [item()] });
    const third = mergedReport(mergedReport(first, report({ items: [later()] })), report({ items: [later()] }));
    expect(third.items[0]?.discovered_at).toBe(EARLIER);
    const back = mergedReport(mergedReport(first, report()), report({ items: [later()] }));
    expect(back.items[0]?.discovered_at).toBe(LATER);
  });

  it("keeps what a partial look was not about, and nothing of what it was about", () => {
    const web = item({ role: "web" });
    const agent = item({ role: "agent:scribe", resource: { type: "file", id: "f" } });
    const digests = { "role:edge": digestOf("1"), "role:web": digestOf("2") };
    const before = report({ items: [item(), web, agent], digests });
    const next = report({ items: [], digests: { "role:edge": digestOf("3") } });
    const merged = mergedReport(before, next, new Set(["role:edge"]));
    expect(merged.items).toEqual([agent, web]);
    expect(merged.digests).toEqual({ "role:edge": digestOf("3"), "role:web": digestOf("2") });
    // A look that no longer compares a unit, because it left, leaves no digest of it behind.
    const left = mergedReport(before, report({ digests: {} }), new Set(["role:web"]));
    expect(left.digests).toEqual({ "role:edge": digestOf("1") });
    expect(mergedReport(before, next).items).toEqual([]);
  });

  it("keeps nothing of another machine", () => {
    const before = report({ items: [item(), item({ role: "web" })], machine_id: digestOf("b") });
    const next = report({ items: [later()], machine_id: MACHINE });
    expect(mergedReport(before, next, new Set(["role:edge"]))).toEqual(next);
  });
});

describe("items on the record", () => {
  it("show of an environment file what the repository says in clear, and nothing else", () => {
    const [recorded] = recordedItems([env("hmac:01", { LOG: "debug", toString: "hmac:02" })]);
    expect(recorded?.observed).toEqual({
      exists: true,
      mode: "0640",
      vars: { LOG: "hidden", TOKEN: "hidden", OLD: "hidden", toString: "hidden" },
    });
    expect(recordedItems([env("x")])[0]?.observed).toMatchObject({ vars: { LOG: "info", TOKEN: "hidden" } });
  });

  it("stay as they are when they hold no values, and are not changed in place", () => {
    const original = env("hmac:01");
    const copy = structuredClone(original);
    recordedItems([original]);
    expect(original).toEqual(copy);
    const absent = item({ resource: { type: "env", id: "e" }, observed: null });
    expect(recordedItems([absent, item()])).toEqual([absent, item()]);
  });
});
