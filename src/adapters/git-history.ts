import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { History, MergeTexts } from "../ports.ts";
import { askGit, demandGit, runGit } from "./git-process.ts";

/** The past of a fleet repository, which may be a folder inside a larger one. */
export function gitHistory(folder: string): History {
  const root = resolve(folder);
  return {
    async commit(ref) {
      // A name that begins with a dash would be an option.
      if (ref === "" || ref.startsWith("-")) return undefined;
      const id = await askGit(root, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
      if (id === undefined) return undefined;
      // The commit itself, not what a shallow clone makes of it: there its parents are hidden.
      const text = (await demandGit(root, ["cat-file", "commit", id])).toString("utf8");
      const head = text.slice(0, text.indexOf("\n\n"));
      return { id, firstParent: /^parent ([0-9a-f]+)$/m.exec(head)?.[1] ?? null };
    },
    async newestChange(paths) {
      return (await askGit(root, "rev-list", "--first-parent", "--max-count=1", "HEAD", "--", ...paths)) || null;
    },
    merge: (texts) => merge(root, texts),
  };
}

async function merge(root: string, { base, ours, theirs }: MergeTexts): Promise<Uint8Array | null> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-merge-"));
  try {
    const [first, second, third] = [join(folder, "ours"), join(folder, "base"), join(folder, "theirs")];
    await Promise.all([writeFile(first, ours), writeFile(second, base), writeFile(third, theirs)]);
    const { code, out } = await runGit(root, ["merge-file", "-p", first, second, third]);
    return code === 0 ? out : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
