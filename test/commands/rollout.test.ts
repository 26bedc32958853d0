import { describe, expect, it } from "vitest";
import { MemoryRefs } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import type { CommandResult } from "../../src/commands/result.ts";
import { runRolloutGet, runRolloutList, runRolloutNodes, runRolloutStatus } from "../../src/commands/rollout-read.ts";
import { runRolloutSignal, type Word } from "../../src/commands/rollout-signal.ts";
import type { RolloutDoors } from "../../src/commands/rollout-view.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { rolloutDocumentSchema } from "../../src/model/rollout-document.ts";
import type { NewRolloutEvent, RolloutEventBody } from "../../src/model/rollout-event.ts";
import { appendEvents } from "../../src/plan/append-events.ts";
import { readSegments } from "../../src/plan/read-segments.ts";
import type { ObservedFiles } from "../../src/ports.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { begin, created, fail, pass, paused, STARTED, succeed, unplaced } from "../plan/rollout-log.ts";

const FILES = textFiles({
  "roster/fleet.yaml": "version: 2\ngeneration: 7\n",
  "roster/nodes/a.yaml": "name: a\nclass: web\nos: linux\naddress: 192.0.2.1\nroles: [edge]\n",
  "host-roles/edge.yaml":
    "role: edge\nversion: 1\ndescription: d\nresources:\n  - { type: directory, path: /srv/edge }\n",
});
const CURRENT = loadDesired(FILES).state?.roles.get("edge")?.digest ?? "";
const OLD = "0123456789ab".padEnd(64, "c");
const clock = { now: () => new Date("2026-11-30T12:00:00Z") };

const ROUND = created([["a"], ["b"], ["c", "d"]], { digest: CURRENT });
const GATE: readonly RolloutEventBody[] = [ROUND, STARTED, begin("a", 0), fail("a"), paused()];

/** A record that holds these logs, each by its digest. */
function recordOf(...logs: readonly (readonly [string, readonly RolloutEventBody[]])[]): MemoryRefs {
  const refs = new MemoryRefs();
  for (const [digest, bodies] of logs) {
    const writes = appendEvents(snapshotOf(refs), "role:edge", digest, "run-1", bodies.map(unplaced));
    refs.observed = { files: new Map([...refs.observed.files, ...(writes as Map<string, string>)]), commits: [] };
  }
  return refs;
}

function snapshotOf({ observed: { files } }: MemoryRefs): ObservedFiles {
  return { commit: null, paths: [...files.keys()].sort(), read: (path) => files.get(path) };
}

function doorsTo(refs: MemoryRefs, faults: readonly StoreFault[] = [], main: boolean = true): RolloutDoors {
  return {
    store: () => new MemoryStore(refs, clock, faults),
    clock,
    repository: {
      main: async () => (main ? { branch: "main", commit: "c".repeat(40) } : null),
      at: async () => FILES,
      workingTree: async () => FILES,
    },
  };
}

function word(say: Word["say"], more: Partial<Word> = {}): Word {
  const rest = { nodes: [], reason: null, acceptAlreadyTrue: false, by: "octocat", runId: "run-2" };
  return { unit: "role:edge", say, ...rest, ...more };
}

const events = (refs: MemoryRefs) => [...readSegments(snapshotOf(refs), []).values()].flat();
const documentOf = (result: CommandResult) => result.document as Record<string, unknown>;
const errorOf = (result: CommandResult) => documentOf(result).error as Record<string, unknown>;
const text = (result: CommandResult) => result.text(PLAIN);

describe("rollout signals", () => {
  it("are one event, after all others, and nothing else", async () => {
    const refs = recordOf([CURRENT, GATE]);
    const result = await runRolloutSignal(doorsTo(refs), word("resume", { reason: "looked at it" }));
    expect(result.exitCode).toBe(0);
    expect(events(refs).at(-1)).toEqual({
      ...{ seq: 6, at: "2026-11-30T12:00:00.000Z", run_id: "run-2", actor: "octocat" },
      ...{ event: "signal", signal: "resume", nodes: [], reason: "looked at it", accept_already_true: false },
    });
    expect(refs.observed.commits.map(({ subject, paths }) => [subject, paths])).toEqual([
      ["chore(rollout): resume role:edge", [`rollouts/role/edge/${CURRENT.slice(0, 12)}/run-2.jsonl`]],
    ]);
    expect(documentOf(result)).toMatchObject({ recorded: true, state_before: "paused", state: "running" });
    expect(text(result)).toBe(
      `resume role:edge@${CURRENT.slice(0, 12)} by octocat: "looked at it"\n` +
        "  paused → running; a run at work sees it before its next wave, otherwise the next run goes on\n",
    );
  });

  it("take a new place when somebody else wrote meanwhile", async () => {
    const refs = recordOf([CURRENT, [ROUND, STARTED]]);
    const path = `rollouts/role/edge/${CURRENT.slice(0, 12)}/run-3.jsonl`;
    const own = (bodies: readonly NewRolloutEvent[]) =>
      appendEvents(snapshotOf(refs), "role:edge", CURRENT, "run-3", bodies);
    const writes = own([begin("a", 0), succeed("a")].map(unplaced));
    const result = await runRolloutSignal(doorsTo(refs, [{ on: "record", fault: "race", writes }]), word("pause"));
    expect(result.exitCode).toBe(0);
    expect(refs.observed.files.has(path)).toBe(true);
    expect(events(refs).map(({ seq, event }) => [seq, event])).toEqual([
      [1, "created"],
      [2, "started"],
      [3, "node-started"],
      [4, "node-succeeded"],
      [5, "signal"],
    ]);
  });

  it("are held against the newest state, not the one that was read first", async () => {
    const refs = recordOf([CURRENT, [ROUND, STARTED]]);
    const bodies: RolloutEventBody[] = [{ event: "superseded", by: "another" }];
    const writes = appendEvents(snapshotOf(refs), "role:edge", CURRENT, "run-3", bodies.map(unplaced));
    const result = await runRolloutSignal(doorsTo(refs, [{ on: "record", fault: "race", writes }]), word("pause"));
    expect([result.exitCode, errorOf(result).code]).toEqual([2, "wrong-state"]);
    expect(events(refs).map(({ event }) => event)).not.toContain("signal");
  });

  it.each<[string, Word, number, string]>([
    ["of a state that does not admit it", word("pause"), 2, "wrong-state"],
    ["rollback", word("rollback"), 2, "revert-instead"],
    ["approve-canary", word("approve-canary"), 2, "no-approval"],
    ["start of one that has not ended", word("start"), 2, "wrong-state"],
    ["of a node that it does not know", word("skip", { nodes: ["zz"], reason: "r" }), 2, "unknown-node"],
    ["of a unit that is not there", word("pause", { unit: "role:egde" }), 2, "unknown-unit"],
    ["of a rollout that is not there", word("pause", { unit: "role:edge@ffffffff" }), 2, "unknown-rollout"],
    ["force without a reason", word("force"), 64, "reason-missing"],
    ["skip without a reason", word("skip", { nodes: ["a"] }), 64, "reason-missing"],
    ["accepting without a reason", word("resume", { acceptAlreadyTrue: true }), 64, "reason-missing"],
    ["an empty reason", word("pause", { reason: " " }), 64, "reason-missing"],
    ["nodes where none belong", word("resume", { nodes: ["a"] }), 64, "usage"],
  ])("refuse %s, and write nothing", async (_what, wanted, exitCode, code) => {
    const refs = recordOf([CURRENT, GATE]);
    const before = refs.observed;
    const result = await runRolloutSignal(doorsTo(refs), wanted);
    expect([result.exitCode, errorOf(result).code]).toEqual([exitCode, code]);
    expect(refs.observed).toBe(before);
  });

  it("say what was probably meant", async () => {
    const hint = async (unit: string) =>
      errorOf(await runRolloutSignal(doorsTo(recordOf()), word("pause", { unit }))).hint;
    expect(await hint("role:egde")).toBe("did you mean role:edge?");
    expect(await hint("edge")).toBe("did you mean role:edge?");
    expect(await hint("role:nothing-like-it")).toBe("units here: role:edge");
  });

  it("go to the rollout that has not ended, though main asks for another digest", async () => {
    const refs = recordOf([OLD, [{ ...ROUND, digest: OLD }, STARTED]]);
    const result = await runRolloutSignal(doorsTo(refs), word("pause"));
    expect(documentOf(result)).toMatchObject({ id: "role:edge@0123456789ab", state: "paused", current: false });
    const over = recordOf(
      [OLD, [{ ...ROUND, digest: OLD }, STARTED]],
      [CURRENT, [ROUND, STARTED, { event: "superseded", by: "x" }]],
    );
    expect(documentOf(await runRolloutSignal(doorsTo(over), word("pause"))).id).toBe("role:edge@0123456789ab");
  });

  it("reach a rollout even when nobody can say what main asks for", async () => {
    const result = await runRolloutSignal(doorsTo(recordOf([CURRENT, [ROUND, STARTED]]), [], false), word("pause"));
    expect([result.exitCode, documentOf(result).current]).toEqual([0, null]);
  });

  it("answer 1 with the remote's reason when nothing can be written", async () => {
    const refs = recordOf([CURRENT, GATE]);
    const faults: StoreFault[] = [{ on: "record", fault: "refused", message: "protected" }];
    const result = await runRolloutSignal(doorsTo(refs, faults), word("resume"));
    expect([result.exitCode, errorOf(result)]).toMatchObject([1, { code: "push-refused", message: "protected" }]);
  });
});

describe("rollout start", () => {
  const canceled: readonly RolloutEventBody[] = [
    ...GATE,
    { event: "signal", signal: "cancel", nodes: [], reason: null, accept_already_true: false },
  ];

  it("asks for a new round, once", async () => {
    const refs = recordOf([CURRENT, canceled]);
    expect(documentOf(await runRolloutSignal(doorsTo(refs), word("start")))).toMatchObject({ recorded: true });
    expect(events(refs).at(-1)).toMatchObject({ event: "start-requested", seq: 7 });
    const again = await runRolloutSignal(doorsTo(refs), word("start"));
    expect([again.exitCode, documentOf(again).recorded, events(refs).length]).toEqual([0, false, 7]);
    expect(documentOf(await runRolloutStatus(doorsTo(refs), "role:edge")).waits_for).toBe(
      "the next run, which begins a new round",
    );
  });

  it("has nothing to ask where the next run begins by itself", async () => {
    const refs = recordOf();
    const result = await runRolloutSignal(doorsTo(refs), word("start"));
    expect([result.exitCode, documentOf(result).recorded, refs.observed.commits]).toEqual([0, false, []]);
  });

  it("is refused for what main no longer asks for", async () => {
    const old = canceled.map(
      (event): RolloutEventBody => (event.event === "created" ? { ...event, digest: OLD } : event),
    );
    const result = await runRolloutSignal(doorsTo(recordOf([OLD, old])), word("start"));
    expect([result.exitCode, errorOf(result)]).toMatchObject([2, { code: "not-current", hint: /revert role:edge/ }]);
  });
});

describe("reading rollouts", () => {
  it("get is the folded state as the schema says", async () => {
    const { exitCode, document } = await runRolloutGet(doorsTo(recordOf([CURRENT, GATE])), "role:edge");
    expect(exitCode).toBe(0);
    expect(rolloutDocumentSchema.parse(document)).toEqual(document);
    expect(document).toMatchObject({ state: "paused", current: true, wave: 0, reason: { code: "wave-gate" } });
  });

  it("status says where it stands, what it waits for and what to type", async () => {
    const result = await runRolloutStatus(doorsTo(recordOf([CURRENT, GATE])), `role:edge@${CURRENT.slice(0, 6)}`);
    expect(result.exitCode).toBe(1);
    expect(text(result)).toBe(
      [
        `role:edge@${CURRENT.slice(0, 12)}  paused (wave-gate)  round 1`,
        "  the gate is shut",
        "  generation 7, commit cccccccccccc, created by octocat 2026-11-30 10:00 UTC, last event 2026-11-30 10:00 UTC",
        "",
        "> wave 1  0/1 applied  a failed",
        "  wave 2  0/1 applied  b pending",
        "  wave 3  0/2 applied  c pending, d pending",
        "  canary: ",
        "",
        "waits for an operator's word: wave 1: a failed",
        "next: rollcall rollout retry role:edge                what failed is tried again",
        "      rollcall rollout resume role:edge               it goes on, and what failed in this wave is tried again",
        '      rollcall rollout skip role:edge a --reason "…"  goes on without it',
        '      rollcall rollout force role:edge --reason "…"   the gate opens without proof',
        "      rollcall rollout cancel role:edge               it ends here; what is done stays done",
        "",
      ].join("\n"),
    );
  });

  it("nodes is a line for each, and text of nodes is made harmless", async () => {
    const evil: RolloutEventBody = { event: "node-failed", node: "a", outcome: "failed", message: "\u001b[2Jgone" };
    const refs = recordOf([CURRENT, [ROUND, STARTED, begin("a", 0), evil]]);
    const result = await runRolloutNodes(doorsTo(refs), "role:edge");
    expect(text(result).split("\n").slice(1, 3)).toEqual([
      "a  wave 1  failed   1 attempt  2026-11-30 10:00 UTC  failed: \\x1b[2Jgone",
      "b  wave 2  pending",
    ]);
    expect((documentOf(result).nodes as unknown[]).length).toBe(4);
  });

  it("list has what main asks for first, what has not ended next, and history only with --all", async () => {
    const done: RolloutEventBody[] = [STARTED, ...["a"].flatMap((node) => [begin(node, 0), succeed(node)]), pass(0)];
    const small = (digest: string) => created([["a"]], { digest });
    const ended = small("9".repeat(64));
    const refs = recordOf(
      [OLD, [small(OLD), STARTED]],
      [CURRENT, [small(CURRENT), ...done, { event: "completed" }]],
      ["9".repeat(64), [ended, ...done, { event: "completed" }]],
    );
    const ids = async (all: boolean) => {
      const result = await runRolloutList(doorsTo(refs), { all });
      return (documentOf(result).rollouts as { id: string }[]).map(({ id }) => id);
    };
    const shown = [`role:edge@${CURRENT.slice(0, 12)}`, "role:edge@0123456789ab"];
    expect(await ids(false)).toEqual(shown);
    expect(await ids(true)).toEqual([...shown, "role:edge@999999999999"]);
    const lines = text(await runRolloutList(doorsTo(refs), { all: false })).split("\n");
    expect(lines[0]).toContain("completed  1/1 applied  round 1");
    expect(lines[1]).toContain(
      "running    0/1 applied  wave 1 of 1, round 1  2026-11-30 10:00 UTC · not what main asks for",
    );
    expect(lines[2]).toBe("1 older rollout; --all shows it");
  });

  it("says when there is none yet, 1, and when the unit is not there, 2", async () => {
    const none = await runRolloutStatus(doorsTo(recordOf()), "role:edge");
    expect([none.exitCode, errorOf(none).code]).toEqual([1, "no-rollout"]);
    const unknown = await runRolloutNodes(doorsTo(recordOf()), "parcel:x1");
    expect([unknown.exitCode, errorOf(unknown).code]).toEqual([2, "unknown-unit"]);
    expect(text(await runRolloutList(doorsTo(recordOf()), { all: true }))).toContain("no rollout yet");
  });

  it("writes nothing", async () => {
    const refs = recordOf([CURRENT, GATE]);
    const before = { ...refs };
    const doors = doorsTo(refs);
    await runRolloutList(doors, { all: true });
    for (const read of [runRolloutGet, runRolloutStatus, runRolloutNodes]) await read(doors, "role:edge");
    expect({ ...refs }).toEqual(before);
    expect(refs.observed).toBe(before.observed);
  });

  it("says that a log is damaged", async () => {
    const refs = recordOf([CURRENT, GATE]);
    const files = new Map(refs.observed.files).set(`rollouts/role/edge/${CURRENT.slice(0, 12)}/z.jsonl`, "not json\n");
    refs.observed = { ...refs.observed, files };
    expect(text(await runRolloutStatus(doorsTo(refs), "role:edge"))).toContain("damaged rollouts/role/edge/");
  });
});
