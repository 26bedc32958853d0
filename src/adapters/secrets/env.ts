import type { SecretSource } from "./contract.ts";

/**
 * `env:NAME`, a variable of the runner, as it is. An empty one counts as absent: it is what GitHub Actions hands over
 * for a secret that does not exist, or that a fork may not see.
 */
export function envSource(environment: Readonly<Record<string, string | undefined>>): SecretSource {
  return async (name) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined) return { kind: "absent", why: `the variable ${name} is not set here` };
    if (value === "") return { kind: "absent", why: `the variable ${name} is empty here` };
    return { kind: "value", value };
  };
}
