import type { Behind, PendingCause } from "./behind.ts";
import { firstSeen, itemsWords } from "./item-words.ts";
import type { Rollout, RolloutNode } from "./rollout.ts";

/** What keeps a target behind that nothing else explains: where its rollout is, or that nothing has begun. */
export function rolloutCause(behind: Behind): PendingCause {
  const { unit, target, node, rollout, damage } = behind;
  const idle = target.action === "release" ? "leaving" : "due";
  if (!unit.enforced) return { reason: idle, ...onlyObserved(behind) };
  if (damage !== null) return { reason: "paused", since: rollout?.lastAt ?? null, ...damage };
  const begin: PendingCause = { reason: idle, since: null, detail: "", hint: "rollcall reconcile" };
  if (rollout === null || rollout.restartRequested) return begin;
  const why = rollout.reason === null ? "" : `: ${rollout.reason.code}, ${rollout.reason.detail}`;
  const still = (reason: "paused" | "canceled"): PendingCause => ({
    reason,
    since: rollout.lastAt,
    detail: `the rollout is ${rollout.state}${why}`,
    hint: wayOn(rollout),
  });
  switch (rollout.state) {
    case "paused":
    case "failed":
      return still("paused");
    case "canceled":
    case "rolled_back":
      return still("canceled");
    case "pending":
    case "running":
      return inWaves(rollout, rollout.nodes.get(node.name), begin);
    default:
      return rollout.nodes.get(node.name)?.skipped === "signal"
        ? { ...begin, detail: "left out by hand", hint: `rollcall rollout start ${unit.id}` }
        : begin;
  }
}

/** What is never acted on is told as it was last seen. */
function onlyObserved({ node, compared }: Behind): Omit<PendingCause, "reason"> {
  const hint = `rollcall check ${node.name}`;
  if (compared === null) return { since: null, detail: "not read since it is declared so", hint };
  if (compared.length === 0) return { since: null, detail: "as declared", hint };
  const detail = `${compared.length} ${compared.length === 1 ? "difference" : "differences"}: ${itemsWords(compared)}`;
  return { since: firstSeen(compared), detail, hint };
}

/** The word that moves a rollout on which stands still; what failed is most often mended by a merge, whose new digest ends it. */
export function wayOn({ state, reason, unit, nodes }: Rollout): string {
  if (state === "canceled" || state === "rolled_back") return `rollcall rollout start ${unit}`;
  if (reason?.code === "inconclusive") return `rollcall rollout resume ${unit} --accept-already-true --reason "…"`;
  if (reason?.code === "signal" || reason?.code === "zero-attempted") return `rollcall rollout resume ${unit}`;
  const again = [...nodes.values()].some((one) => one.state === "failed" || one.skipped === "down");
  return again || state === "failed" ? `rollcall rollout retry ${unit}` : `rollcall rollout force ${unit} --reason "…"`;
}

function inWaves(rollout: Rollout, attempt: RolloutNode | undefined, begin: PendingCause): PendingCause {
  if (attempt === undefined) return { ...begin, detail: "the rollout under way began without it" };
  const place = `wave ${attempt.wave + 1} of ${rollout.waves.length}`;
  const hint = `rollcall rollout get ${rollout.unit}`;
  if (attempt.state === "skipped")
    return { ...begin, detail: `left out of ${place}: ${attempt.skipped ?? ""} ${attempt.message}`.trimEnd(), hint };
  if (attempt.state === "in_progress" || attempt.state === "validating")
    return { ...begin, since: attempt.at, detail: `at work in ${place}`, hint };
  if (attempt.wave <= rollout.wave) return { ...begin, detail: `in ${place}, which is next`, hint };
  return { reason: "waiting", since: rollout.createdAt, detail: `waits for ${place}`, hint };
}
