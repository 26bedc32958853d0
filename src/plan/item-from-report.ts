import type { PlannedItem } from "../model/plan-document.ts";
import type { Finding } from "../resources/contract.ts";
import { itemKind, READ_AND_DIFFERED } from "./planned-item.ts";
import type { RecordedItem } from "./recorded-items.ts";

/** What an audit saw and a plan cannot work out by itself: the state of a service has causes that no report tells. */
export function itemFromReport({ role, resource, action_to_apply, severity }: RecordedItem): PlannedItem {
  const { reasons: written, ...params } = action_to_apply.params ?? {};
  const reasons = Array.isArray(written) ? written.map(String).filter((reason) => reason !== "") : [];
  const finding: Finding = { verb: action_to_apply.verb, severity, reasons, params };
  return {
    role,
    resource: resource.id,
    type: resource.type,
    kind: itemKind(finding, resource.type, false),
    verb: finding.verb,
    params,
    severity,
    reasons,
    basis: "audit",
    why: finding.verb === "noop" ? "it cannot be done as declared" : READ_AND_DIFFERED,
    content: null,
  };
}
