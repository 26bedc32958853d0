import { readDraft, readRoleEntry } from "../desired/draft.ts";
import { type EditOutcome, guardedEdit, type Wish } from "../desired/edit/guarded-edit.ts";
import { raiseVersions } from "../desired/edit/raise-versions.ts";
import { type RevertConflict, undoing } from "../desired/edit/revert-commit.ts";
import { restoredRole } from "../desired/edit/revert-role.ts";
import { generationOf } from "../desired/generation-fence.ts";
import { roleFilesFolder, roleManifest } from "../desired/layout.ts";
import { problemOf } from "../desired/problem-at.ts";
import { roleDigest } from "../desired/role-digest.ts";
import { nearest } from "../desired/schema/nearest.ts";
import { parseUnit, rolloutId } from "../model/unit.ts";
import { lastCompletedBefore } from "../plan/last-completed.ts";
import { readRecord } from "../plan/read-record.ts";
import type { DesiredEditor, DesiredFiles, FileWrite, History, ObservedStore, Repository } from "../ports.ts";
import { renderRevert } from "../render/revert.ts";
import { type CommandResult, EXIT, type Refusal, refused } from "./result.ts";
import { validity } from "./validate.ts";

export interface RevertDoors {
  readonly repository: Repository;
  readonly history: History;
  readonly editor: DesiredEditor;
  /** Of the observed branch of that name: what was rolled out. Asked for only for a unit. */
  readonly store: (branch: string) => ObservedStore;
}

export interface RevertOptions {
  /** A commit, or a unit id. */
  readonly what: string;
  readonly generation: number;
}

/** What is to be written, seen from one look at the working tree, and where it comes from, for people. */
interface Prepared {
  readonly writes: readonly FileWrite[];
  readonly from: { readonly commit: string; readonly why: string };
}

/**
 * `revert COMMIT|UNIT`: in the working tree, with the bump that a plain revert lacks; not committed (DESIGN §3.1). 0 prepared,
 * or nothing to change · 1 refused, with what is in the way · 2 stale.
 */
export async function runRevert(doors: RevertDoors, { what, generation }: RevertOptions): Promise<CommandResult> {
  const now = await doors.repository.workingTree();
  const prepared = parseUnit(what) === undefined ? await ofCommit(doors, now, what) : await ofUnit(doors, now, what);
  if ("code" in prepared) {
    const { exitCode, ...refusal } = prepared;
    return refused(refusal, exitCode);
  }
  const writes = raiseVersions(now, prepared.writes);
  // Without a wish an edit would be a bump alone.
  if (writes.length === 0) return answerOf(unchanged(now), prepared.from);
  const answer = await doors.editor.exclusively((files) => {
    const result = guardedEdit(files, { generation, above: null }, (tree) => wish(tree, now, writes));
    return { writes: result.writes, result };
  });
  if (answer.kind === "busy")
    return refused({ code: "busy", message: answer.message, hint: answer.hint }, EXIT.refused);
  return answerOf(answer.result, prepared.from);
}

function unchanged(now: DesiredFiles): EditOutcome {
  return { ok: true, generation: generationOf(now)?.generation ?? null, writes: [], diagnostics: [] };
}

/** What was decided from one look is written only where nothing has changed since. */
function wish(tree: DesiredFiles, seen: DesiredFiles, writes: readonly FileWrite[]): Wish {
  const moved = writes.filter(({ path }) => tree.read(path)?.sha256 !== seen.read(path)?.sha256);
  if (moved.length === 0) return { writes };
  const message = "it was changed while the revert was prepared";
  return {
    diagnostics: moved.map(({ path }) =>
      problemOf(path, { code: "changed-meanwhile", message, hint: "Run it again." }),
    ),
  };
}

type Refused = Refusal & { readonly exitCode: number };

async function ofCommit(doors: RevertDoors, now: DesiredFiles, ref: string): Promise<Prepared | Refused> {
  const { repository, history } = doors;
  const commit = await history.commit(ref);
  if (commit === undefined) return unknown(ref, now);
  const after = await repository.at(commit.id);
  const before = commit.firstParent === null ? NO_FILES : await repository.at(commit.firstParent);
  if (after === undefined || before === undefined) return shallow(commit.firstParent ?? commit.id);
  const { writes, merges, conflicts, empty } = undoing(before, after, now);
  if (empty) return { ...nothingChanged(commit.id), exitCode: EXIT.failed };
  const merged: FileWrite[] = [];
  const clashes: RevertConflict[] = [...conflicts];
  for (const { path, ...texts } of merges) {
    const text = await history.merge(texts);
    if (text === null) clashes.push({ path, why: "the same lines have been changed since" });
    else merged.push({ path, text });
  }
  if (clashes.length > 0) return conflicted(clashes);
  const why = `what commit ${commit.id.slice(0, 12)} changed is undone`;
  return { writes: [...writes, ...merged], from: { commit: commit.id, why } };
}

const NO_FILES: DesiredFiles = { origin: "before the first commit", paths: [], read: () => undefined };

async function ofUnit(doors: RevertDoors, now: DesiredFiles, unit: string): Promise<Prepared | Refused> {
  const { kind, name } = parseUnit(unit) ?? { kind: "role", name: unit };
  if (kind !== "role") return { ...NOT_A_ROLE[kind], exitCode: EXIT.failed };
  if ((await doors.repository.standing()).head === null) return { ...NO_HISTORY, exitCode: EXIT.failed };
  const source = await sourceOf(doors, now, name);
  if ("code" in source) return source;
  const then = await doors.repository.at(source.commit);
  if (then === undefined) return shallow(source.commit);
  if (then.read(roleManifest(name)) === undefined) return noEarlier(name);
  return { writes: restoredRole(name, then, now), from: source };
}

/** The record knows what worked; where it says nothing, history knows what there was before. */
async function sourceOf(doors: RevertDoors, now: DesiredFiles, name: string): Promise<Prepared["from"] | Refused> {
  const role = readRoleEntry(now, name).value?.value;
  const current = role === undefined ? null : roleDigest(role);
  const unit = `role:${name}`;
  const { observed, live } = await doors.store(readDraft(now).fleet?.value.observedBranch ?? "observed").read();
  const completed = lastCompletedBefore(readRecord(observed, live).rollouts, unit, current);
  if (completed !== null) {
    const why = `${unit} goes back to what ${rolloutId(unit, completed.digest)} had, completed ${completed.at}`;
    return { commit: completed.commit, why };
  }
  const newest = await doors.history.newestChange([roleManifest(name), roleFilesFolder(name)]);
  if (newest === null) return unknown(unit, now);
  const parent = (await doors.history.commit(newest))?.firstParent ?? null;
  if (parent === null) return noEarlier(name);
  return { commit: parent, why: `${unit} goes back to what it was before commit ${newest.slice(0, 12)}` };
}

function answerOf(outcome: EditOutcome, from: Prepared["from"]): CommandResult {
  const { ok, generation, writes, diagnostics } = outcome;
  if (!ok) return validity(generation, diagnostics);
  const changed = writes.map(({ path }) => path);
  const next = changed.length === 0 ? [] : nextCommands(from.commit);
  return {
    exitCode: EXIT.ok,
    document: { ok, generation, changed, diagnostics, from: from.commit, next },
    text: (paint) => renderRevert({ generation, writes, why: from.why, next }, paint),
  };
}

function nextCommands(commit: string): readonly string[] {
  const short = commit.slice(0, 12);
  return [
    "rollcall validate",
    `git switch -c revert-${short}`,
    "git add -A roster host-roles",
    `git commit -m "revert: to ${short}"`,
    "git push -u origin HEAD",
    "open a pull request: it is reviewed and rolled out like every other change",
  ];
}

function unknown(what: string, now: DesiredFiles): Refused {
  const roles = now.paths.flatMap((path) => /^host-roles\/([^/]+)\.yaml$/.exec(path)?.[1] ?? []);
  const meant = nearest(
    what,
    roles.map((role) => `role:${role}`),
  );
  const hint =
    meant === undefined ? "name a commit, or a role as role:<name>; fetch a commit first" : `did you mean ${meant}?`;
  return { code: "unknown-revert", message: `${what} is neither a commit here nor a unit`, hint, exitCode: EXIT.usage };
}

function shallow(commit: string): Refused {
  return {
    code: "shallow-clone",
    message: `commit ${commit.slice(0, 12)} is not in this clone`,
    hint: "git fetch --unshallow, then run it again",
    exitCode: EXIT.failed,
  };
}

function nothingChanged(commit: string): Refusal {
  return {
    code: "nothing-to-revert",
    message: `commit ${commit.slice(0, 12)} changed nothing under roster/, host-roles/ or parcels/`,
    hint: "a merge is compared with its first parent; rollcall revert role:<name> needs no commit",
  };
}

function noEarlier(name: string): Refused {
  return {
    code: "no-earlier-state",
    message: `there was no role:${name} before what it is now`,
    hint: `to take it from nodes: rollcall node set NODE roles-=${name}`,
    exitCode: EXIT.failed,
  };
}

function conflicted(conflicts: readonly RevertConflict[]): Refused {
  return {
    code: "revert-conflict",
    message: conflicts.map(({ path, why }) => `${path}: ${why}`).join("; "),
    hint: "nothing was written; change these files by hand and run rollcall generation bump",
    exitCode: EXIT.failed,
  };
}

const NO_HISTORY: Refusal = {
  code: "no-history",
  message: "this folder has no git history, so there is nothing to go back to",
  hint: "run it in a clone of the fleet repository",
};

const NOT_A_ROLE = {
  parcel: {
    code: "not-a-role",
    message: "a parcel is never taken back: its proof stays on the record",
    hint: "name it under withdrawn: in roster/fleet.yaml, or register one that undoes it",
  },
  agent: {
    code: "not-a-role",
    message: "an agent is a part of its node's file",
    hint: "name the commit that changed it: rollcall revert COMMIT",
  },
} as const satisfies Record<string, Refusal>;
