import type { Command } from "commander";
import type { Verb } from "./answer.ts";
import { addCiAudit } from "./program-ci-audit.ts";
import { addCiComment } from "./program-ci-comment.ts";
import { addCiPullRequest } from "./program-ci-pull-request.ts";
import { addCiReconcile } from "./program-ci-reconcile.ts";

/** A verb that workflows call: it adds itself to `ci`. Each is one file, program-ci-<verb>.ts. */
export type CiVerb = (ci: Command, run: Verb) => void;

/** DESIGN §6: what the workflows call. A further verb is one line here and one file. */
const CI_VERBS: readonly CiVerb[] = [addCiPullRequest, addCiReconcile, addCiAudit, addCiComment];

export function addCiVerbs(program: Command, run: Verb): void {
  const ci = program.command("ci").description("what the workflows on GitHub call");
  for (const add of CI_VERBS) add(ci, run);
}
