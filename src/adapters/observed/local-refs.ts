import { demandGit, runGit } from "../git-process.ts";
import { meaningOf, NO_TIPS, type RecordRefs, type RefChange, type RefNames, type Tips } from "./record-refs.ts";

/** Without a remote the refs live in the local repository (DESIGN §4). */
export function localRefs(folder: string, names: RefNames): RecordRefs {
  return {
    fetch: async () => ({ kind: "fetched", tips: await tipsOf(folder, names) }),
    swap: (changes) => swap(folder, names, changes),
  };
}

async function swap(folder: string, names: RefNames, changes: readonly RefChange[]) {
  const checkedOut = await checkedOutRef(folder, names, changes);
  if (checkedOut !== null) return checkedOut;
  const lines = changes.map(({ ref, from, to }) => `update ${names[ref]} ${to} ${from ?? "0".repeat(to.length)}`);
  // A reflog would keep every heartbeat that ever was.
  const words = ["-c", "core.logAllRefUpdates=false", "update-ref", "--stdin"];
  const answer = await runGit(folder, words, { input: ["start", ...lines, "prepare", "commit", ""].join("\n") });
  if (answer.code === 0) return { kind: "swapped" } as const;
  return meaningOf(changes, answer, await tipsOf(folder, names), "");
}

async function listed(folder: string, names: RefNames, format: string): Promise<ReadonlyMap<string, string>> {
  const words = ["for-each-ref", `--format=%(refname) ${format}`, ...Object.values(names)];
  const lines = (await demandGit(folder, words)).toString("utf8").split("\n");
  return new Map(lines.map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]));
}

export async function tipsOf(folder: string, names: RefNames): Promise<Tips> {
  const ids = await listed(folder, names, "%(objectname)");
  const refs = Object.entries(names).map(([ref, name]) => [ref, ids.get(name) ?? null]);
  return { ...NO_TIPS, ...Object.fromEntries(refs) };
}

/** To move a branch under a working tree would make that tree look as if somebody had undone the record in it. */
async function checkedOutRef(folder: string, names: RefNames, changes: readonly RefChange[]) {
  const trees = await listed(folder, names, "%(worktreepath)");
  const ref = changes.map((change) => names[change.ref]).find((name) => (trees.get(name) ?? "") !== "");
  if (ref === undefined) return null;
  return {
    kind: "failed",
    code: "branch-checked-out",
    message: `${ref} is checked out in ${trees.get(ref)}`,
    hint: "switch that working tree to another branch",
  } as const;
}
