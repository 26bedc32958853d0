import { compareText } from "./compare-text.ts";
/**
 * What is wrong in something a person wrote. Diagnostics are accumulated and never thrown, so that a reader sees all of
 * them at once (DESIGN §5: the shape of `validate --json`).
 */
export interface Diagnostic {
  /** Stable kebab-case code; tests and tools match on it, never on the message. */
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Path inside the fleet repository, `/` separated. */
  readonly file: string;
  /** 1-based; 1:1 when the finding is about the whole file. */
  readonly line: number;
  readonly column: number;
  /** Dotted path of the key, `resources.2.mode`; empty for the whole file. */
  readonly key: string;
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** File, then place, then code: the order in which people read them, and the same for the same input. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compareText(a.code, b.code) ||
      compareText(a.key, b.key) ||
      compareText(a.message, b.message),
  );
}
