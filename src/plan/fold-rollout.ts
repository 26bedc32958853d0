import type { RolloutEvent } from "../model/rollout-event.ts";
import { rolloutId } from "../model/unit.ts";
import { type Created, type Draft, draftOf, newRound } from "./fold-rollout-draft.ts";
import { applySignal, needsReason, signalAnswer } from "./fold-rollout-signal.ts";
import { type EventKey, eventKey, NODE_TABLE, ROLLOUT_TABLE } from "./fold-rollout-table.ts";
import type { Rollout, RolloutNode } from "./rollout.ts";

export { signalAnswer } from "./fold-rollout-signal.ts";

type Of<Name extends RolloutEvent["event"]> = Extract<RolloutEvent, { event: Name }>;
type NodeEvent = Of<"node-started" | "node-succeeded" | "node-failed" | "node-skipped">;

/**
 * The rollout that an event log tells of (DESIGN §3.4): a total and pure reducer, linear in the log. `events` are in the
 * order of `seq`; an event that the tables or a guard do not admit changes nothing and is listed in `ignored`. `before`
 * is what earlier events came to. null: nothing was created; what came before that says nothing.
 */
export function foldRollout(events: readonly RolloutEvent[], before: Rollout | null = null): Rollout | null {
  let draft = before === null ? null : draftOf(before);
  for (const event of events) draft = take(draft, event);
  return draft;
}

function take(draft: Draft | null, event: RolloutEvent): Draft | null {
  if (draft === null) return event.event === "created" && malformed(event) === null ? begun(event, null) : null;
  const why = objection(draft, event);
  if (why !== null) draft.ignored.push({ seq: event.seq, event: eventKey(event), why });
  else if (event.event === "created") return begun(event, draft);
  else advance(draft, event);
  draft.lastSeq = Math.max(draft.lastSeq, event.seq);
  draft.lastAt = event.at;
  return draft;
}

function begun(event: Created, before: Draft | null): Draft {
  const draft = newRound(event, rolloutId(event.unit, event.digest), before);
  draft.lastSeq = Math.max(before?.lastSeq ?? 0, event.seq);
  return draft;
}

/** Why an event is not taken now; null: it is. */
function objection(draft: Draft, event: RolloutEvent): string | null {
  if (event.event === "signal") return signalObjection(draft, event);
  if (ROLLOUT_TABLE[event.event][draft.state] === undefined) return `the rollout is ${draft.state}`;
  switch (event.event) {
    case "created":
      return roundObjection(draft, event);
    case "wave-started":
    case "wave-passed":
      return event.wave === draft.wave ? null : `wave ${draft.wave + 1} is the one at work`;
    case "completed":
      return unfinished(draft);
    case "node-started":
    case "node-succeeded":
    case "node-failed":
    case "node-skipped":
      return nodeObjection(draft, event);
    default:
      return null;
  }
}

function signalObjection(draft: Draft, event: Of<"signal">): string | null {
  const wanted = { signal: event.signal, nodes: event.nodes, acceptAlreadyTrue: event.accept_already_true };
  const answer = signalAnswer(draft, wanted);
  if (!answer.allowed) return answer.message;
  return needsReason(wanted) && (event.reason ?? "").trim() === "" ? "a bypass needs a reason" : null;
}

function roundObjection(draft: Draft, event: Created): string | null {
  if (event.unit !== draft.unit || event.digest !== draft.digest) return `it is of ${event.unit}, not of ${draft.id}`;
  if (event.round <= draft.round) return `round ${draft.round} has begun already`;
  const asked = draft.restartRequested || draft.state === "completed" || draft.state === "superseded";
  return asked ? malformed(event) : `the round before is ${draft.state}, and nobody asked for a new one`;
}

/** Records are untrusted: waves that are not exactly the targets would never end, or end too early. */
function malformed({ targets, waves }: Created): string | null {
  const listed = waves.flat();
  const inWaves = new Set(listed);
  const fits = listed.length === targets.length && inWaves.size === listed.length;
  if (targets.length === 0) return "it has no targets";
  return fits && targets.every(({ node }) => inWaves.has(node)) ? null : "its waves are not its targets";
}

/** Zero is not success, and nobody who is still behind is passed over (DESIGN §3.4). */
function unfinished({ nodes }: Draft): string | null {
  let proved = false;
  for (const { node, state } of nodes.values()) {
    if (state === "succeeded") proved = true;
    else if (state !== "skipped") return `${node} is ${state}`;
  }
  return proved ? null : "nobody proved it";
}

function nodeObjection(draft: Draft, event: NodeEvent): string | null {
  const node = draft.nodes.get(event.node);
  if (node === undefined) return `${event.node} is in none of its waves`;
  if (event.event === "node-started") {
    if (event.wave !== node.wave) return `${event.node} is of wave ${node.wave + 1}`;
    if (node.wave > draft.wave) return `wave ${draft.wave + 1} is the one at work`;
  }
  return nodePath(node, event) === undefined ? `${event.node} is ${node.state}` : null;
}

function nodePath(node: RolloutNode, event: NodeEvent) {
  const unproved = event.event === "node-failed" && event.outcome === "not-converged";
  return NODE_TABLE[unproved ? "node-failed not-converged" : event.event][node.state];
}

/** Takes an event to which there is no objection. */
function advance(draft: Draft, event: Exclude<RolloutEvent, Created>): void {
  const key: EventKey = eventKey(event);
  const next = ROLLOUT_TABLE[key][draft.state] ?? draft.state;
  switch (event.event) {
    case "signal":
      applySignal(draft, event);
      break;
    case "wave-passed":
      draft.wave += 1;
      break;
    case "paused":
      draft.reason = { code: event.reason, detail: event.detail };
      break;
    case "failed":
      draft.reason = { code: "failed", detail: event.detail };
      break;
    case "superseded":
      draft.reason = { code: "superseded", detail: event.by };
      break;
    case "rolled-back":
      draft.reason = null;
      break;
    case "start-requested":
      draft.restartRequested = true;
      break;
    case "escape":
      draft.escapes.push({ gate: event.gate, reason: event.reason, by: event.actor, at: event.at });
      break;
    case "node-started":
    case "node-succeeded":
    case "node-failed":
    case "node-skipped":
      moveNode(draft, event);
      break;
    default:
      break;
  }
  draft.state = next;
}

function moveNode(draft: Draft, event: NodeEvent): void {
  const node = draft.nodes.get(event.node);
  const state = node === undefined ? undefined : nodePath(node, event)?.at(-1);
  if (node === undefined || state === undefined) return;
  draft.nodes.set(event.node, moved(node, state, event));
}

function moved(node: RolloutNode, state: RolloutNode["state"], event: NodeEvent): RolloutNode {
  const begins = event.event === "node-started";
  return {
    node: node.node,
    state,
    wave: node.wave,
    attempts: begins ? node.attempts + 1 : node.attempts,
    grade: event.event === "node-succeeded" ? event.grade : null,
    outcome: outcomeOf(node, event),
    message: event.event === "node-failed" ? event.message : event.event === "node-skipped" ? event.detail : "",
    skipped: event.event === "node-skipped" ? event.reason : null,
    at: event.at,
  };
}

function outcomeOf(node: RolloutNode, event: NodeEvent): RolloutNode["outcome"] {
  switch (event.event) {
    case "node-started":
      return null;
    case "node-succeeded":
      return "converged";
    case "node-failed":
      return event.outcome;
    case "node-skipped":
      return node.outcome;
  }
}
