/**
 * One word of POSIX shell that stands for exactly `text`, whatever it holds: quotes, `$`, newlines, a leading dash (which
 * still needs a `--` before it). NUL cannot travel in an argument and is refused.
 */
export function quote(text: string): string {
  if (text.includes("\0")) throw new Error("a shell word cannot hold a NUL character");
  if (/^[A-Za-z0-9_./:@%+,-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
