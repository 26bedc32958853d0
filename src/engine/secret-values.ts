import type { DesiredState } from "../desired/desired-state.ts";
import type { SecretResolution, Secrets } from "../ports.ts";
import type { SecretValues } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";

export type SecretProblem = Extract<SecretResolution, { kind: "problem" }>;

/**
 * Looks up every secret that the roles name, before any node is contacted. One that is there and must not be used (it is in
 * git, it cannot be decrypted) ends the run; one that this machine does not have defers what depends on it.
 */
export async function secretValues(state: DesiredState, secrets: Secrets): Promise<SecretValues | SecretProblem> {
  const values = new Map<string, string>();
  for (const reference of referencesOf(state)) {
    const resolution = await secrets.resolve(reference);
    if (resolution.kind === "problem") return resolution;
    if (resolution.kind === "value") values.set(reference, resolution.value);
  }
  return { valueOf: (reference) => values.get(reference) ?? null, hash: (value) => secrets.hash(value) };
}

function referencesOf(state: DesiredState): ReadonlySet<string> {
  const resources = [...state.roles.values()].flatMap((role) => role.resources);
  return new Set(resources.flatMap(({ record }) => resourceType(record.type).secretRefs?.(record) ?? []));
}
