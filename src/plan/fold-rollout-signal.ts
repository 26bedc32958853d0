import type { RolloutEvent } from "../model/rollout-event.ts";
import { type Draft, reopen, standingWave } from "./fold-rollout-draft.ts";
import { NODE_TABLE, ROLLOUT_TABLE } from "./fold-rollout-table.ts";
import type { Rollout, RolloutNode, RolloutState, SignalAnswer, WantedSignal } from "./rollout.ts";

type Refused = Extract<SignalAnswer, { allowed: false }>;

/** May a rollout be told this now (DESIGN §3.4)? The reducer and the command that sends the signal ask the same. Pure. */
export function signalAnswer(rollout: Rollout | null, wanted: WantedSignal): SignalAnswer {
  if (rollout === null) return refuse("no-rollout", "there is no rollout yet", "the next reconcile begins what is due");
  const { signal } = wanted;
  if (signal === "rollback") {
    const message = "a role has no way back of its own: what it was before stands in git";
    return refuse("revert-instead", message, `rollcall revert ${rollout.unit}`);
  }
  if (signal === "approve-canary")
    return refuse("no-approval", `strategy ${rollout.strategy} waits for no approval`, pointer(rollout));
  if (ROLLOUT_TABLE[`signal ${signal}`][rollout.state] === undefined) {
    const from = Object.keys(ROLLOUT_TABLE[`signal ${signal}`]).join(" or ");
    return refuse("wrong-state", `it is ${rollout.state}, and ${signal} is for one that is ${from}`, pointer(rollout));
  }
  return GUARDS[signal]?.(rollout, wanted) ?? { allowed: true };
}

type Guard = (rollout: Rollout, wanted: WantedSignal) => Refused | null;

const GUARDS: Partial<Record<WantedSignal["signal"], Guard>> = {
  resume: (rollout, { acceptAlreadyTrue }) =>
    acceptAlreadyTrue && rollout.reason?.code !== "inconclusive"
      ? refuse("not-inconclusive", "no fact was already true: there is nothing to accept", pointer(rollout))
      : null,
  force: (rollout) => {
    const code = rollout.reason?.code;
    if (code === "wave-gate" || code === "failure-threshold") return null;
    if (code === "zero-attempted")
      return refuse("nothing-proved", "nobody proved anything, and no word can stand for that", pointer(rollout));
    const way = code === "inconclusive" ? ' --accept-already-true --reason "…"' : "";
    const message = `it is paused (${code ?? "no reason"}), and no gate holds it`;
    return refuse("no-gate", message, `rollcall rollout resume ${rollout.unit}${way}`);
  },
  skip: (rollout, { nodes }) => {
    if (nodes.length === 0) return refuse("node-missing", "skip needs the nodes to skip", nodesHint(rollout));
    return wrongNode(rollout, nodes, (node) => NODE_TABLE["signal skip"][node.state] !== undefined, "skipped");
  },
  retry: (rollout, { nodes }) => {
    if (nodes.length > 0) return wrongNode(rollout, nodes, mayTurnAgain, "tried again");
    if (rollout.state === "failed" || [...rollout.nodes.values()].some(mayTurnAgain)) return null;
    return refuse("nothing-failed", "no node of it has failed", `rollcall rollout resume ${rollout.unit}`);
  },
};

function wrongNode(
  rollout: Rollout,
  names: readonly string[],
  fits: (node: RolloutNode) => boolean,
  what: string,
): Refused | null {
  for (const name of names) {
    const node = rollout.nodes.get(name);
    if (node === undefined) return refuse("unknown-node", `${name} is in none of its waves`, nodesHint(rollout));
    if (fits(node)) continue;
    const why = node.skipped === null ? node.state : `${node.state} (${node.skipped})`;
    return refuse("wrong-node-state", `${name} is ${why} and cannot be ${what}`, nodesHint(rollout));
  }
  return null;
}

/** Failed ones, and those that were skipped as down: whether they still are is asked anew. What was skipped by hand stays so. */
function mayTurnAgain({ state, skipped }: RolloutNode): boolean {
  return state === "failed" || (state === "skipped" && skipped === "down");
}

type SignalEvent = Extract<RolloutEvent, { event: "signal" }>;

/** What an allowed signal does, besides moving the state: nodes, gates, and the record of what it bypassed. */
export function applySignal(draft: Draft, event: SignalEvent): void {
  const wave = standingWave(draft);
  const nodes = [...draft.nodes.values()];
  if (event.signal === "resume") {
    if (event.accept_already_true) {
      draft.acceptedAlreadyTrue = true;
      bypassed(draft, event, "already-true");
    }
    reopen(
      draft,
      nodes.filter((node) => node.wave === wave && mayTurnAgain(node)),
      event.at,
    );
  }
  if (event.signal === "retry") {
    const wanted = new Set(event.nodes);
    reopen(
      draft,
      nodes.filter((node) => mayTurnAgain(node) && (wanted.size === 0 || wanted.has(node.node))),
      event.at,
    );
    draft.restartRequested = false;
  }
  if (event.signal === "force") {
    bypassed(draft, event, `${draft.reason?.code ?? "gate"} after wave ${wave + 1}`);
    draft.forced.add(wave);
  }
  if (event.signal === "skip") skipByHand(draft, event);
  draft.reason = reasonAfter(draft, event);
}

function skipByHand(draft: Draft, event: SignalEvent): void {
  for (const name of event.nodes) {
    const node = draft.nodes.get(name);
    if (node === undefined) continue;
    draft.nodes.set(name, { ...node, state: "skipped", skipped: "signal", message: event.reason ?? "", at: event.at });
  }
  const more = event.nodes.length > 5 ? ` and ${event.nodes.length - 5} more` : "";
  bypassed(draft, event, `skip ${event.nodes.slice(0, 5).join(", ")}${more}`);
}

function reasonAfter(draft: Draft, event: SignalEvent): Rollout["reason"] {
  const { signal, actor, reason } = event;
  if (signal === "skip") return draft.reason;
  if (signal !== "pause" && signal !== "cancel") return null;
  const said = reason === null ? "" : `: ${reason}`;
  return { code: "signal", detail: `${signal === "pause" ? "paused" : "canceled"} by ${actor}${said}` };
}

function bypassed(draft: Draft, { reason, actor, at }: SignalEvent, gate: string): void {
  draft.escapes.push({ gate, reason: reason ?? "", by: actor, at });
}

/** A bypass of a gate is taken only with a reason (DESIGN §2, escape). */
export function needsReason({
  signal,
  acceptAlreadyTrue,
}: Pick<WantedSignal, "signal" | "acceptAlreadyTrue">): boolean {
  return signal === "force" || signal === "skip" || (signal === "resume" && acceptAlreadyTrue);
}

function nodesHint({ unit }: Rollout): string {
  return `rollcall rollout nodes ${unit}`;
}

function pointer({ unit, state }: Rollout): string {
  return NEXT_WORDS[state](unit);
}

/** What would move a rollout on from each state. */
const NEXT_WORDS: Readonly<Record<RolloutState, (unit: string) => string>> = {
  pending: () => "the next reconcile starts it",
  running: (unit) => `rollcall rollout status ${unit}`,
  paused: (unit) => `rollcall rollout resume ${unit}, or cancel`,
  completed: () => "nothing is to be done; nodes that gain it later are taken up by the next reconcile",
  failed: (unit) => `rollcall rollout retry ${unit}, or start for a new round`,
  canceled: (unit) => `rollcall rollout start ${unit} begins a new round`,
  rolled_back: (unit) => `rollcall rollout start ${unit} begins a new round`,
  superseded: () => "a newer digest took its place",
};

function refuse(code: string, message: string, hint: string): Refused {
  return { allowed: false, code, message, hint };
}
