import { keyedHash } from "../../kit/keyed-hash.ts";
import { redactor } from "../../kit/redact.ts";
import { secretRef } from "../../model/secret-ref.ts";
import type { Secrets } from "../../ports.ts";
import { newHashKey, openSecrets, type SecretOptions } from "./index.ts";

/** The secrets of one run, with a key for their hashes that is kept nowhere. */
export function runSecrets(options: SecretOptions): Secrets {
  const door = openSecrets(options);
  const key = newHashKey();
  let known: readonly string[] = [];
  let mask = redactor(known);
  return {
    resolve: (reference) => door.resolve(secretRef.parse(reference)),
    hash: (value) => keyedHash(key, value),
    redact: (text) => {
      const values = door.values();
      if (values.length !== known.length) [known, mask] = [values, redactor(values)];
      return mask(text);
    },
  };
}
