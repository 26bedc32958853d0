import type { DesiredState } from "../desired/desired-state.ts";
import { loadDesired } from "../desired/load-desired.ts";
import { hasErrors } from "../kit/diagnostic.ts";
import type { DesiredFiles } from "../ports.ts";
import { renderDiagnostics } from "../render/diagnostics.ts";
import { type CommandResult, EXIT } from "./result.ts";

/** The desired state, or the answer of a verb that cannot begin because it is not valid: all diagnostics, exit 1. */
export function loadState(files: DesiredFiles): DesiredState | CommandResult {
  const { state, diagnostics } = loadDesired(files);
  if (state !== null && !hasErrors(diagnostics)) return state;
  return {
    exitCode: EXIT.failed,
    document: { ok: false, generation: state?.fleet.generation ?? null, diagnostics },
    text: (paint) => renderDiagnostics(diagnostics, paint),
  };
}

export function isResult(value: DesiredState | CommandResult): value is CommandResult {
  return "exitCode" in value;
}
