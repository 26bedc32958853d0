import type { NodeEffect } from "../../model/node-effect.ts";
import { FILE_FUNCTIONS } from "../functions/files.ts";
import { PACKAGE_FUNCTIONS } from "../functions/packages.ts";
import { UNIT_FUNCTIONS } from "../functions/units.ts";
import { makeDirectory, removeDirectory } from "./directories.ts";
import { setMode, setOwner } from "./ownership.ts";
import { installPackage, removePackage } from "./packages.ts";
import { clearPending, notePending } from "./pending.ts";
import { removeFile } from "./remove-file.ts";
import { runCommand } from "./run-command.ts";
import { disableUnit, enableUnit, reloadDaemon, reloadUnit, restartUnit, startUnit, stopUnit } from "./units.ts";
import { writeFile } from "./write-file.ts";

/** An effect as the lines of a function's body (block.ts); {@link effectFunctions} must stand before it. */
export function renderEffect(effect: NodeEffect): string {
  switch (effect.do) {
    case "install-package":
      return installPackage(effect);
    case "remove-package":
      return removePackage(effect);
    case "write-file":
      return writeFile(effect);
    case "make-directory":
      return makeDirectory(effect);
    case "set-owner":
      return setOwner(effect);
    case "set-mode":
      return setMode(effect);
    case "remove-file":
      return removeFile(effect);
    case "remove-directory":
      return removeDirectory(effect);
    case "reload-daemon":
      return reloadDaemon(effect);
    case "enable-unit":
      return enableUnit(effect);
    case "disable-unit":
      return disableUnit(effect);
    case "start-unit":
      return startUnit(effect);
    case "restart-unit":
      return restartUnit(effect);
    case "reload-unit":
      return reloadUnit(effect);
    case "stop-unit":
      return stopUnit(effect);
    case "note-pending":
      return notePending(effect);
    case "clear-pending":
      return clearPending(effect);
    case "run-command":
      return runCommand(effect);
  }
}

/** The shell functions that the bodies of these effects call, once each; kinds that do not occur are left out. */
export function effectFunctions(effects: readonly NodeEffect[]): string {
  return [...new Set(effects.flatMap(({ do: kind }) => FUNCTIONS[kind] ?? []))].join("\n");
}

const FUNCTIONS: Readonly<Record<NodeEffect["do"], string | null>> = {
  "install-package": PACKAGE_FUNCTIONS,
  "remove-package": PACKAGE_FUNCTIONS,
  "write-file": FILE_FUNCTIONS,
  "make-directory": FILE_FUNCTIONS,
  "set-owner": FILE_FUNCTIONS,
  "set-mode": FILE_FUNCTIONS,
  "remove-file": FILE_FUNCTIONS,
  "remove-directory": FILE_FUNCTIONS,
  "reload-daemon": UNIT_FUNCTIONS,
  "enable-unit": UNIT_FUNCTIONS,
  "disable-unit": UNIT_FUNCTIONS,
  "start-unit": UNIT_FUNCTIONS,
  "stop-unit": UNIT_FUNCTIONS,
  "restart-unit": UNIT_FUNCTIONS,
  "reload-unit": UNIT_FUNCTIONS,
  "note-pending": null,
  "clear-pending": null,
  "run-command": null,
};
