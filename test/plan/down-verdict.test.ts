import { describe, expect, it } from "vitest";
import type { Heartbeat } from "../../src/model/node-record.ts";
import { downStanding } from "../../src/plan/down-verdict.ts";
import { heartbeat } from "./recorded.ts";

const NOW = new Date("2026-11-30T10:00:00Z");
const asked = (at: string, passed: boolean): Partial<Heartbeat> => ({
  observed_at: null,
  recheck: { at, passed, message: "" },
});

describe("a down verdict", () => {
  it.each<[string, { since: string; recheck?: string }, Partial<Heartbeat> | null, string]>([
    ["of today", { since: "2026-11-30T09:00:00Z" }, null, "live until 2026-12-30T09:00:00.000Z"],
    ["a second before its 30 days end", { since: "2026-10-31T10:00:01Z" }, null, "live until 2026-11-30T10:00:01.000Z"],
    ["when its 30 days end", { since: "2026-10-31T10:00:00Z" }, null, "expired until 2026-11-30T10:00:00.000Z"],
    ["with an offset", { since: "2026-10-31T12:00:01+02:00" }, null, "live until 2026-11-30T10:00:01.000Z"],
    ["that is a date", { since: "2026-11-29" }, null, "live until 2026-12-29T00:00:00.000Z"],
    ["of tomorrow, where it has begun already", { since: "2026-12-01" }, null, "live until 2026-12-31T00:00:00.000Z"],
    ["of next year", { since: "2027-11-29" }, null, "expired until null"],
    ["that nobody can date", { since: "last week" }, null, "expired until null"],
    [
      "whose recheck passed since",
      { since: "2026-11-29T00:00:00Z" },
      asked("2026-11-29T08:00:00Z", true),
      "refuted until 2026-12-29T00:00:00.000Z",
    ],
    [
      "whose recheck passed before",
      { since: "2026-11-29T00:00:00Z" },
      asked("2026-11-28T08:00:00Z", true),
      "live until 2026-12-29T00:00:00.000Z",
    ],
    [
      "whose recheck failed since",
      { since: "2026-11-29T00:00:00Z" },
      asked("2026-11-29T08:00:00Z", false),
      "live until 2026-12-29T00:00:00.000Z",
    ],
    [
      "of a day on which its recheck passed, perhaps before",
      { since: "2026-11-29" },
      asked("2026-11-29T08:00:00Z", true),
      "live until 2026-12-29T00:00:00.000Z",
    ],
    [
      "of a day after which its recheck passed",
      { since: "2026-11-29" },
      asked("2026-11-30T08:00:00Z", true),
      "refuted until 2026-12-29T00:00:00.000Z",
    ],
    ["of a node that was read since", { since: "2026-11-30T08:00:00Z" }, {}, "refuted until 2026-12-30T08:00:00.000Z"],
    [
      "of a node that was read since and has fallen silent again",
      { since: "2026-11-30T08:00:00Z" },
      { failing_since: "2026-11-30T09:30:00Z" },
      "live until 2026-12-30T08:00:00.000Z",
    ],
    [
      "that asks for more than to be reached",
      { since: "2026-11-30T08:00:00Z", recheck: "ping -c1 x" },
      {},
      "live until 2026-12-30T08:00:00.000Z",
    ],
  ])("%s", (_what, verdict, beat, expected) => {
    const down = { reason: "psu dead", recheck: "reachable", by: "octocat", ...verdict };
    const standing = downStanding(down, beat === null ? undefined : heartbeat(beat), NOW);
    expect("until" in standing ? `${standing.standing} until ${standing.until}` : standing.standing).toBe(expected);
  });

  it("is none where nobody has said so", () => {
    expect(downStanding(null, heartbeat(), NOW)).toEqual({ standing: "none" });
  });
});
