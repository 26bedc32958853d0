import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HEARTBEATS,
  liveReportPath,
  nodeReportPath,
  nodeStatePath,
  segmentPath,
} from "../../src/model/observed-layout.ts";
import type { RolloutEvent } from "../../src/model/rollout-event.ts";
import type { ReadBefore } from "../../src/plan/read-before.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import {
  eventLines,
  heartbeatsText,
  nodeReportText,
  nodeStateText,
  reconciledText,
} from "../../src/plan/record-files.ts";
import { digestOf, heartbeat, item, MACHINE, marker, observedFiles, report } from "./recorded.ts";

const NONE = observedFiles({});
const STATE = { v: 1 as const, node: "web-01", machine_id: MACHINE, markers: [marker()] };
const DIGEST = digestOf("1");

function event(seq: number, body: Partial<RolloutEvent> = { event: "started" }): RolloutEvent {
  return { seq, at: "2026-11-30T10:00:00Z", run_id: "r", actor: "octocat", ...body } as RolloutEvent;
}

describe("the record", () => {
  it("gives back what the encoders wrote", () => {
    const heartbeats = new Map([
      ["web-01", heartbeat()],
      ["db-02", heartbeat({ observed_at: null })],
    ]);
    const older = report({ node: "db-02", items: [item({ host: "db-02" })] });
    const reconciled = { v: 1 as const, generation: 42, commit: "e".repeat(40) };
    const observed = observedFiles({
      "fleet.json": reconciledText(reconciled),
      [nodeStatePath("web-01")]: nodeStateText(STATE),
      [nodeReportPath("db-02")]: nodeReportText(older),
      [nodeReportPath("web-01")]: nodeReportText(report({ items: [item()] })),
      "board.md": "# Board\n",
      "incidents/1.json": "{",
    });
    const live = observedFiles({
      [HEARTBEATS]: heartbeatsText(heartbeats),
      [liveReportPath("web-01")]: nodeReportText(report()),
    });
    const record = readRecord(observed, live);
    expect(record).toEqual({
      commit: "d".repeat(40),
      reconciled,
      states: new Map([["web-01", STATE]]),
      reports: new Map([
        ["db-02", older],
        ["web-01", report()],
      ]),
      heartbeats,
      rollouts: new Map(),
      damaged: [],
    });
  });

  it("is empty where nothing is recorded yet", () => {
    const empty = readRecord({ ...NONE, commit: null }, NONE);
    expect([empty.commit, empty.reconciled, empty.states.size, empty.damaged]).toEqual([null, null, 0, []]);
  });

  it.each<[string, string, string, string]>([
    ["no JSON", nodeStatePath("web-01"), "{", "it is not JSON"],
    ["another version", nodeStatePath("web-01"), nodeStateText({ ...STATE, v: 2 as 1 }), "it is of version 2"],
    ["a key more", nodeStatePath("web-01"), nodeStateText({ ...STATE, more: 1 } as typeof STATE), "more"],
    ["another node", nodeStatePath("web-02"), nodeStateText(STATE), "it is of web-01"],
    ["another folder", "nodes/zz/web-01/state.json", nodeStateText(STATE), "it is of web-01"],
    [
      "two markers of one unit",
      nodeStatePath("web-01"),
      nodeStateText({ ...STATE, markers: [marker(), marker({ digest: digestOf("9") })] }),
      "two markers",
    ],
    [
      "an item of another node",
      nodeReportPath("web-01"),
      nodeReportText(report({ items: [item({ host: "db-02" })] })),
      "item of another node",
    ],
    ["a generation of 0", "fleet.json", reconciledText({ v: 1, generation: 0, commit: "e".repeat(40) }), "generation"],
    [
      "an event of another rollout",
      segmentPath("role:edge", DIGEST, "r"),
      eventLines([created(digestOf("9"))]),
      "line 1: it begins another rollout",
    ],
    [
      "half an event",
      segmentPath("role:edge", DIGEST, "r"),
      eventLines([event(1)]).slice(0, -9),
      "line 1: it is not JSON",
    ],
  ])("lists a file with %s and does without it", (_what, path, text, says) => {
    const record = readRecord(observedFiles({ [path]: text }), NONE);
    expect(record.damaged).toMatchObject([{ path, message: expect.stringContaining(says) }]);
    expect([record.states.size, record.reports.size, record.reconciled]).toEqual([0, 0, null]);
    expect([...record.rollouts.values()].flat()).toEqual([]);
  });

  it("tells a file that a newer rollcall wrote from one that is broken", () => {
    const path = nodeStatePath("web-01");
    const newer = JSON.stringify({ ...STATE, v: 99, proofs: [] });
    const message = "it is of version 99, and this rollcall knows 1";
    expect(readRecord(observedFiles({ [path]: newer }), NONE).damaged).toEqual([{ path, message, newer: true }]);
  });

  it("keeps the older report where the live one is damaged", () => {
    const observed = observedFiles({ [nodeReportPath("web-01")]: nodeReportText(report()) });
    const record = readRecord(observed, observedFiles({ [liveReportPath("web-01")]: "[]" }));
    expect(record.reports.get("web-01")).toEqual(report());
    expect(record.damaged.map(({ path }) => path)).toEqual([liveReportPath("web-01")]);
  });

  it("loses no heartbeat over another one that is damaged", () => {
    const nodes = { "web-01": heartbeat(), "db-02": { ...heartbeat(), outcome: "fine" }, "../x": heartbeat() };
    const text = JSON.stringify({ v: 1, nodes });
    const record = readRecord(NONE, observedFiles({ [HEARTBEATS]: text }));
    expect([...record.heartbeats.keys()]).toEqual(["web-01"]);
    expect(record.damaged.map(({ message }) => message.slice(0, 5))).toEqual(["../x ", "db-02"]);
    const older = readRecord(NONE, observedFiles({ [HEARTBEATS]: text.replace('"v":1', '"v":2') }));
    expect([older.heartbeats.size, older.damaged.length]).toEqual([0, 1]);
  });

  it("keeps the lines of a damaged segment that can be read: a cancel must not be lost", () => {
    const cancel = event(3, { event: "signal", signal: "cancel", nodes: [], reason: null, accept_already_true: false });
    const text = `${eventLines([event(1)])}{"seq":2}\n${eventLines([cancel])}`;
    const record = readRecord(observedFiles({ [segmentPath("role:edge", DIGEST, "r")]: text }), NONE);
    expect(record.rollouts.get(`role:edge@${DIGEST.slice(0, 12)}`)).toEqual([event(1), cancel]);
    expect(record.damaged).toHaveLength(1);
  });

  it("read again parses only what has changed, and gives what reading it anew gives", () => {
    const log = segmentPath("role:edge", DIGEST, "run-1");
    const first = {
      [nodeStatePath("web-01")]: nodeStateText(STATE),
      [nodeReportPath("web-01")]: nodeReportText(report()),
      [nodeStatePath("db-02")]: "{",
      "fleet.json": reconciledText({ v: 1, generation: 42, commit: "e".repeat(40) }),
      [log]: eventLines([created(DIGEST)]),
    };
    const live = observedFiles({ [HEARTBEATS]: heartbeatsText(new Map([["web-01", heartbeat()]])).replace("}", "},") });
    const { [nodeReportPath("web-01")]: _gone, ...rest } = first;
    const second = {
      ...rest,
      [nodeStatePath("web-01")]: nodeStateText({ ...STATE, markers: [] }),
      [nodeStatePath("db-02")]: nodeStateText({ ...STATE, node: "db-02" }),
      "fleet.json": "[]",
      [log]: `${eventLines([created(DIGEST), event(2)])}nonsense\n`,
    };
    const before: ReadBefore = new Map();
    for (const files of [first, second, first, second]) {
      const observed = observedFiles(files);
      expect(readRecord(observed, live, before)).toEqual(readRecord(observed, live));
    }
    const once = readRecord(observedFiles(second), live, before);
    const again = readRecord(observedFiles({ ...second, [log]: eventLines([created(DIGEST)]) }), live, before);
    expect(again.states.get("db-02")).toBe(once.states.get("db-02"));
    expect(again.rollouts.get(`role:edge@${DIGEST.slice(0, 12)}`)).toHaveLength(1);
  });

  it("merges the segments of all runs in the order of seq, in whatever order the files come", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 30 }), fc.gen(), (runs, gen) => {
        const all = runs.map((run, index) => event(index + 1, { event: "started", run_id: `run-${run}` }));
        const segments = [0, 1, 2, 3].map((run): [string, string] => [
          segmentPath("role:edge", DIGEST, `run-${run}`),
          eventLines(all.filter(({ run_id }) => run_id === `run-${run}`)),
        ]);
        const shuffled = gen(fc.shuffledSubarray, segments, { minLength: 4 });
        const record = readRecord(observedFiles(new Map(shuffled)), NONE);
        expect(record.rollouts.get(`role:edge@${DIGEST.slice(0, 12)}`)).toEqual(all);
        expect(record.damaged).toEqual([]);
      }),
    );
  });
});

function created(digest: string): RolloutEvent {
  return event(1, {
    event: "created",
    unit: "role:edge",
    digest,
    round: 1,
    generation: 42,
    commit: "e".repeat(40),
    created_by: "octocat",
    strategy: "safe",
    targets: [],
    waves: [],
    reasons: { canary: "", second_look: { missing: false, why: "" }, warnings: [] },
    left_out: [],
  });
}

describe("equal meaning", () => {
  it("has equal bytes, whatever the order of keys, markers, items and nodes", () => {
    fc.assert(
      fc.property(fc.gen(), (gen) => {
        const units = ["role:a", "role:b", "role:c"].map((unit) => marker({ unit }));
        const items = ["x", "y", "z"].map((id) => item({ resource: { type: "file", id } }));
        const beats = ["a", "b", "c"].map((node): [string, ReturnType<typeof heartbeat>] => [node, heartbeat()]);
        const digests = Object.entries({ "role:a": DIGEST, "role:b": MACHINE });
        const mixed = <Value>(values: Value[]): Value[] =>
          gen(fc.shuffledSubarray<Value>, values, { minLength: values.length });
        const turned = <Value extends object>(value: Value) =>
          Object.fromEntries(mixed(Object.entries(value))) as Value;
        const state = { ...STATE, markers: units };
        expect(nodeStateText(turned({ ...state, markers: mixed(units).map(turned) }))).toBe(nodeStateText(state));
        const one = report({ items, digests: Object.fromEntries(digests) });
        const other = report({ items: mixed(items).map(turned), digests: Object.fromEntries(mixed(digests)) });
        expect(nodeReportText(turned(other))).toBe(nodeReportText(one));
        expect(heartbeatsText(new Map(mixed(beats)))).toBe(heartbeatsText(new Map(beats)));
        expect(eventLines([turned(event(1))])).toBe(eventLines([event(1)]));
      }),
    );
  });

  it("ends every file in one line feed", () => {
    const texts = [
      nodeStateText(STATE),
      nodeReportText(report()),
      heartbeatsText(new Map()),
      reconciledText({ v: 1, generation: 1, commit: "e".repeat(40) }),
      eventLines([event(1)]),
    ];
    for (const text of texts) expect(text).toMatch(/[^\n]\n$/);
    for (const text of texts) expect(() => JSON.parse(text)).not.toThrow();
  });
});
