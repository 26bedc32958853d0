import { describe, expect, it } from "vitest";
import type { Heartbeat } from "../../src/model/node-record.ts";
import { silenceOf } from "../../src/plan/silence.ts";
import { heartbeat } from "./recorded.ts";

const NOW = new Date("2026-11-30T10:00:00Z");
const HOUR = 3_600_000;
const failing = {
  outcome: "unreachable",
  message: "connection refused",
  failing_since: "2026-11-29T00:00:00Z",
} as const;

describe("silence", () => {
  it.each<[string, Partial<Heartbeat> | undefined, string | null, string | null]>([
    ["no heartbeat at all", undefined, "never-reported", null],
    ["attempted without an answer, ever", { observed_at: null, ...failing }, "unreachable", "2026-11-29T00:00:00Z"],
    ["never observed and not failing", { observed_at: null }, "never-reported", null],
    ["did not answer the last time, however fresh", failing, "unreachable", "2026-11-29T00:00:00Z"],
    ["read a moment ago", {}, null, null],
    ["read just within the time", { observed_at: "2026-11-29T10:00:00Z" }, null, null],
    ["read a second too long ago", { observed_at: "2026-11-29T09:59:59Z" }, "stale", "2026-11-29T09:59:59Z"],
    ["a clock a little ahead", { observed_at: "2026-11-30T11:00:00+00:00" }, null, null],
    ["a clock a year ahead", { observed_at: "2027-11-30T10:00:00Z" }, "stale", "2027-11-30T10:00:00Z"],
  ])("%s", (_what, over, reason, since) => {
    const silence = silenceOf(over === undefined ? undefined : heartbeat(over), NOW, 24 * HOUR);
    expect(silence === null ? [null, null] : [silence.reason, silence.since]).toEqual([reason, since]);
  });

  it("says what the last attempt came to", () => {
    expect(silenceOf(heartbeat(failing), NOW, HOUR)?.detail).toBe("unreachable: connection refused");
  });
});
