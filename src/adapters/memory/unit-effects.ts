import { type UnitName, unitKey } from "../../model/node-question.ts";
import { putFolders, putLink } from "./file-effects.ts";
import { folderOf } from "./file-tree.ts";
import type { EffectResult, LoadedUnit, MemoryNode, UnitRuntime } from "./memory-node.ts";
import {
  enablingLinks,
  findUnit,
  isReferenced,
  linkRoot,
  linksTo,
  NO_FILES,
  RUNTIME_ROOT,
  unitFileState,
  unitFolders,
  wantedUnits,
} from "./unit-lookup.ts";

/** systemd gives up after so many starts in a row (DefaultStartLimitBurst). */
const START_LIMIT = 5;

const FINISHED = { activeState: "inactive", subState: "dead", result: "success", doomed: false } as const;

const NEVER_RUN = { ...FINISHED, hasRun: false, skipped: false, restarts: 0, sinceMs: 0 } as const;

const SUB_STATES: Readonly<Record<string, string>> = {
  mount: "mounted",
  path: "waiting",
  service: "running",
  socket: "listening",
  timer: "waiting",
};

/** Every unit that runs, or that something refers to, is read anew. */
export function reloadDaemon(node: MemoryNode, user: string | null): EffectResult {
  if (unitFolders(node, user) === undefined) return noManager(user);
  for (const [key, runtime] of node.runtime) {
    const name = nameOf(key);
    if (name.user !== user) continue;
    const found = findUnit(node, name);
    const gone: LoadedUnit = { ...runtime.loaded, fragmentPath: "", digest: NO_FILES };
    node.runtime.set(key, { ...runtime, loaded: found?.kind === "found" ? found.unit : gone });
    forgetIfDone(node, key);
  }
  for (const name of wantedUnits(node, user)) {
    const found = findUnit(node, { name, user });
    const key = unitKey({ name, user });
    if (found?.kind !== "found" || found.id !== name || node.runtime.has(key)) continue;
    node.runtime.set(key, { ...NEVER_RUN, loaded: found.unit });
  }
  return null;
}

export function enableUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  if (found.kind === "masked") return masked(name);
  if (found.kind === "not-found") return failed(`Unit file ${name.name} does not exist.`);
  if (/@\.[a-z]+$/.test(found.id)) return failed(`Unit name ${name.name} is missing the instance name.`);
  const state = unitFileState(node, name, found);
  if (state === "transient" || state === "generated") return failed(`Unit ${name.name} is transient or generated.`);
  for (const link of enablingLinks(linkRoot(node, name.user), found.id, found.unit.definition)) {
    putFolders(node, folderOf(link));
    putLink(node, link, found.unit.fragmentPath);
  }
  for (const other of found.unit.definition.also) {
    const result = other === name.name ? null : enableUnit(node, { name: other, user: name.user });
    if (result !== null) return result;
  }
  // As `systemctl enable` does, whether it changed anything or not.
  return reloadDaemon(node, name.user);
}

export function disableUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  const loaded = node.runtime.get(unitKey({ name: found.id, user: name.user }))?.loaded;
  const known = loaded !== undefined && loaded.digest !== NO_FILES;
  if (found.kind === "not-found" && known) return failed(`Unit file ${name.name} does not exist.`);
  if (found.kind !== "found") return null;
  const roots = name.user === null ? [linkRoot(node, null), RUNTIME_ROOT] : [linkRoot(node, name.user)];
  for (const link of roots.flatMap((root) => linksTo(node, root, found.id))) node.files.remove(link);
  return reloadDaemon(node, name.user);
}

export function startUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = startable(node, name);
  if ("code" in found) return found;
  const key = unitKey({ name: found.id, user: name.user });
  return node.runtime.get(key)?.activeState === "active" ? null : launch(node, key, found);
}

export function restartUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = startable(node, name);
  if ("code" in found) return found;
  return launch(node, unitKey({ name: found.id, user: name.user }), found);
}

export function stopUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  const key = unitKey({ name: found.id, user: name.user });
  const runtime = node.runtime.get(key);
  if (runtime === undefined || runtime.activeState === "failed") return null;
  node.runtime.set(key, { ...runtime, ...FINISHED });
  forgetIfDone(node, key);
  return null;
}

/** Starts a unit that is down, and restarts one that cannot reload. */
export function reloadUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = startable(node, name);
  if ("code" in found) return found;
  const key = unitKey({ name: found.id, user: name.user });
  const runtime = node.runtime.get(key);
  const reloads = runtime?.activeState === "active" && runtime.loaded.definition.execReload.length > 0;
  return reloads ? null : launch(node, key, found);
}

/** Time passes, in milliseconds: what was bound to fail has failed. */
export function letTimePass(node: MemoryNode, ms: number): void {
  node.nowMs += ms;
  for (const [key, runtime] of node.runtime) if (runtime.doomed) node.runtime.set(key, crashed(runtime));
}

function crashed(runtime: UnitRuntime): UnitRuntime {
  const failure = { ...runtime, activeState: "failed", subState: "failed" } as const;
  if (runtime.loaded.definition.restart === "no") return { ...failure, result: "exit-code", doomed: false };
  const restarts = runtime.restarts + 1;
  if (restarts >= START_LIMIT) return { ...failure, result: "start-limit-hit", restarts, doomed: false };
  return { ...runtime, activeState: "activating", subState: "auto-restart", result: "exit-code", restarts };
}

function launch(node: MemoryNode, key: string, { id, unit: loaded }: Startable): EffectResult {
  const { type, remainAfterExit, execStart, environmentFiles, conditionPaths } = loaded.definition;
  const stand = (state: Partial<UnitRuntime>): void => {
    node.runtime.set(key, { ...NEVER_RUN, hasRun: true, sinceMs: node.nowMs, loaded, ...state });
  };
  const fail = (result: string, detail: string): EffectResult => {
    stand({ activeState: "failed", subState: "failed", result, hasRun: result !== "resources" });
    return failed(detail);
  };
  if (conditionPaths.some((path) => !conditionHolds(node, path))) {
    stand({ hasRun: node.runtime.get(key)?.hasRun ?? false, skipped: true });
    forgetIfDone(node, key);
    return null;
  }
  const missing = environmentFiles.find((path) => !path.startsWith("-") && node.files.follow(path)?.type !== "file");
  if (missing !== undefined) return fail("resources", `Failed to load environment files: ${missing}`);
  const crashes = node.crashing.has(key) || execStart.some((line) => /^[-@:+!]*(\/usr)?\/bin\/false\b/.test(line));
  const begins = type === "simple" || type === "exec" || type === "idle" || type === "";
  if (crashes && !begins) return fail("exit-code", `Job for ${id} failed: its control process exited with error code.`);
  if (type !== "oneshot") stand({ activeState: "active", subState: subState(id), doomed: crashes });
  else stand(remainAfterExit ? { activeState: "active", subState: "exited" } : {});
  forgetIfDone(node, key);
  return null;
}

/** The manager remembers what does not run only as long as something refers to it. */
function forgetIfDone(node: MemoryNode, key: string): void {
  const inactive = node.runtime.get(key)?.activeState === "inactive";
  if (inactive && !isReferenced(node, nameOf(key))) node.runtime.delete(key);
}

function conditionHolds(node: MemoryNode, written: string): boolean {
  const [, not, path = ""] = /^\|?(!?)(.*)$/.exec(written) ?? [];
  return (node.files.follow(path) !== undefined) === (not === "");
}

interface Startable {
  readonly id: string;
  readonly unit: LoadedUnit;
}

/**
 * What a start would start: a unit that is loaded keeps the files it was loaded from until a daemon-reload. Failures are
 * forgotten first, as a start limit outlives the repair (cases.md 5), and what nothing refers to with them.
 */
function startable(node: MemoryNode, name: UnitName): Startable | NonNullable<EffectResult> {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  const key = unitKey({ name: found.id, user: name.user });
  const runtime = node.runtime.get(key);
  if (runtime?.activeState === "failed") {
    node.runtime.set(key, { ...runtime, ...FINISHED });
    forgetIfDone(node, key);
  }
  const loaded = node.runtime.get(key)?.loaded;
  const known = loaded === undefined || loaded.digest === NO_FILES ? undefined : loaded;
  if (known === undefined && found.kind === "masked") return masked(name);
  const unit = known ?? (found.kind === "found" ? found.unit : undefined);
  if (unit === undefined) return failed(`Unit ${name.name} not found.`);
  if (/@\.[a-z]+$/.test(found.id)) return failed(`Unit name ${name.name} is missing the instance name.`);
  if (unit.definition.incomplete) return failed(`Unit ${name.name} has a bad unit file setting.`);
  return { id: found.id, unit };
}

function subState(id: string): string {
  return SUB_STATES[id.slice(id.lastIndexOf(".") + 1)] ?? "active";
}

function nameOf(key: string): UnitName {
  const [user, name] = key.includes("//") ? key.split("//") : [null, key];
  return { name: name ?? "", user: user ?? null };
}

function failed(detail: string): NonNullable<EffectResult> {
  return { code: "unit-failed", detail };
}

function masked(name: UnitName): NonNullable<EffectResult> {
  return { code: "unit-masked", detail: `Unit ${name.name} is masked.` };
}

function noManager(user: string | null): NonNullable<EffectResult> {
  const detail = user === null ? "there is no systemd" : `Failed to connect to the bus of ${user}`;
  return { code: "manager-unreachable", detail };
}
