import type { Candidate } from "./contract.ts";

/** Whether a node is likely to answer: only as much as lasts, so that the same fleet gets the same waves an hour later. */
export function silence({ silent, observedAt }: Candidate): number {
  if (observedAt === null) return 2;
  return silent ? 1 : 0;
}

export function lastAnswered({ silent, observedAt }: Candidate): string {
  const at = observedAt === null ? Number.NaN : Date.parse(observedAt);
  if (Number.isNaN(at)) return "never answered so far";
  const moment = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return silent ? `silent since it answered ${moment}` : `last answered ${moment}`;
}

/** By name, those with a down verdict after all others. */
export function downLast(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...candidates].sort((a, b) => Number(a.down) - Number(b.down) || byName(a, b));
}

export function byName(a: { readonly node: string }, b: { readonly node: string }): number {
  return a.node < b.node ? -1 : a.node > b.node ? 1 : 0;
}

export function names(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ node }) => node);
}
