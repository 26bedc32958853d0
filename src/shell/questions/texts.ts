import { TEXT_LIMIT } from "../../model/node-question.ts";
import type { QuestionBlock } from "../block.ts";
import { latin1Bytes, latin1Of } from "../latin1.ts";
import { quote } from "../quote.ts";

/**
 * The bytes of small files, in two processes however many there are. Only regular files are opened, and no link is
 * followed. The sizes come first and tell where one file ends and the next begins:
 *
 *     <size>:<path>     a line for each file that is there
 *     bytes             then all of them, one after the other
 */
export const texts: QuestionBlock<string, Uint8Array | null> = {
  render: (paths) => `set --
for rc_path in ${paths.map(quote).join(" ")}; do
[ ! -f "$rc_path" ] || [ -L "$rc_path" ] || [ ! -r "$rc_path" ] || set -- "$@" "$rc_path"
done
if [ $# -gt 0 ]; then
stat -c '%s:%n' -- "$@" 2>/dev/null
echo bytes
head -q -c ${TEXT_LIMIT + 1} -- "$@" 2>/dev/null
fi`,
  parse(section, paths) {
    const found = readTexts(section);
    return new Map(paths.map((path) => [path, found.get(latin1Of(path)) ?? null]));
  },
};

/** Nothing when the bytes are not as many as the sizes say: a file changed in between, and all behind it would be wrong. */
function readTexts(section: string): Map<string, Uint8Array> {
  const start = /(^|\n)bytes\n/.exec(section);
  if (start === null) return new Map();
  const files = section
    .slice(0, start.index)
    .split("\n")
    .flatMap((line) => {
      const [, size, path] = /^(\d+):(.*)$/.exec(line) ?? [];
      return size === undefined || path === undefined ? [] : [{ path, size: Number(size) }];
    });
  const bytes = section.slice(start.index + start[0].length);
  const sent = files.map(({ path, size }) => ({ path, size, length: Math.min(size, TEXT_LIMIT + 1) }));
  if (sent.reduce((sum, { length }) => sum + length, 0) !== bytes.length) return new Map();
  let at = 0;
  const found = new Map<string, Uint8Array>();
  for (const { path, size, length } of sent) {
    if (size <= TEXT_LIMIT) found.set(path, latin1Bytes(bytes.slice(at, at + length)));
    at += length;
  }
  return found;
}
