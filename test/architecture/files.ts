import path from "node:path/posix";
import type { SourceFile } from "./imports.ts";

const MOST_LINES = 300;
const CATCH_ALLS = /^(common|helpers?|manager|misc|service|types|utils?)$/;
const DEFAULT_EXPORT = /^export default\b|^export \{[^}]*\bas default\b/m;
/** Their tools insist on it. */
const DEFAULT_EXPORT_ALLOWED = new Set(["vitest.config.ts"]);
/** A domain word there: the service of an agent. */
const NAME_ALLOWED = new Set(["src/agents/service.ts"]);

/** Complaints about files that are too long, are named for nothing in particular, or export a default. */
export function fileViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const stem = path.basename(file.path).replace(/(\.test)?\.[a-z]+$/, "");
    const lines = file.text.trimEnd().split("\n").length;
    const problems = [
      lines > MOST_LINES && `has ${lines} lines; at most ${MOST_LINES}`,
      CATCH_ALLS.test(stem) && !NAME_ALLOWED.has(file.path) && `is named "${stem}"; name it for the one idea in it`,
      DEFAULT_EXPORT.test(file.text) && !DEFAULT_EXPORT_ALLOWED.has(file.path) && "has a default export",
    ];
    return problems.filter((problem) => problem !== false).map((problem) => `${file.path}: ${problem}`);
  });
}
