import { randomBytes } from "node:crypto";
import { HASH_KEY_SIZE } from "../../kit/keyed-hash.ts";
import { type SecretRef, type SecretScheme, secretRefText } from "../../model/secret-ref.ts";
import type { SecretResolution, SecretSource } from "./contract.ts";
import { envSource } from "./env.ts";
import { fileSource } from "./file.ts";

/** The door to secrets (host-state §2, DESIGN §3.2). */
export interface Secrets {
  /** Each reference is looked up once a run, so that one run sees one value of it. */
  resolve(ref: SecretRef): Promise<SecretResolution>;
  /** Every value handed out so far: what must be masked in whatever is printed, logged or recorded. */
  values(): readonly string[];
}

export interface SecretOptions {
  /** The fleet repository. */
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function openSecrets(options: SecretOptions): Secrets {
  const known = new Map<string, Promise<SecretResolution>>();
  const values = new Set<string>();
  const sources = sourcesFor(options);
  const lookUp = async ({ scheme, target }: SecretRef): Promise<SecretResolution> => {
    const resolution = await sources[scheme](target);
    if (resolution.kind === "value") values.add(resolution.value);
    return resolution;
  };
  return {
    resolve(ref) {
      const text = secretRefText(ref);
      const resolution = known.get(text) ?? lookUp(ref);
      known.set(text, resolution);
      return resolution;
    },
    values: () => [...values],
  };
}

/** For `keyedHash`: another one for each run, kept nowhere. */
export function newHashKey(): Uint8Array {
  return randomBytes(HASH_KEY_SIZE);
}

/** A new scheme is one file, one line here and one in model/secret-ref.ts. */
function sourcesFor(options: SecretOptions): Readonly<Record<SecretScheme, SecretSource>> {
  return {
    env: envSource(options.environment),
    file: fileSource(options),
    // Loaded when a fleet has one: the curves are the largest part of this program.
    age: async (target) => (await import("./age.ts")).ageSource(options)(target),
  };
}
