import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Bytes of a key; a fresh random one for each run. */
export const HASH_KEY_SIZE = 32;

/**
 * What a report may say of a secret: HMAC-SHA-256 of its UTF-8, as `hmac:` and 32 hex digits (128 bits). Equal values
 * have equal hashes within a run; without the key, which nobody keeps, not even a four-digit PIN can be found by trying
 * (DESIGN §3.2).
 */
export function keyedHash(key: Uint8Array, value: string): string {
  if (key.length !== HASH_KEY_SIZE) throw new Error(`a hash key has ${HASH_KEY_SIZE} bytes, not ${key.length}`);
  return `hmac:${bytesToHex(hmac(sha256, key, new TextEncoder().encode(value)).subarray(0, 16))}`;
}
