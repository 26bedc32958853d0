import type { PlanDecision, PlanDocument, PlanFinding } from "../model/plan-document.ts";
import { type Annotation, MOST_ANNOTATIONS } from "../ports/workflow-run.ts";

/**
 * What stands beside the lines of the change (DESIGN §6): what blocks as errors, decisions and warnings as warnings, the most
 * telling first. What there is no room for is counted in the last.
 */
export function planAnnotations({ blocks, warnings, decisions }: PlanDocument): readonly Annotation[] {
  const errors = blocks.map((finding) => ofFinding(finding, "error"));
  const told = [...decisions.map(ofDecision), ...warnings.map((finding) => ofFinding(finding, "warning"))];
  return [...bounded(errors, "error"), ...bounded(told, "warning")];
}

function ofFinding({ code, message, hint, file, line }: PlanFinding, level: Annotation["level"]): Annotation {
  return { level, title: `rollcall: ${code}`, text: hint === "" ? message : `${message}\n${hint}`, file, line };
}

/** A decision about a role stands beside its manifest. */
function ofDecision({ code, unit, nodes, text }: PlanDecision): Annotation {
  const role = unit?.startsWith("role:") ? unit.slice("role:".length) : null;
  const on =
    nodes.length === 0
      ? ""
      : ` (${nodes.slice(0, 5).join(" ")}${nodes.length > 5 ? ` and ${nodes.length - 5} more` : ""})`;
  const file = role === null ? null : `host-roles/${role}.yaml`;
  return {
    level: "warning",
    title: `rollcall, to decide: ${code}`,
    text: `${unit ?? ""} ${text}${on}`.trim(),
    file,
    line: null,
  };
}

function bounded(all: readonly Annotation[], level: Annotation["level"]): readonly Annotation[] {
  if (all.length <= MOST_ANNOTATIONS) return all;
  const shown = all.slice(0, MOST_ANNOTATIONS - 1);
  const text = `and ${all.length - shown.length} more; the job's summary has them all`;
  return [...shown, { level, title: "rollcall", text, file: null, line: null }];
}
