import { type UnitName, unitKey } from "../../model/node-question.ts";
import { putFolders, putLink } from "./file-effects.ts";
import { folderOf } from "./file-tree.ts";
import type { EffectResult, LoadedUnit, MemoryNode, UnitRuntime } from "./memory-node.ts";
import { enablingLinks, type FoundUnit, findUnit, linkRoot, NO_FILES, unitFileState } from "./unit-lookup.ts";

type Found = Extract<FoundUnit, { kind: "found" }>;

/** systemd gives up after so many starts in a row (DefaultStartLimitBurst). */
const START_LIMIT = 5;

const SUB_STATES: Readonly<Record<string, string>> = {
  mount: "mounted",
  path: "waiting",
  service: "running",
  socket: "listening",
  timer: "waiting",
};

export function reloadDaemon(node: MemoryNode, user: string | null): EffectResult {
  if (findUnit(node, { name: "-.mount", user }) === undefined) return noManager(user);
  for (const [key, runtime] of node.runtime) {
    const name = nameOf(key);
    if (name.user !== user) continue;
    const found = findUnit(node, name);
    const gone: LoadedUnit = { ...runtime.loaded, fragmentPath: "", digest: NO_FILES };
    node.runtime.set(key, { ...runtime, loaded: found?.kind === "found" ? found.unit : gone });
  }
  return null;
}

export function enableUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  if (found.kind === "masked") return masked(name);
  if (found.kind === "not-found") return failed(`Unit file ${name.name} does not exist.`);
  if (found.viaAlias) return failed(`Refusing to operate on alias name or linked unit file: ${name.name}`);
  if (/@\.[a-z]+$/.test(found.id)) return failed(`Unit name ${name.name} is missing the instance name.`);
  const state = unitFileState(node, name, found);
  if (state === "transient" || state === "generated") return failed(`Unit ${name.name} is transient or generated.`);
  for (const link of enablingLinks(linkRoot(node, name.user), found.id, found.unit.definition)) {
    putFolders(node, folderOf(link));
    putLink(node, link, found.unit.fragmentPath);
  }
  return found.unit.definition.also.reduce<EffectResult>(
    (result, other) => result ?? enableOther(node, name, other),
    null,
  );
}

export function disableUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  if (found.kind === "not-found") return failed(`Unit file ${name.name} does not exist.`);
  if (found.kind === "masked") return null;
  for (const link of enablingLinks(linkRoot(node, name.user), found.id, found.unit.definition)) {
    const place = node.files.place(link);
    if (place.kind === "place" && node.files.get(link)?.type === "link") node.files.remove(place.path);
  }
  return null;
}

/** Forgets failures first, as a start limit outlives the repair (cases.md 5). */
export function startUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = startable(node, name);
  if ("code" in found) return found;
  const key = unitKey({ name: found.id, user: name.user });
  const state = node.runtime.get(key)?.activeState;
  if (state === "active" || state === "activating") return null;
  return launch(node, key, found);
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
  if (found.kind === "not-found" && !node.runtime.has(key)) return failed(`Unit ${name.name} not loaded.`);
  node.runtime.delete(key);
  return null;
}

export function reloadUnit(node: MemoryNode, name: UnitName): EffectResult {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  const runtime = node.runtime.get(unitKey({ name: found.id, user: name.user }));
  if (runtime?.activeState !== "active") return failed(`${name.name} is not active, cannot reload.`);
  if (runtime.loaded.definition.execReload.length > 0) return null;
  return failed(`Job type reload is not applicable for unit ${name.name}.`);
}

/** Time passes: what was bound to fail has failed. */
export function settleUnits(node: MemoryNode): void {
  for (const [key, runtime] of node.runtime) {
    if (runtime.doomed) node.runtime.set(key, crashed(runtime));
  }
}

function crashed(runtime: UnitRuntime): UnitRuntime {
  const failure = { ...runtime, activeState: "failed", subState: "failed" } as const;
  if (runtime.loaded.definition.restart === "no") return { ...failure, result: "exit-code", doomed: false };
  const restarts = runtime.restarts + 1;
  if (restarts >= START_LIMIT) return { ...failure, result: "start-limit-hit", restarts, doomed: false };
  return { ...runtime, activeState: "activating", subState: "auto-restart", result: "exit-code", restarts };
}

function launch(node: MemoryNode, key: string, { id, unit }: Found): EffectResult {
  const loaded = loadedAs(node, key, unit);
  const { type, remainAfterExit, execStart, environmentFiles } = loaded.definition;
  const stand = (state: Omit<UnitRuntime, "loaded" | "restarts">): void => {
    node.runtime.set(key, { ...state, loaded, restarts: 0 });
  };
  const fail = (result: string, detail: string): EffectResult => {
    stand({ activeState: "failed", subState: "failed", result, doomed: false });
    return failed(detail);
  };
  const missing = environmentFiles.find((path) => node.files.follow(path)?.type !== "file");
  if (missing !== undefined) return fail("resources", `Failed to load environment files: ${missing}`);
  const crashes = node.crashing.has(key) || execStart.some((line) => /^[-@:+!]*(\/usr)?\/bin\/false\b/.test(line));
  const begins = type === "simple" || type === "exec" || type === "idle" || type === "";
  if (crashes && !begins)
    return fail("exit-code", `Job for ${id} failed because the control process exited with error code.`);
  if (type === "oneshot" && !remainAfterExit) node.runtime.delete(key);
  else if (type === "oneshot") stand({ activeState: "active", subState: "exited", result: "success", doomed: false });
  else stand({ activeState: "active", subState: subState(id), result: "success", doomed: crashes });
  return null;
}

/** A unit that runs keeps the files it was loaded from until a daemon-reload. */
function loadedAs(node: MemoryNode, key: string, now: LoadedUnit): LoadedUnit {
  const loaded = node.runtime.get(key)?.loaded;
  return loaded === undefined || loaded.digest === NO_FILES ? now : loaded;
}

function startable(node: MemoryNode, name: UnitName): Found | NonNullable<EffectResult> {
  const found = findUnit(node, name);
  if (found === undefined) return noManager(name.user);
  if (found.kind === "masked") return masked(name);
  if (found.kind === "not-found") return failed(`Unit ${name.name} not found.`);
  if (/@\.[a-z]+$/.test(found.id)) return failed(`Unit name ${name.name} is missing the instance name.`);
  if (found.unit.definition.incomplete) return failed(`Unit ${name.name} has a bad unit file setting.`);
  return found;
}

function enableOther(node: MemoryNode, name: UnitName, other: string): EffectResult {
  return other === name.name ? null : enableUnit(node, { name: other, user: name.user });
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
  return failed(user === null ? "systemd is not there" : `Failed to connect to the bus of ${user}`);
}
