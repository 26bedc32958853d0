import { aliases } from "./aliases.ts";
import { canaries } from "./canaries.ts";
import { conflicts } from "./conflicts.ts";
import { inlineSecrets } from "./inline-secrets.ts";
import { jumps } from "./jumps.ts";
import { knownNames } from "./known-names.ts";
import { machines } from "./machines.ts";
import { ownNames } from "./own-names.ts";
import { repeatedNames } from "./repeated-names.ts";
import { requirements, requiresCycles } from "./requirements.ts";
import { resourceIds } from "./resource-ids.ts";
import { resourceProblems } from "./resource-problems.ts";
import type { Rule } from "./rule.ts";
import { templates } from "./templates.ts";
import { unusedFiles } from "./unused-files.ts";

/** What must hold across files (DESIGN §3.2); a new rule is one file and one line here. */
export const RULES: readonly Rule[] = [
  ownNames,
  knownNames,
  repeatedNames,
  aliases,
  canaries,
  jumps,
  machines,
  requiresCycles,
  requirements,
  resourceIds,
  resourceProblems,
  conflicts,
  inlineSecrets,
  templates,
  unusedFiles,
];
