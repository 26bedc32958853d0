import { groupBy } from "../kit/group-by.ts";
import type { Candidate, Strategy, WaveList, WavePolicy } from "./contract.ts";
import { byName, downLast, lastAnswered, names, silence } from "./standing.ts";
import { everyWaveProved, nobodyLeft } from "./wave-gate.ts";

/**
 * `waves` (rollout-model §4, DESIGN §3.4), the default: one canary of the majority class and OS, then one node that is of
 * another class or OS, because the canary shares its blind spots with its like, then everybody else. Nodes with a live down
 * verdict are last, and neither canary nor second look, unless there is nobody else.
 */
export const waves: Strategy = {
  name: "waves",
  summary: "a canary of the majority class and OS, a node of another class or OS, then the rest",
  waves: wavesOf,
  gate: (states, next) => (next === "wave" ? everyWaveProved(states) : nobodyLeft(states)),
};

function wavesOf(candidates: readonly Candidate[], policy: WavePolicy): WaveList {
  const up = candidates.filter(({ down }) => !down);
  const pool = up.length > 0 ? up : candidates;
  const canary = canaryOf(pool, policy.canary, candidates);
  const pair = policy.concurrent ? companionOf(canary.node, pool) : null;
  const first = pair === null || pair.node === null ? [canary.node] : [canary.node, pair.node];
  const second = secondLookOf(first, pool, candidates);
  const early = new Set([...first, ...(second.node === null ? [] : [second.node])]);
  const rest = downLast(candidates.filter((candidate) => !early.has(candidate)));
  return {
    waves: [first, second.node === null ? [] : [second.node], rest].filter((wave) => wave.length > 0).map(names),
    reasons: {
      canary: [canary.why, ...(pair?.why === undefined ? [] : [pair.why])].join("; "),
      second_look: { missing: second.node === null, why: second.why },
      warnings: [...canary.warnings, ...(pair?.warning === undefined ? [] : [pair.warning])],
    },
  };
}

interface CanaryChoice {
  readonly node: Candidate;
  readonly why: string;
  readonly warnings: readonly string[];
}

function canaryOf(pool: readonly Candidate[], wanted: string | null, all: readonly Candidate[]): CanaryChoice {
  const { like, why } = majorityOf(pool);
  const named = pool.find(({ node }) => node === wanted);
  if (named !== undefined) {
    const kin = pool.filter((candidate) => isLike(candidate, named)).length;
    const what = `${kindOf(named)} (${kin} of ${pool.length})`;
    return {
      node: named,
      why: `${named.node}: named by the author; ${what}, ${lastAnswered(named)}`,
      warnings: hush(named),
    };
  }
  const node = firstOf(like);
  const warnings = wanted === null ? [] : [passedOver(wanted, node.node, all)];
  return { node, why: `${node.node}: ${why}, ${lastAnswered(node)}`, warnings: [...warnings, ...hush(node)] };
}

function passedOver(wanted: string, instead: string, all: readonly Candidate[]): string {
  const reason = all.some(({ node }) => node === wanted) ? "is down" : "is not among the nodes to change now";
  return `the canary that the author named, ${wanted}, ${reason}: ${instead} goes first instead`;
}

/** A canary that is not heard from will most likely fail and hold everybody up: better said before. */
function hush(canary: Candidate): readonly string[] {
  if (canary.down) return [`every candidate is down: ${canary.node} goes first only because somebody must`];
  return silence(canary) === 0
    ? []
    : [`the canary ${canary.node} has ${lastAnswered(canary).replace("silent", "been silent")}`];
}

/** The nodes of the majority class, and of the OS that most of these have. */
function majorityOf(pool: readonly Candidate[]): { readonly like: readonly Candidate[]; readonly why: string } {
  const classes = ranked(pool, (candidate) => candidate.class);
  const [most] = classes;
  if (most === undefined) throw new Error("there are no candidates");
  const [like] = ranked(most.members, ({ os }) => os);
  if (like === undefined) throw new Error("a class has no members");
  const sample = firstOf(like.members);
  const why = `of the majority class ${kindOf(sample)} (${like.members.length} of ${pool.length})`;
  return { like: like.members, why: `${why}${tieOf(classes)}` };
}

interface Group {
  readonly key: string;
  readonly members: readonly Candidate[];
  readonly fresh: number;
}

/** Largest first; then where more answered lately; then by name. */
function ranked(pool: readonly Candidate[], keyOf: (candidate: Candidate) => string): readonly Group[] {
  return [...groupBy(pool, keyOf)]
    .map(([key, members]) => ({ key, members, fresh: members.filter((one) => silence(one) === 0).length }))
    .sort((a, b) => b.members.length - a.members.length || b.fresh - a.fresh || (a.key < b.key ? -1 : 1));
}

function tieOf([first, second]: readonly Group[]): string {
  if (first === undefined || second === undefined || first.members.length !== second.members.length) return "";
  const because = first.fresh > second.fresh ? "more of it answered lately" : "it comes first by name";
  return `, as large as ${second.key} and taken because ${because}`;
}

/** The second node of a concurrent first wave: the canary's like, since two that differ need not meet in the same code. */
function companionOf(
  canary: Candidate,
  pool: readonly Candidate[],
): { readonly node: Candidate | null; readonly why?: string; readonly warning?: string } {
  const others = pool.filter((candidate) => candidate !== canary);
  if (others.length === 0) {
    const warning = `two nodes were to go first, so that races show; ${canary.node} is alone, so this looks for none`;
    return { node: null, warning };
  }
  const like = others.filter((candidate) => isLike(candidate, canary));
  const node = firstOf(like.length > 0 ? like : others);
  const why = `and ${node.node} at the same time, ${lastAnswered(node)}`;
  if (like.length > 0) return { node, why };
  return {
    node,
    why,
    warning: `${node.node} goes first together with ${canary.node}, but no second ${kindOf(canary)} is there`,
  };
}

function secondLookOf(
  first: readonly Candidate[],
  pool: readonly Candidate[],
  all: readonly Candidate[],
): { readonly node: Candidate | null; readonly why: string } {
  const [canary] = first as readonly [Candidate];
  const other = (candidate: Candidate) => first.every((one) => !isLike(candidate, one));
  const node = mostUnlike(pool.filter(other), canary, pool);
  if (node !== null) return { node, why: `${node.node}: ${kindOf(node)}, ${lastAnswered(node)}` };
  if (all.length === first.length) return { node, why: `nobody but ${names(first).join(" and ")} is to change` };
  const down = all.filter((candidate) => candidate.down && !first.includes(candidate) && other(candidate));
  if (down.length > 0) return { node, why: `what is of another class or OS is down: ${some(names(downLast(down)))}` };
  return { node, why: `no other class or OS among ${pool.length} nodes: all are ${some(kindsOf(first))}` };
}

/** Of another class rather than only another OS, likely to answer, of a kind that many have. */
function mostUnlike(others: readonly Candidate[], canary: Candidate, pool: readonly Candidate[]): Candidate | null {
  const kin = new Map<string, number>();
  for (const candidate of pool) kin.set(kindOf(candidate), (kin.get(kindOf(candidate)) ?? 0) + 1);
  const count = (candidate: Candidate) => kin.get(kindOf(candidate)) ?? 0;
  const sameClass = (candidate: Candidate) => Number(candidate.class === canary.class);
  const [best] = [...others].sort(
    (a, b) => silence(a) - silence(b) || sameClass(a) - sameClass(b) || count(b) - count(a) || byName(a, b),
  );
  return best ?? null;
}

function firstOf(candidates: readonly Candidate[]): Candidate {
  const [first] = [...candidates].sort((a, b) => silence(a) - silence(b) || byName(a, b));
  if (first === undefined) throw new Error("there are no candidates");
  return first;
}

function isLike(a: Candidate, b: Candidate): boolean {
  return a.class === b.class && a.os === b.os;
}

function kindOf(candidate: Candidate): string {
  return `${candidate.class} on ${candidate.os}`;
}

function kindsOf(candidates: readonly Candidate[]): readonly string[] {
  return [...new Set(candidates.map(kindOf))];
}

function some(list: readonly string[]): string {
  return list.length > 3 ? `${list.slice(0, 3).join(", ")} and ${list.length - 3} more` : list.join(", ");
}
