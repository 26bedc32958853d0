import type { Behind, PendingCause } from "./behind.ts";
import { firstSeen, itemsWords } from "./item-words.ts";
import type { Rollout } from "./rollout.ts";
import { rolloutCause } from "./rollout-cause.ts";
import { silenceOf } from "./silence.ts";

/**
 * Why a target is behind: the most telling reason in the order of {@link PENDING_REASONS}. A verdict that has run out is said
 * beside whatever it is, and so is a record that cannot be read.
 */
export function pendingCause(behind: Behind): PendingCause {
  const cause =
    excluded(behind) ?? failed(behind) ?? known(behind) ?? silent(behind) ?? unproved(behind) ?? rolloutCause(behind);
  return { ...cause, detail: joined(illegibleNote(behind), cause.detail, verdictNote(behind)) };
}

function illegibleNote({ illegible }: Behind): string {
  return illegible ? "the record of what it proved is damaged, so it proves it again" : "";
}

function excluded({ node, unit, generation }: Behind): PendingCause | null {
  if (node.os !== "linux") {
    const hint = `rollcall node decline ${node.name} ${unit.id} --generation ${generation} --reason "…"`;
    return { reason: "unsupported-os", since: null, detail: `nothing can be done on ${node.os} yet`, hint };
  }
  if (node.enabled) return null;
  const hint = `rollcall node set ${node.name} --enabled true --generation ${generation}`;
  return { reason: "disabled", since: null, detail: "the roster says enabled: false", hint };
}

/** The last attempt, as long as nobody has asked for another one. */
function failed({ unit, node, rollout, damage }: Behind): PendingCause | null {
  const attempt = rollout === null || isOver(rollout) ? undefined : rollout.nodes.get(node.name);
  if (rollout === null || attempt === undefined) return null;
  const since = attempt.at ?? rollout.lastAt;
  if (attempt.state === "rolled_back" || rollout.state === "rolled_back") {
    const hint = `rollcall rollout start ${unit.id}`;
    return { reason: "rolled-back", since, detail: attempt.message, hint };
  }
  if (attempt.state !== "failed" || damage !== null) return null;
  const { outcome, message } = attempt;
  const detail = [outcome ?? "", message].filter((part) => part !== "").join(": ");
  const retry = rollout.state === "paused" || rollout.state === "failed" || rollout.state === "running";
  const hint = retry ? `rollcall rollout retry ${unit.id} ${node.name}` : `rollcall rollout start ${unit.id}`;
  return { reason: "failed", since, detail, hint };
}

function known({ node, down, generation }: Behind): PendingCause | null {
  if (down.standing !== "live" || node.down === null) return null;
  const { since, reason, by } = node.down;
  const detail = `${reason} (${by}), until ${day(down.until)}`;
  return { reason: "down", since, detail, hint: `rollcall node up ${node.name} --generation ${generation}` };
}

function silent({ node, heartbeat, now, staleMs }: Behind): PendingCause | null {
  const silence = silenceOf(heartbeat, now, staleMs);
  return silence === null ? null : { ...silence, hint: `rollcall check ${node.name}` };
}

/** It had proved something; what its rollout does about it is said beside. */
function unproved(behind: Behind): PendingCause | null {
  const { unit, node, proof, heal, rollout, generation } = behind;
  if (!unit.enforced) return null;
  const next = rolloutCause(behind);
  if (proof.kind === "lost") {
    const hint = heal ? next.hint : `rollcall apply ${node.name}`;
    const detail = joined(itemsWords(proof.items), next.detail);
    return { reason: "proof-lost", since: firstSeen(proof.items), detail, hint };
  }
  if (proof.kind === "other-machine") {
    const { known } = proof;
    const wrong = node.machineId !== null && known !== null && known !== node.machineId;
    const what = wrong ? "not the machine that the roster names" : "another machine than the one that proved it";
    const hint = wrong ? `rollcall node set ${node.name} --machine-id ${known} --generation ${generation}` : next.hint;
    return { reason: "other-machine", since: null, detail: joined(what, next.detail), hint };
  }
  if (proof.kind !== "other-digest") return null;
  const { version, at } = proof.marker;
  const what = version === null ? "proved what was asked for before" : `proved version ${version}`;
  const since = rollout === null || isOver(rollout) ? null : rollout.createdAt;
  return { reason: "other-digest", since, detail: joined(`${what} on ${day(at)}`, next.detail), hint: next.hint };
}

/** What it says about a node is of the past: another digest came between, or somebody asked for a new round. */
function isOver(rollout: Rollout): boolean {
  return rollout.state === "superseded" || rollout.restartRequested;
}

function verdictNote({ node, down }: Behind): string {
  if (down.standing === "refuted") return `its down verdict is refuted: the recheck passed on ${day(down.at)}`;
  if (down.standing !== "expired" || node.down === null) return "";
  const { since } = node.down;
  return down.until === null
    ? `its down verdict does not count: it is of ${since}`
    : `its down verdict of ${since} ran out on ${day(down.until)}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("; ");
}

/** 2026-11-30, UTC. */
function day(moment: string): string {
  return new Date(moment).toISOString().slice(0, 10);
}
