import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { Draft, Entry } from "../draft.ts";
import { type ProblemText, problemAt } from "../problem-at.ts";
import type { YamlPath } from "../yaml/place.ts";

/** One thing that must hold across files. Pure; a rule that finds nothing returns nothing. */
export type Rule = (draft: Draft) => readonly Diagnostic[];

/** A finding at a value of an entry's file. */
export function at(entry: Entry<unknown>, path: YamlPath, problem: ProblemText): Diagnostic {
  return problemAt(entry.source, path, "value", problem);
}

/** "web-01, web-02, web-03 and 7 more": names for a message, never a screenful. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length <= 3 ? shown : `${shown} and ${names.length - 3} more`;
}
