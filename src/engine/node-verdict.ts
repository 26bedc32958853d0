import { isConverged } from "../model/drift-report.ts";
import type { Step } from "../model/node-effect.ts";
import type { StepResult } from "../model/node-facts.ts";
import type { NodeOutcome, OutcomeCode } from "../model/node-outcome.ts";
import type { DriftEntry } from "../plan/drift.ts";
import { type BlockedRole, blockedRoles } from "../plan/requirements.ts";
import { actedOn } from "../plan/steps.ts";
import { STATE_FOLDER } from "../shell/state-folder.ts";
import { rolesAtWork } from "./node-work.ts";
import type { ObservedNode } from "./observe-node.ts";

/** What a run did to a node, as its outcome tells it. */
export interface Done {
  readonly before: ObservedNode;
  readonly after: ObservedNode;
  readonly steps: readonly Step[];
  readonly results: readonly StepResult[];
  /** The record of what is rollcall's was read back as the run was to leave it. */
  readonly recorded: boolean;
}

/** What became of a node after its steps: a failed one, else what was read back (DESIGN §3.2). */
export function verdict(done: Done): NodeOutcome {
  const { after, steps, results } = done;
  const blocked = blockedText([...notBegun(done.before), ...leftOut(steps, results)]);
  const failed = results.find((result) => result.state === "failed" || result.state === "cut-off");
  if (failed !== undefined) return outcome(after, "failed", failedStep(steps, results, failed), blocked);
  const enforced = after.entries.filter((entry) => entry.role.mode === "enforce");
  if (!isConverged(enforced.map((entry) => entry.item))) {
    const first = enforced.find((entry) => entry.finding.severity !== "warn" && !blocked.roles.has(entry.role.name));
    return outcome(after, "not-converged", first === undefined ? "" : stillDiffers(first), blocked);
  }
  if (!done.recorded) {
    return outcome(after, "failed", `${STATE_FOLDER}/owned could not be written; is its disk full or read-only?`);
  }
  return outcome(after, "converged", recordTrouble(after));
}

/** Entries of the node's record that are not believed: for the message of an outcome. */
export function recordTrouble({ facts, reading }: ObservedNode): string {
  const rejected = facts.owned.rejected + reading.rejected;
  if (rejected === 0) return "";
  const lines = rejected === 1 ? "1 entry is" : `${rejected} entries are`;
  return `${lines} not rollcall's in ${STATE_FOLDER}/owned and left out; somebody else wrote there`;
}

/** Roles that were not begun, and that had something to do. */
function notBegun({ entries, work }: ObservedNode): readonly BlockedRole[] {
  const roles = rolesAtWork(work);
  const acted = new Set(actedOn(entries, roles));
  const waiting = entries.filter(
    (entry) => !acted.has(entry) && entry.finding.verb !== "noop" && entry.role.mode === "enforce",
  );
  return blockedRoles(roles, entries).filter(({ role }) => waiting.some((entry) => entry.role.name === role));
}

/** Roles whose steps the node left out because a step of a role that they require failed. */
function leftOut(steps: readonly Step[], results: readonly StepResult[]): readonly BlockedRole[] {
  const rolesWith = (...states: StepResult["state"][]): Set<string> =>
    new Set(results.filter(({ state }) => states.includes(state)).flatMap(({ index }) => steps[index]?.role ?? []));
  const failed = rolesWith("failed", "cut-off");
  return [...rolesWith("skipped")].flatMap((role) => {
    if (failed.has(role)) return [];
    const needs = steps.find((step) => step.role === role)?.needs ?? [];
    const because = needs.find((name) => failed.has(name));
    return because === undefined ? [] : [{ role, because, why: "failed" as const }];
  });
}

interface BlockedText {
  readonly roles: ReadonlySet<string>;
  readonly text: string;
}

function blockedText(blocked: readonly BlockedRole[]): BlockedText {
  const lines = blocked.map(({ role, because, why }) => {
    const reason = why === "failed" ? "failed" : "differs and is only observed";
    return `blocked: role ${role}, because ${because} ${reason}`;
  });
  return { roles: new Set(blocked.map(({ role }) => role)), text: lines.join("; ") };
}

function outcome(of: ObservedNode, code: OutcomeCode, message: string, blocked?: BlockedText): NodeOutcome {
  const parts = [message, blocked?.text ?? ""].filter((part) => part !== "");
  return { node: of.work.node.name, outcome: code, message: parts.join("; ") };
}

function failedStep(steps: readonly Step[], results: readonly StepResult[], failed: StepResult): string {
  const role = steps[failed.index]?.role;
  const skipped = results.filter(({ index, state }) => state === "skipped" && steps[index]?.role === role).length;
  const detail = failed.detail.trim().split("\n").at(-1) ?? "";
  const rest = skipped === 0 ? "" : `; ${skipped} later ${skipped === 1 ? "step" : "steps"} of the role left out`;
  const code = failed.state === "cut-off" ? "cut off" : (failed.code ?? "failed");
  return `${steps[failed.index]?.resource ?? "?"}: ${code}${detail === "" ? "" : `: ${detail}`}${rest}`;
}

function stillDiffers(entry: DriftEntry): string {
  return `${entry.item.resource.id} still differs after the apply: ${entry.finding.reasons.join(", ")}`;
}
