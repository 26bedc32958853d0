import type { NewRolloutEvent, Signal } from "../model/rollout-event.ts";
import { appendEvents } from "../plan/append-events.ts";
import { signalAnswer } from "../plan/fold-rollout.ts";
import { needsReason } from "../plan/fold-rollout-signal.ts";
import type { Rollout, WantedSignal } from "../plan/rollout.ts";
import type { ObservedFiles, ObservedWrites, RecordAnswer } from "../ports.ts";
import { renderSignalled } from "../render/rollout.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";
import { noRollout } from "./rollout-read.ts";
import {
  chosenRollout,
  isCurrent,
  isRefusal,
  namedUnit,
  type RolloutDoors,
  type RolloutView,
  readRollouts,
  rolloutsOf,
} from "./rollout-view.ts";

/** An operator's word to one rollout (DESIGN §3.4). */
export interface Word {
  /** `role:edge`, or one rollout of it, `role:edge@0123456789ab`. */
  readonly unit: string;
  /** `start` asks for a new round of one that has ended. */
  readonly say: Signal | "start";
  readonly nodes: readonly string[];
  readonly reason: string | null;
  readonly acceptAlreadyTrue: boolean;
  /** Who says it. */
  readonly by: string;
  readonly runId: string;
}

/**
 * `rollout pause|resume|cancel|force|skip|rollback|retry|approve-canary|start UNIT`: one event in the log, refused where the
 * newest state would not take it. No lock is taken: a run at work reads it before its next wave. 0 said, or nothing to
 * say · 1 the record could not be written · 2 refused (DESIGN §5).
 */
export async function runRolloutSignal(doors: RolloutDoors, word: Word): Promise<CommandResult> {
  const usage = usageOf(word);
  if (usage !== null) return refused(usage, EXIT.usage);
  const view = await readRollouts(doors);
  const named = namedUnit(word.unit, view);
  if (isRefusal(named)) return refused(named, EXIT.refused);
  let verdict: Verdict = { kind: "refused", refusal: noRollout(named.unit) };
  const record = await view.store.record(
    (files) => {
      const rollouts = rolloutsOf(files, named.unit);
      verdict = verdictOn(word, chosenRollout(named, rollouts, view.wanted), view.wanted, named.unit);
      return verdict.kind === "say" ? said(files, verdict.rollout, word, doors.clock.now()) : new Map();
    },
    { message: `chore(rollout): ${word.say} ${named.unit}`, lock: null },
  );
  return answerOf(word, verdict, record, view.wanted);
}

type Verdict =
  | { readonly kind: "say"; readonly rollout: Rollout }
  /** It is so already, or happens by itself. */
  | { readonly kind: "needless"; readonly id: string; readonly message: string }
  | { readonly kind: "refused"; readonly refusal: Refusal };

function verdictOn(
  word: Word,
  rollout: Rollout | Refusal | null,
  wanted: RolloutView["wanted"],
  unit: string,
): Verdict {
  if (rollout !== null && isRefusal(rollout)) return { kind: "refused", refusal: rollout };
  if (word.say === "start") return verdictOnStart(rollout, wanted, unit);
  const answer = signalAnswer(rollout, {
    signal: word.say,
    nodes: word.nodes,
    acceptAlreadyTrue: word.acceptAlreadyTrue,
  });
  if (answer.allowed && rollout !== null) return { kind: "say", rollout };
  if (answer.allowed) return { kind: "refused", refusal: noRollout(unit) };
  const { code, message, hint } = answer;
  return { kind: "refused", refusal: { code, message: `${rollout?.id ?? unit}: ${message}`, hint } };
}

function verdictOnStart(rollout: Rollout | null, wanted: RolloutView["wanted"], unit: string): Verdict {
  if (rollout === null)
    return { kind: "needless", id: unit, message: "it has no rollout yet: the next run begins one by itself" };
  const { id, state } = rollout;
  if (state === "pending" || state === "running" || state === "paused") {
    const hint = state === "paused" ? `rollcall rollout resume ${unit}` : `rollcall rollout status ${unit}`;
    const message = `${id}: it is ${state}, and start is for one that has ended`;
    return { kind: "refused", refusal: { code: "wrong-state", message, hint } };
  }
  if (isCurrent(rollout, wanted) === false) {
    const message = `${id}: main asks for another digest by now`;
    return { kind: "refused", refusal: { code: "not-current", message, hint: `to go back: rollcall revert ${unit}` } };
  }
  if (rollout.restartRequested)
    return { kind: "needless", id, message: "a new round was asked for already: the next run begins it" };
  return { kind: "say", rollout };
}

function said(files: ObservedFiles, { unit, digest }: Rollout, word: Word, now: Date): ObservedWrites {
  return appendEvents(files, unit, digest, word.runId, [eventOf(word, now)]);
}

function eventOf({ say, nodes, reason, acceptAlreadyTrue, by, runId }: Word, now: Date): NewRolloutEvent {
  const shared = { at: now.toISOString(), run_id: runId, actor: by };
  if (say === "start") return { event: "start-requested", reason, ...shared };
  const heard = { signal: say, nodes: [...nodes], reason, accept_already_true: acceptAlreadyTrue };
  return { event: "signal", ...heard, ...shared };
}

function answerOf(word: Word, verdict: Verdict, record: RecordAnswer, wanted: RolloutView["wanted"]): CommandResult {
  if (record.kind === "failed") {
    const { code, message, hint } = record;
    return refused({ code, message, hint }, EXIT.failed);
  }
  if (record.kind === "lock-lost") throw new Error("a signal takes no lock and cannot lose one");
  if (verdict.kind === "refused") return refused(verdict.refusal, EXIT.refused);
  if (verdict.kind === "needless") {
    const { id, message } = verdict;
    return {
      exitCode: EXIT.ok,
      document: { recorded: false, id, signal: word.say, message },
      text: () => `${id}: ${message}\n`,
    };
  }
  const before = verdict.rollout;
  const after = rolloutsOf(record.files, before.unit).find(({ id }) => id === before.id) ?? before;
  const current = isCurrent(after, wanted);
  const effect = effectOf(word, current);
  return {
    exitCode: EXIT.ok,
    document: {
      recorded: true,
      ...{ id: before.id, signal: word.say, nodes: word.nodes, reason: word.reason, by: word.by },
      ...{ state_before: before.state, state: after.state, current, message: effect },
    },
    text: (paint) => renderSignalled({ word, before, after, effect }, paint),
  };
}

/** What will happen, and when. */
function effectOf({ say }: Word, current: boolean | null): string {
  if (current === false && say !== "pause" && say !== "cancel")
    return "main asks for another digest by now: the next run ends this rollout as superseded, unless one is at work on it";
  return EFFECTS[say];
}

const ON_ITS_WAY = "a run at work sees it before its next wave, otherwise the next run goes on";

const EFFECTS: Readonly<Record<Word["say"], string>> = {
  pause: "no further wave begins; a run at work finishes the wave it is in",
  cancel: "no further wave begins; a run at work finishes the wave it is in, and what is done stays done",
  resume: ON_ITS_WAY,
  force: `the gate is open without proof; ${ON_ITS_WAY}`,
  skip: "the rollout passes them over; it stays as it is until it is resumed or retried",
  retry: `they are tried again; ${ON_ITS_WAY}`,
  start: "the next run begins a new round with all that is due",
  rollback: ON_ITS_WAY,
  "approve-canary": ON_ITS_WAY,
};

function usageOf({ say, nodes, reason, acceptAlreadyTrue }: Word): Refusal | null {
  if (nodes.length > 0 && say !== "skip" && say !== "retry")
    return { code: "usage", message: `${say} takes no nodes`, hint: `rollcall rollout ${say} UNIT` };
  if (reason !== null && reason.trim() === "")
    return { code: "reason-missing", message: "the reason is empty", hint: 'say why: --reason "…"' };
  if (reason !== null && reason.length > 2000)
    return { code: "usage", message: "the reason is longer than 2000 characters", hint: "write it shorter" };
  if (say === "start" || reason !== null || !needsReason(wish(say, acceptAlreadyTrue))) return null;
  const what = acceptAlreadyTrue ? "--accept-already-true" : say;
  const hint = 'it bypasses a gate and is shown for ever; say why: --reason "…"';
  return { code: "reason-missing", message: `${what} needs --reason`, hint };
}

function wish(signal: Signal, acceptAlreadyTrue: boolean): Pick<WantedSignal, "signal" | "acceptAlreadyTrue"> {
  return { signal, acceptAlreadyTrue };
}
