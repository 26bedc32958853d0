import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DriftItem, driftItemSchema, SEVERITIES } from "../../src/model/drift-item.ts";
import { driftStats, isConverged } from "../../src/model/drift-report.ts";
import { mergeQuestions, NO_QUESTIONS, type NodeQuestions, unitKey } from "../../src/model/node-question.ts";

const item = (severity: DriftItem["severity"]): DriftItem => ({
  host: "web-01",
  role: "edge",
  resource: { type: "file", id: "file:/etc/x" },
  declared: {},
  observed: null,
  action_to_apply: { verb: severity === "drift" ? "write" : "noop", params: {} },
  severity,
  idempotent: true,
  discovered_at: "2026-05-06T10:00:00.000Z",
});

describe("a report", () => {
  it("counts each item once in each of its three ways", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SEVERITIES).map(item)), (items) => {
        for (const counts of Object.values(driftStats(items))) {
          expect(Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count, 0)).toBe(
            items.length,
          );
        }
      }),
    );
    expect(driftStats([item("drift"), item("drift"), item("warn")])).toEqual({
      by_severity: { drift: 2, warn: 1 },
      by_verb: { write: 2, noop: 1 },
      by_resource_type: { file: 3 },
    });
  });

  it("is converged when all it holds are warnings", () => {
    expect(
      [[], ["warn"], ["drift"], ["warn", "error"]].map((all) => isConverged(all.map((one) => item(one as never)))),
    ).toEqual([true, true, false, false]);
  });
});

describe("the drift item's schema", () => {
  it("takes what we make", () => expect(driftItemSchema.safeParse(item("drift")).success).toBe(true));

  it.each(["host", "role", "resource", "declared", "observed", "action_to_apply", "severity"])("wants %s", (key) => {
    const { [key]: _left, ...rest } = item("drift") as unknown as Record<string, unknown>;
    expect(driftItemSchema.safeParse(rest).success).toBe(false);
  });

  it("wants words of the closed sets", () => {
    for (const wrong of [
      { severity: "info" },
      { action_to_apply: { verb: "unmask" } },
      { resource: { type: "cron", id: "x" } },
    ]) {
      expect(driftItemSchema.safeParse({ ...item("drift"), ...wrong }).success).toBe(false);
    }
  });
});

describe("questions", () => {
  const path = fc.constantFrom("/a", "/b", "/c");
  const unit = fc.record({ name: fc.constantFrom("x.service", "y.timer"), user: fc.constantFrom(null, "ann") });
  const questions: fc.Arbitrary<NodeQuestions> = fc.record({
    packages: fc.array(fc.constantFrom("curl", "git", "libc6:i386")),
    paths: fc.array(fc.record({ path, hash: fc.boolean(), entries: fc.boolean() })),
    units: fc.array(unit),
    texts: fc.array(path),
  });

  it("merged ask for all that the parts ask for, and for nothing else or twice", () => {
    fc.assert(
      fc.property(fc.array(questions), (parts) => {
        const merged = mergeQuestions(parts);
        const all = parts.flatMap((part) => part.paths);
        expect(new Set(merged.packages)).toEqual(new Set(parts.flatMap((part) => part.packages)));
        expect(merged.packages.length).toBe(new Set(merged.packages).size);
        expect(new Set(merged.units.map(unitKey))).toEqual(new Set(parts.flatMap((part) => part.units).map(unitKey)));
        expect(merged.units.length).toBe(new Set(merged.units.map(unitKey)).size);
        expect(merged.paths.map((one) => one.path)).toEqual([...new Set(all.map((one) => one.path))]);
        for (const one of merged.paths) {
          const same = all.filter((other) => other.path === one.path);
          expect([one.hash, one.entries]).toEqual([
            same.some((other) => other.hash),
            same.some((other) => other.entries),
          ]);
        }
      }),
    );
    expect(mergeQuestions([])).toEqual(NO_QUESTIONS);
  });

  it("keep a user's unit apart from the system's", () => {
    const keys = ["x.service", "agents@scribe.service"].flatMap((name) =>
      [null, "ann", "x"].map((user) => unitKey({ name, user })),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});
