import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type SimpleGit, simpleGit } from "simple-git";
import { Trouble } from "../kit/trouble.ts";
import { DESIRED_FOLDERS } from "../model/desired-folders.ts";
import type { FileContent } from "../model/file-content.ts";
import type { DesiredFiles, Repository, RepositoryStanding } from "../ports.ts";
import { type DesiredEntry, resolveEntries } from "./desired-entries.ts";
import { workingTreeFiles } from "./desired-files.ts";
import { allowedGitVariables } from "./git-environment.ts";
import { fetchedMain, lineageOf } from "./git-lineage.ts";
import { parseTree, readBlobs, type TreeEntry } from "./git-objects.ts";

/**
 * The git side of a fleet repository, which may be a folder inside a larger one. The working tree is read without git;
 * a commit costs three processes, however many files it has (a fourth and on for each blob above 4 MiB).
 */
export function gitRepository(folder: string): Repository {
  const root = resolve(folder);
  return {
    workingTree: () => workingTreeFiles(root),
    at: async (ref) => (inGit(root) ? asked(root, () => filesAt(gitIn(root), root, ref)) : undefined),
    standing: async () => (inGit(root) ? asked(root, () => standing(gitIn(root), root)) : OUTSIDE),
    main: async () => (inGit(root) ? fetchedMain(root, () => asked(root, () => mainBranchOf(gitIn(root)))) : null),
    lineage: (head, recorded) =>
      lineageOf(root, head, recorded, (commit) => asked(root, () => filesAt(gitIn(root), root, commit))),
  };
}

const OUTSIDE: RepositoryStanding = {
  git: false,
  head: null,
  dirty: [],
  mainBranch: null,
  merged: false,
  behind: false,
};

/** Without an environment of its own it takes ours, less every GIT_… that is not allowed here. */
function gitIn(folder: string): SimpleGit {
  return simpleGit({ baseDir: folder, allowEnvironment: allowedGitVariables(process.env) });
}

/** What git itself cannot do here (it is missing, it distrusts the folder, its files are broken) in git's own words. */
async function asked<Answer>(root: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    if (/\bENOENT\b/.test(words))
      throw new Trouble("there is no git here", { code: "git-missing", hint: "install git", cause: error });
    const said = words.trim().split("\n").slice(0, 4).join(" ");
    throw new Trouble(said, {
      code: "git-failed",
      hint: `run git -C ${root} status, and mend what it says`,
      cause: error,
    });
  }
}

/** Asked of the disk, because git's answer to it is the same as to any trouble: 128 and a sentence. */
function inGit(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && inGit(parent);
}

async function filesAt(git: SimpleGit, root: string, ref: string): Promise<DesiredFiles | undefined> {
  const commit = await commitOf(git, ref);
  if (commit === null) return undefined;
  const listed = parseTree(await git.raw(["ls-tree", "-r", "-z", "-l", commit, "--", ...DESIRED_FOLDERS]));
  const blobs = await readBlobs(
    root,
    listed.filter(({ type }) => type === "blob"),
  );
  const ids = new Map(listed.map(({ path, id }) => [path, id]));
  const { files, refused } = resolveEntries(new Map(listed.map((entry) => [entry.path, entryOf(entry, blobs)])));
  return {
    origin: ref,
    paths: [...files.keys()],
    refused,
    read: (path) => blobs.get(ids.get(files.get(path) ?? "") ?? ""),
  };
}

function entryOf({ mode, type, id }: TreeEntry, blobs: ReadonlyMap<string, FileContent>): DesiredEntry {
  if (type !== "blob") return { kind: "other", what: "a submodule" };
  if (mode !== "120000") return { kind: "file" };
  return { kind: "link", target: new TextDecoder().decode(blobs.get(id)?.bytes() ?? new Uint8Array()) };
}

/** Full id of the commit that a name stands for; null when there is none. */
async function commitOf(git: SimpleGit, ref: string): Promise<string | null> {
  // A name that begins with a dash would be an option.
  if (ref === "" || ref.startsWith("-")) return null;
  const id = (await git.raw(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])).trim();
  return id === "" ? null : id;
}

async function standing(git: SimpleGit, root: string): Promise<RepositoryStanding> {
  const head = await commitOf(git, "HEAD");
  const mainBranch = await mainBranchOf(git);
  const both = head !== null && mainBranch !== null;
  const merged = both && (await git.raw(["rev-list", "--max-count=1", head, "--not", mainBranch])).trim() === "";
  const behind = both && (await isBehind(git, head, mainBranch));
  const committed = head === null ? undefined : await filesAt(git, root, head);
  const tree = await workingTreeFiles(root);
  const dirty = committed === undefined ? [...tree.paths] : differing(committed, tree);
  return { git: true, head, dirty, mainBranch: mainBranch && shortName(mainBranch), merged, behind };
}

/**
 * Desired files whose bytes are not those of the commit. Compared here and not asked of `git status`, which is silent about
 * ignored files and about those it was told to assume unchanged: what was not reviewed must show.
 */
function differing(committed: DesiredFiles, tree: DesiredFiles): string[] {
  const paths = new Set([...committed.paths, ...tree.paths]);
  return [...paths].filter((path) => committed.read(path)?.sha256 !== tree.read(path)?.sha256).sort();
}

/** Has the main branch commits that HEAD lacks and that change desired files? */
async function isBehind(git: SimpleGit, head: string, mainBranch: string): Promise<boolean> {
  const newer = await git.raw(["rev-list", "--max-count=1", mainBranch, "--not", head, "--", ...DESIRED_FOLDERS]);
  return newer.trim() !== "";
}

/** `origin`'s default branch, or without a remote the local one. A remote that was never fetched has none yet. */
async function mainBranchOf(git: SimpleGit): Promise<string | null> {
  const hasRemote = (await git.raw(["remote"])).trim() !== "";
  const heads = hasRemote ? "refs/remotes/origin" : "refs/heads";
  const candidates = ["HEAD", "main", "master"].map((name) => `${heads}/${name}`);
  const output = await git.raw(["for-each-ref", "--format=%(refname) %(symref)", ...candidates]);
  const known = new Map(output.split("\n").map((line) => line.split(" ", 2) as [string, string | undefined]));
  return known.get(`${heads}/HEAD`) || candidates.slice(1).find((name) => known.has(name)) || null;
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/(remotes|heads)\//, "");
}
