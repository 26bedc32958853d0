import type { OpenPullRequest } from "../../model/forge.ts";
import type { PlanDocument, PlannedUnit } from "../../model/plan-document.ts";

/** The plan with what other open pull requests change of the same roles and nodes (DESIGN §6). */
export function withConflicts(document: PlanDocument, others: readonly OpenPullRequest[]): PlanDocument {
  const touched = others.map((other) => ({ other, ...touchedBy(other) }));
  return {
    ...document,
    units: document.units.map((unit) => ({ ...unit, conflicts: touched.flatMap((each) => conflictOf(unit, each)) })),
  };
}

interface Touched {
  readonly other: OpenPullRequest;
  readonly roles: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
}

function touchedBy({ files }: OpenPullRequest): Omit<Touched, "other"> {
  const named = (pattern: RegExp) => new Set(files.flatMap((file) => pattern.exec(file)?.[1] ?? []));
  return { roles: named(/^host-roles\/([^/]+?)(?:\.yaml$|\/)/), nodes: named(/^roster\/nodes\/([^/]+)\.yaml$/) };
}

function conflictOf(unit: PlannedUnit, { other, roles, nodes }: Touched): PlannedUnit["conflicts"] {
  const role = unit.unit.startsWith("role:") ? unit.unit.slice("role:".length) : null;
  const shared = unit.targets.map(({ node }) => node).filter((node) => nodes.has(node));
  const whys = [
    ...(role !== null && roles.has(role) ? [`it changes role ${role} too`] : []),
    ...(shared.length > 0 ? [`it changes ${namesOf(shared)}, which this is for`] : []),
    ...(other.complete ? [] : ["it changes more files than can be listed"]),
  ];
  if (whys.length === 0) return [];
  const title = other.title.length > 200 ? `${other.title.slice(0, 200)}…` : other.title;
  return [{ with: `pull request ${other.number} (${title})`, why: whys.join("; ") }];
}

function namesOf(nodes: readonly string[]): string {
  const more = nodes.length - 4;
  return `${nodes.slice(0, 4).join(", ")}${more > 0 ? ` and ${more} more nodes` : ""}`;
}
