import type { Marker } from "../model/marker.ts";
import type { NodeOutcome } from "../model/node-outcome.ts";
import type { Heartbeat, NodeReport, Reconciled } from "../model/node-record.ts";
import { BOARD_RECORD, segmentPath } from "../model/observed-layout.ts";
import type { NewRolloutEvent, RolloutEvent, RolloutEventBody } from "../model/rollout-event.ts";
import { rolloutId } from "../model/unit.ts";
import { appendEvents } from "../plan/append-events.ts";
import type { ObservedRecord } from "../plan/observed-record.ts";
import type { ReadBefore } from "../plan/read-before.ts";
import { readRecord } from "../plan/read-record.ts";
import type { Clock, HeldLock, ObservedFiles, ObservedStore, ObservedWrites, RecordAnswer, Secrets } from "../ports.ts";
import { forgotten } from "./forgotten-nodes.ts";
import { LiveNotes } from "./live-notes.ts";
import { overlaid } from "./overlaid-files.ts";
import { overtakenReports } from "./overtaken-reports.ts";
import { affectedIn, applyChange, filesOf, type RecordedChange } from "./recorded-change.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Whose ledger it is, and what it may say. */
export interface LedgerContext {
  readonly runId: string;
  /** Who stands behind the run, on every event. */
  readonly actor: string;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, "redact">;
  /** null: nothing excludes another run, and no record is bound to it. */
  readonly lock: HeldLock | null;
  /** Nodes whose files stay on the observed refs: those of the roster that are not retired. */
  readonly nodes: ReadonlySet<string>;
  /** `board.md` from the record; left out: it is not written. */
  readonly board?: (record: ObservedRecord) => string;
}

interface OwnLog {
  readonly unit: string;
  readonly digest: string;
  /** All that this run ever appended, in order: what its segment lacks of them is not recorded yet. */
  readonly events: NewRolloutEvent[];
}

/** Longest text of an event or a marker, characters. */
const WORDS_MOST = 4000;

/**
 * What a run knows and has to write (DESIGN §4). It begins with what the refs say; what the run finds out is part of
 * {@link record} at once, and of the refs with the next {@link flush}, which also brings what others wrote: signals.
 */
export class Ledger {
  readonly #store: ObservedStore;
  readonly #context: LedgerContext;
  readonly #live: LiveNotes;
  #liveFiles: ObservedFiles;
  /** Each flush reads the record anew, of which hardly anything has changed. */
  readonly #before: ReadBefore = new Map();
  readonly #logs = new Map<string, OwnLog>();
  #changes: RecordedChange[] = [];
  #known: WorkingRecord;
  #flushedAt: Date;

  private constructor(store: ObservedStore, context: LedgerContext, observed: ObservedFiles, live: ObservedFiles) {
    this.#store = store;
    this.#context = context;
    this.#live = new LiveNotes(context.nodes);
    this.#liveFiles = live;
    this.#known = workingCopy(readRecord(observed, live, this.#before));
    for (const { node, report, units } of overtakenReports(this.#known, observed))
      this.#live.report(node, report, units);
    this.#overlayLive();
    this.#flushedAt = context.clock.now();
  }

  static async open(store: ObservedStore, context: LedgerContext): Promise<Ledger> {
    const { observed, live } = await store.read();
    return new Ledger(store, context, observed, live);
  }

  /** As the refs said when they were last read, and all that this run has found out since. */
  get record(): ObservedRecord {
    return this.#known;
  }

  /** When the refs were last written or read anew. */
  get flushedAt(): Date {
    return this.#flushedAt;
  }

  append(unit: string, digest: string, body: RolloutEventBody): void {
    const id = rolloutId(unit, digest);
    const { runId, actor, clock, secrets } = this.#context;
    const event: NewRolloutEvent = {
      ...shortened(withoutSecrets(body, secrets)),
      at: clock.now().toISOString(),
      run_id: runId,
      actor,
    };
    const log = this.#logs.get(id) ?? { unit, digest, events: [] };
    this.#logs.set(id, log);
    log.events.push(event);
    placeEvent(this.#known, id, event);
  }

  prove(node: string, machineId: string | null, marker: Marker): void {
    const evidence = this.#context.secrets.redact(marker.evidence).slice(0, WORDS_MOST);
    this.#change({ kind: "proved", node, machineId, marker: { ...marker, evidence } });
  }

  release(node: string, unit: string): void {
    this.#change({ kind: "released", node, unit });
  }

  /** `units`: those that the look was about; null: all of the node. */
  report(node: string, report: NodeReport, units: ReadonlySet<string> | null): void {
    const clean = withoutSecrets(report, this.#context.secrets);
    this.#change({ kind: "looked", node, report: clean, units });
    this.#live.report(node, clean, units);
  }

  /** The node was tried just now, with this outcome. */
  heartbeat(outcome: NodeOutcome): void {
    const clean = withoutSecrets(outcome, this.#context.secrets);
    const before = this.#known.heartbeats.get(outcome.node);
    const at = this.#context.clock.now().toISOString();
    this.#known.heartbeats.set(outcome.node, this.#live.heartbeat(clean, at, before));
  }

  /** What is carried out from now on (DESIGN §3.1): set when a run starts. */
  reconciled(reconciled: Reconciled): void {
    this.#change({ kind: "reconciled", reconciled });
  }

  /** Nodes of which something is known that the refs do not have. */
  unrecorded(): readonly string[] {
    const changed = this.#changes.flatMap((change) => ("node" in change ? [change.node] : []));
    return [...new Set(changed)].sort();
  }

  /** One commit with all that is new, or none; then what others wrote is known too. `message`: the commit's subject. */
  async flush(message: string): Promise<RecordAnswer> {
    let taken = 0;
    const answer = await this.#store.record(
      (files) => {
        taken = this.#changes.length;
        return this.#writes(files);
      },
      { message, lock: this.#context.lock },
    );
    if (answer.kind === "recorded" || answer.kind === "unchanged") this.#refresh(answer.files, taken);
    return answer;
  }

  /** Heartbeats and full reports to `observed-live`: at the end of a run, and wherever it is worth a push. */
  async publish(): Promise<RecordAnswer> {
    const answer = await this.#store.publish((files) => this.#live.writes(files, this.#context.clock.now()));
    if (answer.kind === "recorded" || answer.kind === "unchanged") this.#liveFiles = answer.files;
    return answer;
  }

  #change(change: RecordedChange): void {
    this.#changes.push(change);
    applyChange(this.#known, change);
  }

  #writes(files: ObservedFiles): ObservedWrites {
    const affected = affectedIn(files, this.#changes);
    for (const change of this.#changes) applyChange(affected, change);
    const writes = new Map<string, string | null>(filesOf(affected));
    for (const { unit, digest, events } of this.#logs.values()) {
      const missing = events.slice(linesIn(files, segmentPath(unit, digest, this.#context.runId)));
      for (const [path, text] of appendEvents(files, unit, digest, this.#context.runId, missing))
        writes.set(path, text);
    }
    for (const path of forgotten(files, this.#context.nodes)) writes.set(path, null);
    const { board } = this.#context;
    const news = [...writes].some(([path, text]) => (files.read(path) ?? null) !== text);
    // Only beside other news: a board that says the same a day later is none.
    if (board !== undefined && news)
      writes.set(BOARD_RECORD, board(readRecord(overlaid(files, writes), this.#liveFiles, this.#before)));
    return writes;
  }

  #refresh(files: ObservedFiles, taken: number): void {
    this.#changes = this.#changes.slice(taken);
    this.#flushedAt = this.#context.clock.now();
    const own = this.#known;
    // Nobody wrote, and what this run has to say was nothing new: reading it all again would give the same.
    if (files.commit !== null && files.commit === own.commit) return;
    this.#known = workingCopy(readRecord(files, this.#liveFiles, this.#before));
    for (const [node, heartbeat] of own.heartbeats) this.#known.heartbeats.set(node, heartbeat);
    this.#overlayLive();
    for (const change of this.#changes) applyChange(this.#known, change);
    for (const [id, { unit, digest, events }] of this.#logs) {
      const recorded = linesIn(files, segmentPath(unit, digest, this.#context.runId));
      for (const event of events.slice(recorded)) placeEvent(this.#known, id, event);
    }
  }

  #overlayLive(): void {
    for (const { node, report, units } of this.#live.reports())
      applyChange(this.#known, { kind: "looked", node, report, units });
  }
}

/** The record while the run writes in it. */
interface WorkingRecord extends ObservedRecord {
  readonly states: Map<string, ObservedRecord["states"] extends ReadonlyMap<string, infer State> ? State : never>;
  readonly reports: Map<string, NodeReport>;
  readonly heartbeats: Map<string, Heartbeat>;
  readonly rollouts: Map<string, RolloutEvent[]>;
  reconciled: Reconciled | null;
}

function workingCopy(record: ObservedRecord): WorkingRecord {
  return {
    ...record,
    states: new Map(record.states),
    reports: new Map(record.reports),
    heartbeats: new Map(record.heartbeats),
    rollouts: new Map([...record.rollouts].map(([id, events]) => [id, [...events]])),
  };
}

/** Its place is only supposed: it is given anew when it is recorded. */
function placeEvent({ rollouts }: WorkingRecord, id: string, event: NewRolloutEvent): void {
  const log = rollouts.get(id) ?? [];
  rollouts.set(id, log);
  log.push({ ...event, seq: (log.at(-1)?.seq ?? 0) + 1 });
}

function linesIn(files: ObservedFiles, path: string): number {
  return files.paths.includes(path) ? (files.read(path) ?? "").split("\n").length - 1 : 0;
}

function shortened(body: RolloutEventBody): RolloutEventBody {
  const cut = Object.entries(body).map(([key, value]) => [
    key,
    typeof value === "string" ? value.slice(0, WORDS_MOST) : value,
  ]);
  return Object.fromEntries(cut) as RolloutEventBody;
}
