import type { Diagnostic } from "../../kit/diagnostic.ts";
import type { Draft, Entry } from "../draft.ts";
import type { RoleFile } from "../read-role.ts";
import { roleNamesOf } from "../roles-of.ts";
import { nearest } from "../schema/nearest.ts";
import { at, type Rule } from "./rule.ts";

/** The canary that a role names is one of its nodes (DESIGN §3.3, canary-not-a-target), and there is a first wave for it. */
export const canaries: Rule = (draft) =>
  draft.roles.flatMap((entry) => [...notATarget(draft, entry), ...withoutWaves(entry)]);

function notATarget(draft: Draft, role: Entry<RoleFile>): Diagnostic[] {
  const { canary } = role.value.rollout;
  if (canary === undefined) return [];
  const node = draft.nodes.find(({ stem }) => stem === canary);
  // A node whose file has errors of its own may have the role for all that is known.
  if (node === undefined && draft.names.nodes.has(canary)) return [];
  const targets = (one: typeof node) =>
    one !== undefined && one.value.state === "active" && roleNamesOf(one.value, draft.names.roles).includes(role.stem);
  if (targets(node)) return [];
  const meant = nearest(
    canary,
    draft.nodes.filter(targets).map(({ stem }) => stem),
  );
  const why = node === undefined ? `there is no node ${canary}` : `${canary} does not have the role ${role.stem}`;
  const hint = meant === undefined ? "Name a node that has this role, or remove canary:." : `Did you mean ${meant}?`;
  return [at(role, ["rollout", "canary"], { code: "canary-not-a-target", message: why, hint })];
}

function withoutWaves(role: Entry<RoleFile>): Diagnostic[] {
  const { risk, rollout } = role.value;
  const key = rollout.canary !== undefined ? "canary" : rollout.concurrent === true ? "concurrent" : null;
  if (risk === "risky" || key === null) return [];
  return [
    at(role, ["rollout", key], {
      code: "canary-of-safe",
      severity: "warning",
      message: `a role of risk: safe goes to all its nodes in one wave, so that ${key} says nothing`,
      hint: `Remove ${key}:, or write risk: risky.`,
    }),
  ];
}
