import { type Diagnostic, hasErrors, sortDiagnostics } from "../kit/diagnostic.ts";
import type { DesiredFiles } from "../ports.ts";
import type { DesiredState, Role } from "./desired-state.ts";
import { type Draft, readDraft } from "./draft.ts";
import type { RoleFile } from "./read-role.ts";
import { roleDigest } from "./role-digest.ts";
import { BASE_ROLE } from "./roles-of.ts";
import { RULES } from "./rules/index.ts";
import { withDefaults } from "./schema/node.ts";

export interface LoadedDesired {
  /** null when there is an error. */
  readonly state: DesiredState | null;
  /** Known as soon as fleet.yaml is valid, whatever else is not. */
  readonly generation: number | null;
  /** All findings of all files, sorted. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Files → one desired state, or everything that is wrong with them (DESIGN §3). Pure and linear in the files' size. */
export function loadDesired(files: DesiredFiles): LoadedDesired {
  return judgeDraft(readDraft(files));
}

export function judgeDraft(draft: Draft): LoadedDesired {
  const diagnostics = sortDiagnostics([...draft.diagnostics, ...RULES.flatMap((rule) => rule(draft))]);
  const generation = draft.fleet?.value.generation ?? null;
  return { state: hasErrors(diagnostics) ? null : assemble(draft), generation, diagnostics };
}

function assemble({ fleet, nodes, roles, names }: Draft): DesiredState | null {
  if (fleet === null) return null;
  return {
    fleet: fleet.value,
    nodes: nodes.map(({ value }) => {
      const node = withDefaults(value, fleet.value.defaults);
      return { ...node, roles: node.roles.filter((role) => role !== BASE_ROLE || node.os !== "linux") };
    }),
    roles: new Map(roles.map(({ stem, value }) => [stem, toRole(value)])),
    profiles: [...names.profiles],
  };
}

function toRole(file: RoleFile): Role {
  return {
    name: file.role,
    version: file.version,
    description: file.description,
    requires: file.requires,
    mutuallyExclusive: file.mutually_exclusive,
    mode: file.mode,
    risk: file.risk,
    onRelease: file.on_release,
    rollout: file.rollout,
    resources: file.resources.map(({ declared }) => declared),
    digest: roleDigest(file),
  };
}
