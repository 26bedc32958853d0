import type { NodeEffect } from "../../model/node-effect.ts";
import { unitKey } from "../../model/node-question.ts";
import {
  makeDirectory,
  putFolders,
  removeDirectory,
  removeFile,
  setMode,
  setOwner,
  writeFile,
} from "./file-effects.ts";
import { folderOf } from "./file-tree.ts";
import type { EffectOf, EffectResult, MemoryNode } from "./memory-node.ts";
import { installPackage, removePackage } from "./packages.ts";
import { textContent } from "./text-content.ts";
import { disableUnit, enableUnit, reloadDaemon, reloadUnit, restartUnit, startUnit, stopUnit } from "./unit-effects.ts";

type Interpreters = { readonly [Do in NodeEffect["do"]]: (node: MemoryNode, effect: EffectOf<Do>) => EffectResult };

/** Does to a node what `src/shell/effects` does to a real one: same results, same failures. */
export function perform(node: MemoryNode, effect: NodeEffect): EffectResult {
  const interpret = INTERPRETERS[effect.do] as (node: MemoryNode, effect: NodeEffect) => EffectResult;
  node.nowMs += 1;
  const result = interpret(node, effect);
  if (result === null) node.journal?.push({ atMs: node.nowMs, effect });
  return result;
}

/** Starts a program that may run for long: the step's time-out is for these. */
export function runsProgram(effect: NodeEffect): boolean {
  return PROGRAMS.has(effect.do);
}

const INTERPRETERS: Interpreters = {
  "install-package": installPackage,
  "remove-package": (node, { name }) => removePackage(node, name),
  "write-file": writeFile,
  "make-directory": makeDirectory,
  "set-owner": setOwner,
  "set-mode": setMode,
  "remove-file": (node, { path }) => removeFile(node, path),
  "remove-directory": (node, { path }) => removeDirectory(node, path),
  "reload-daemon": (node, { user }) => reloadDaemon(node, user),
  "enable-unit": (node, { unit }) => enableUnit(node, unit),
  "disable-unit": (node, { unit }) => disableUnit(node, unit),
  "start-unit": (node, { unit }) => startUnit(node, unit),
  "stop-unit": (node, { unit }) => stopUnit(node, unit),
  "restart-unit": (node, { unit }) => restartUnit(node, unit),
  "reload-unit": (node, { unit }) => reloadUnit(node, unit),
  "note-pending": (node, { unit, how, because }) => {
    node.pending.set(unitKey(unit), { how, because });
    return null;
  },
  "clear-pending": (node, { unit }) => {
    node.pending.delete(unitKey(unit));
    return null;
  },
  "run-command": runCommand,
};

const PROGRAMS = new Set<NodeEffect["do"]>([
  "install-package",
  "remove-package",
  "reload-daemon",
  "enable-unit",
  "disable-unit",
  "start-unit",
  "stop-unit",
  "restart-unit",
  "reload-unit",
  "run-command",
]);

/** A line is not run here: its outcome is data of the node, and what it creates is an empty file. */
function runCommand(node: MemoryNode, { run, creates }: EffectOf<"run-command">): EffectResult {
  if (creates !== null && node.files.get(creates) !== undefined) return null;
  const { exitCode, output } = node.commands.get(run) ?? { exitCode: 0, output: "" };
  if (exitCode !== 0) return { code: "command-failed", detail: output === "" ? `exit status ${exitCode}` : output };
  if (creates === null) return null;
  putFolders(node, folderOf(creates));
  const place = node.files.place(creates);
  const owned = {
    mode: "0644",
    owner: "root",
    group: "root",
    immutable: false,
    readable: true,
    modifiedMs: node.nowMs,
  };
  if (place.kind === "place") node.files.put(place.path, { type: "file", content: textContent(""), ...owned });
  return null;
}
