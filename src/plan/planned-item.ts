import type { ResourceTypeName } from "../model/drift-item.ts";
import { IMAGINED_VERSION } from "../model/imagined-machine.ts";
import type { Basis, ItemKind, PlannedContent, PlannedItem } from "../model/plan-document.ts";
import type { Finding } from "../resources/contract.ts";
import type { DriftEntry } from "./drift.ts";

/** What is known of the node that an item is about. */
export interface ItemGround {
  readonly basis: Basis;
  /** Something that the node proved says what this resource is about. */
  readonly declaredBefore: boolean;
}

/** A drift entry as plans show it: without times, hashes of secrets and what was only imagined. */
export function plannedItem(entry: DriftEntry, ground: ItemGround, content: PlannedContent | null): PlannedItem {
  const { role, resource, finding } = entry;
  const guess = guessAt(entry, ground);
  return {
    role: role.name,
    resource: resource.record.id,
    type: resource.record.type,
    kind: itemKind(finding, resource.record.type, entry.release !== undefined),
    verb: finding.verb,
    params: shownParams(finding.params),
    severity: finding.severity,
    reasons: [...finding.reasons],
    basis: guess === null ? ground.basis : "unknown",
    why: guess ?? whyOf(entry, ground),
    content,
  };
}

/** Why nobody can tell whether there is anything to do at all; null: there is. */
function guessAt({ finding, release }: DriftEntry, { basis, declaredBefore }: ItemGround): string | null {
  if (basis === "live" || basis === "audit" || release !== undefined) return null;
  const { verb, params } = finding;
  if (verb === "upgrade" && params.from === IMAGINED_VERSION)
    return "declared without a version before; which one is there is not known";
  if (declaredBefore || (verb !== "remove" && verb !== "stop" && verb !== "disable")) return null;
  return "nobody has read whether it is there";
}

function shownParams(params: Finding["params"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== IMAGINED_VERSION));
}

/** Exhaustive over the verbs of host-state §4. */
export function itemKind(finding: Finding, type: ResourceTypeName, released: boolean): ItemKind {
  const { verb, severity, reasons, params } = finding;
  switch (verb) {
    case "noop":
      return released && severity === "warn" ? "keep" : "obstacle";
    case "remove":
      return "remove";
    case "stop":
    case "disable":
      return released ? "remove" : "change";
    case "install":
      return params.repair === true || (type === "package" && !reasons.includes("missing")) ? "change" : "create";
    case "write":
      return reasons.includes("missing") ? "create" : "change";
    case "start":
      return isOnlyRestart(finding) ? "restart" : "change";
    case "upgrade":
    case "chmod":
    case "chown":
    case "enable":
    case "run":
      return "change";
  }
}

function isOnlyRestart({ params, reasons }: Finding): boolean {
  const due = params.restart === true || params.reload === true;
  return due && reasons.every((reason) => reason === "restart-due" || reason === "reload-due");
}

export const READ_AND_DIFFERED = "the node was read and differed from what it proved; it is written over";

/** One line, the same for nodes that are alike. */
function whyOf({ finding, release }: DriftEntry, { basis, declaredBefore }: ItemGround): string {
  const { params, verb } = finding;
  if (release !== undefined) return releasedWhy(finding);
  if (verb === "noop") return "it cannot be done as declared";
  const because = Array.isArray(params.because) ? params.because.map(String).join(", ") : "";
  if (because !== "" && isOnlyRestart(finding)) return `because of ${because}`;
  switch (basis) {
    case "live":
      return "read just now";
    case "audit":
      return READ_AND_DIFFERED;
    case "unknown":
      return declaredBefore
        ? "the node proved something that nobody can look up any more; whatever it has is written over"
        : "never proved here; shown as for a machine that has nothing of it";
    case "desired":
      return declaredBefore
        ? "declared otherwise than before"
        : "new in the declaration; if something stands there already, it is written over";
  }
}

function releasedWhy({ verb, reasons }: Finding): string {
  if (verb !== "noop") return "no longer declared, and its role says on_release: remove";
  if (reasons.includes("observed-only")) return "no longer declared; its role only reports";
  return reasons.length > 1
    ? "no longer declared, and it cannot be taken away"
    : "no longer declared; it stays as it is";
}
