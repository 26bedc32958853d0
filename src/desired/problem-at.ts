import type { Diagnostic } from "../kit/diagnostic.ts";
import type { YamlPath } from "./yaml/place.ts";
import type { YamlSource } from "./yaml/read-yaml.ts";

export interface ProblemText {
  readonly code: string;
  /** `error` when left out. */
  readonly severity?: Diagnostic["severity"];
  readonly message: string;
  readonly hint: string;
}

/** A diagnostic at a key or a value of a YAML file. */
export function problemAt(
  source: YamlSource,
  path: YamlPath,
  part: "key" | "value",
  { severity = "error", ...text }: ProblemText,
): Diagnostic {
  return { ...text, severity, file: source.file, ...source.locate(path, part), key: path.join(".") };
}

/** A diagnostic about a whole file. */
export function problemOf(file: string, { severity = "error", ...text }: ProblemText): Diagnostic {
  return { ...text, severity, file, line: 1, column: 1, key: "" };
}
