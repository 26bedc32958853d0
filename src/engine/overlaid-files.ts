import type { ObservedFiles, ObservedWrites } from "../ports.ts";

/** Files as they would be with these writes. */
export function overlaid(files: ObservedFiles, writes: ObservedWrites): ObservedFiles {
  const paths = new Set(files.paths);
  for (const [path, text] of writes) {
    if (text === null) paths.delete(path);
    else paths.add(path);
  }
  return {
    commit: files.commit,
    paths: [...paths].sort(),
    read: (path) => (writes.has(path) ? (writes.get(path) ?? undefined) : files.read(path)),
  };
}
