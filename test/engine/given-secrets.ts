import type { Secrets } from "../../src/ports.ts";
import type { SecretValues } from "../../src/resources/contract.ts";

/** Secrets by reference, as a run finds them; all others are absent. */
export function givenSecrets(values: Readonly<Record<string, string>> = {}): Secrets & SecretValues {
  const given = (reference: string): string | null => values[reference] ?? null;
  return {
    resolve: async (reference) => {
      const value = given(reference);
      return value === null ? { kind: "absent", why: "not given" } : { kind: "value", value };
    },
    valueOf: given,
    hash: (value) => `hash of ${value.length}`,
    redact: (text) => Object.values(values).reduce((shown, value) => shown.replaceAll(value, "***"), text),
  };
}
