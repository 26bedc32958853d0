import { Trouble } from "../kit/trouble.ts";
import { DESIRED_FOLDERS } from "../model/desired-folders.ts";
import type { FileContent } from "../model/file-content.ts";
import type { DesiredFiles, Lineage } from "../ports.ts";
import { parseTree, readBlobs } from "./git-objects.ts";
import { askGit, demandGit } from "./git-process.ts";
import { converse, fetchRefs, hasRemote, REMOTE, refusalOf } from "./git-remote.ts";

const FLEET_FILE = "roster/fleet.yaml";

/** Desired files of a commit, links followed. */
type FilesAt = (commit: string) => Promise<DesiredFiles | undefined>;

/** `Repository.main()`: asked of the remote, which may have a new default branch since the clone was made. */
export async function fetchedMain(
  folder: string,
  localMain: () => Promise<string | null>,
): Promise<{ branch: string; commit: string } | null> {
  if (!(await hasRemote(folder))) {
    const ref = await localMain();
    const commit =
      ref === null ? undefined : await askGit(folder, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
    return ref === null || commit === undefined
      ? null
      : { branch: ref.replace(/^refs\/(heads|remotes)\//, ""), commit };
  }
  const branch = await remoteMain(folder);
  if (branch === null) return null;
  const tracking = `refs/remotes/${REMOTE}/${branch}`;
  const answer = await fetchRefs(folder, [`+refs/heads/${branch}:${tracking}`]);
  if (answer.code !== 0) throw trouble(refusalOf(answer));
  const commit = (await demandGit(folder, ["rev-parse", "--verify", `${tracking}^{commit}`])).toString().trim();
  return { branch: `${REMOTE}/${branch}`, commit };
}

function trouble({ code, message, hint }: { code: string; message: string; hint: string }): Trouble {
  return new Trouble(message, { code, hint });
}

/** What the remote's HEAD is; of one that points nowhere yet, `main` or `master` where they are. */
async function remoteMain(folder: string): Promise<string | null> {
  const names = ["HEAD", "refs/heads/main", "refs/heads/master"];
  const answer = await converse(folder, ["ls-remote", "--quiet", "--symref", REMOTE, ...names]);
  if (answer.code !== 0) throw trouble(refusalOf(answer));
  const lines = answer.out.toString("utf8").split("\n");
  const head = lines.flatMap((line) => /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line)?.[1] ?? [])[0];
  const there = lines.flatMap((line) => /^[0-9a-f]+\trefs\/heads\/(main|master)$/.exec(line)?.[1] ?? []).sort();
  return head ?? there[0] ?? null;
}

/**
 * `Repository.lineage()` (DESIGN §3.1). A clone is called shallow only when what it lacks was needed: depth 1 is enough
 * where `head` is the recorded commit itself.
 */
export async function lineageOf(
  folder: string,
  head: string,
  recorded: string | null,
  filesAt: FilesAt,
): Promise<Lineage> {
  const known = recorded === null || (await askGit(folder, "cat-file", "-e", `${recorded}^{commit}`)) !== undefined;
  const descends = recorded === null || (known && (await isAncestor(folder, recorded, head)));
  const same =
    recorded !== null &&
    known &&
    (await askGit(folder, "diff-tree", "-r", "--quiet", recorded, head, "--", ...DESIRED_FOLDERS)) !== undefined;
  const newest = await newestChange(folder, head, filesAt);
  const shallow = (!descends && (await lacksHistory(folder, head))) || (!same && newest === "cut");
  return { shallow, descends, same, newest: newest === "cut" ? null : newest };
}

async function isAncestor(folder: string, older: string, newer: string): Promise<boolean> {
  return (await askGit(folder, "merge-base", "--is-ancestor", older, newer)) !== undefined;
}

/** "cut": the history ends, in this clone, before the answer. */
async function newestChange(folder: string, head: string, filesAt: FilesAt): Promise<Lineage["newest"] | "cut"> {
  const words = ["rev-list", "--first-parent", "--max-count=1", head, "--", ...DESIRED_FOLDERS];
  const commit = (await demandGit(folder, words)).toString().trim();
  if (commit === "") return (await lacksHistory(folder, head)) ? "cut" : null;
  const [parent] = await parentsOf(folder, commit);
  // At the edge of a shallow clone a commit looks as if it had made every file that it holds.
  if (parent !== undefined && (await askGit(folder, "cat-file", "-e", parent)) === undefined) return "cut";
  return {
    commit,
    fleetFile: await fleetFileAt(folder, commit, filesAt),
    parentFleetFile: parent === undefined ? undefined : await fleetFileAt(folder, parent, filesAt),
  };
}

/** As the commit itself says, whatever this clone has cut off. */
async function parentsOf(folder: string, commit: string): Promise<string[]> {
  const [header = ""] = (await demandGit(folder, ["cat-file", "commit", commit])).toString("latin1").split("\n\n", 1);
  return header.split("\n").flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
}

/**
 * Is something of the history of `head` missing here? Not asked of `--is-shallow-repository`, which also says so when only
 * another branch was cut.
 */
async function lacksHistory(folder: string, head: string): Promise<boolean> {
  const ends = (await demandGit(folder, ["rev-list", "--max-parents=0", head])).toString().split("\n").filter(Boolean);
  for (const end of ends) if ((await parentsOf(folder, end)).length > 0) return true;
  return false;
}

async function fleetFileAt(folder: string, commit: string, filesAt: FilesAt): Promise<FileContent | undefined> {
  const listed = parseTree((await demandGit(folder, ["ls-tree", "-z", "-l", commit, "--", FLEET_FILE])).toString());
  const [entry] = listed.filter(({ type, path }) => type === "blob" && path === FLEET_FILE);
  if (entry === undefined) return undefined;
  // A link is followed as everywhere, which needs the other files too.
  if (entry.mode === "120000") return (await filesAt(commit))?.read(FLEET_FILE);
  return (await readBlobs(folder, [entry])).get(entry.id);
}
