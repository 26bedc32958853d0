import { problem, type SecretResolution } from "./contract.ts";

/** Bytes: what one variable of a process can hold (MAX_ARG_STRLEN); nothing larger is a secret. */
export const SECRET_LIMIT = 128 * 1024;

/**
 * The content of a file as a secret. One line end at its end is the editor's and not part of it; any more are. `what` names
 * the file in messages.
 */
export function secretText(bytes: Uint8Array, what: string): SecretResolution {
  if (bytes.length > SECRET_LIMIT) {
    return problem("too-large", `${what} has more than ${SECRET_LIMIT} bytes`, "Keep one secret in one small file.");
  }
  const hint = "Save it as UTF-8 without a byte-order mark; encode a binary secret, for example as base64.";
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return problem("not-text", `${what} is not UTF-8 text`, hint);
  }
  if (text.includes("\0")) return problem("not-text", `${what} holds a NUL character`, hint);
  if (text.startsWith("\ufeff")) return problem("not-text", `${what} begins with a byte-order mark`, hint);
  const value = text.replace(/\r?\n$/, "");
  return value === "" ? { kind: "absent", why: `${what} is empty` } : { kind: "value", value };
}
