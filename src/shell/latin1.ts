/**
 * A node's answer is decoded as Latin-1, one character a byte, so that nothing in it is lost or refused; what is text for
 * people or a name is turned into real text here, only where it is needed.
 */
export function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The text whose UTF-8 these bytes are; bytes that are none become U+FFFD. */
export function textOf(latin1: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(latin1Bytes(latin1));
}

/** A text as a node would print it, in the form in which its answer is read: what a name that was asked is found by. */
export function latin1Of(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}
