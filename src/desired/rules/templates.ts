import type { Diagnostic } from "../../kit/diagnostic.ts";
import { nodeScope } from "../../templates/node-scope.ts";
import { renderTemplate } from "../../templates/render-template.ts";
import type { Draft, Entry } from "../draft.ts";
import { roleFilesFolder } from "../layout.ts";
import type { PlacedResource, RoleFile } from "../read-role.ts";
import { roleNamesOf } from "../roles-of.ts";
import type { NodeFile } from "../schema/node.ts";
import { at, type Rule, some } from "./rule.ts";

/**
 * A file with `template: true` is rendered for every node that has the role: a variable that is not defined on one of them
 * is a finding here, not on the node (DESIGN §3.2). Each is said once, with the nodes that lack it.
 */
export const templates: Rule = (draft) => {
  const nodes = nodesByRole(draft);
  return draft.roles.flatMap((role) => {
    const placed = role.value.resources.filter(({ declared }) => isTemplate(declared.record));
    return placed.flatMap((resource) => findings(role, resource, nodes.get(role.stem) ?? []));
  });
};

function isTemplate(record: { readonly template?: unknown } | object): boolean {
  return "template" in record && record.template === true;
}

function nodesByRole(draft: Draft): ReadonlyMap<string, readonly Entry<NodeFile>[]> {
  const having = new Map<string, Entry<NodeFile>[]>();
  for (const node of draft.nodes.filter(({ value }) => value.state === "active")) {
    for (const role of roleNamesOf(node.value, draft.names.roles)) {
      const nodes = having.get(role);
      if (nodes === undefined) having.set(role, [node]);
      else nodes.push(node);
    }
  }
  return having;
}

interface Finding {
  readonly code: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string;
  readonly nodes: string[];
}

function findings(role: Entry<RoleFile>, resource: PlacedResource, nodes: readonly Entry<NodeFile>[]): Diagnostic[] {
  const { record, content } = resource.declared;
  if (content === null) return [];
  const found = new Map<string, Finding>();
  for (const node of nodes) {
    const rendered = renderTemplate(content.bytes(), nodeScope(node.value));
    for (const problem of rendered.kind === "problems" ? rendered.problems : []) {
      const key = `${problem.line}:${problem.column}:${problem.code}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { ...problem, nodes: [node.stem] });
      else known.nodes.push(node.stem);
    }
  }
  const source = "source" in record && typeof record.source === "string" ? record.source : null;
  return [...found.values()].map((finding) => placed(role, resource, source, finding));
}

/** At the place in the shipped file; of an inline text at its key, with the place in the message. */
function placed(role: Entry<RoleFile>, resource: PlacedResource, source: string | null, finding: Finding): Diagnostic {
  const { code, line, column, hint, nodes } = finding;
  const message = code === "undefined-variable" ? `${finding.message} for ${some(nodes)}` : finding.message;
  const key = ["resources", resource.index, source === null ? "content" : "source"];
  const where = at(role, key, { code, message, hint });
  if (source !== null) return { ...where, file: roleFilesFolder(role.stem) + source, line, column };
  return { ...where, message: `line ${line}, column ${column} of the text: ${message}` };
}
