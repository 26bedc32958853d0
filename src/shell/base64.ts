const CHUNK = 3 * 16_384;
const LINE = 1024;

/** Base64 in lines, for `base64 -d` on a node. Linear in time and memory, also for many megabytes. */
export function base64(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) {
    // Piece by piece, since a function takes a limited number of arguments; whole triples, so that pieces join.
    const text = btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
    for (let from = 0; from < text.length; from += LINE) lines.push(text.slice(from, from + LINE));
  }
  return lines.join("\n");
}
