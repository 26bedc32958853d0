import type { Diagnostic } from "../kit/diagnostic.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** Diagnostics for people: place, code and message on one line, what to do below it, and a last line that counts them. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], paint: Paint): string {
  const lines = diagnostics.flatMap((diagnostic) => {
    const { file, line, column, code, message, hint, severity } = diagnostic;
    const word = severity === "error" ? paint.red(severity) : paint.yellow(severity);
    return [
      `${paint.bold(`${visible(file)}:${line}:${column}`)} ${word} ${code}: ${visible(message)}`,
      paint.dim(`  ${visible(hint)}`),
    ];
  });
  return [...lines, summary(diagnostics), ""].join("\n");
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  if (diagnostics.length === 0) return "valid";
  const parts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? "error" : "errors"}`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
  ];
  return errors === 0 ? `valid, with ${parts.join("")}` : parts.join(", ");
}
