import type { Diagnostic } from "../../kit/diagnostic.ts";
import { groupBy } from "../../kit/group-by.ts";
import { stableJson } from "../../kit/stable-json.ts";
import { resourceType } from "../../resources/index.ts";
import type { Draft, Entry } from "../draft.ts";
import type { PlacedResource, RoleFile } from "../read-role.ts";
import { roleNamesOf } from "../roles-of.ts";
import { at, type Rule, some } from "./rule.ts";

interface Claim {
  readonly what: string;
  readonly role: Entry<RoleFile>;
  readonly resource: PlacedResource;
}

/**
 * Two roles of a node must not declare one path, unit or package differently, and one role not twice (DESIGN §3.2).
 * Claims that only one role makes cost nothing, and nodes are asked only about those that differ.
 */
export const conflicts: Rule = (draft) => {
  const claims = draft.roles.flatMap((role) =>
    role.value.resources.flatMap((resource) => {
      const { record } = resource.declared;
      return resourceType(record.type)
        .claims(record)
        .map((what): Claim => ({ what, role, resource }));
    }),
  );
  const disputed = [...groupBy(claims, ({ what }) => what).values()].filter((group) => group.length > 1);
  if (disputed.length === 0) return [];
  const nodesWith = nodesByRole(draft);
  return disputed.flatMap((group) => pairs(group).flatMap(([first, second]) => conflict(first, second, nodesWith)));
};

function conflict(first: Claim, second: Claim, nodesWith: ReadonlyMap<string, ReadonlySet<string>>): Diagnostic[] {
  if (first.role === second.role) return sameRole(first, second);
  if (declaration(first.resource) === declaration(second.resource)) return [];
  const others = nodesWith.get(second.role.stem);
  const nodes = [...(nodesWith.get(first.role.stem) ?? [])].filter((node) => others?.has(node));
  if (nodes.length === 0) return [];
  return [
    at(second.role, ["resources", second.resource.index], {
      code: "conflicting-resources",
      message: `${second.what} is declared otherwise by the role ${first.role.stem} (${first.resource.declared.record.id}), and ${some(nodes)} ${nodes.length === 1 ? "has" : "have"} both`,
      hint: "Declare it in one role that the other requires, or the same in both.",
    }),
  ];
}

/** Two resources of one id have their own rule. */
function sameRole(first: Claim, second: Claim): Diagnostic[] {
  const { id } = first.resource.declared.record;
  if (first.resource === second.resource || second.resource.declared.record.id === id) return [];
  return [
    at(second.role, ["resources", second.resource.index], {
      code: "conflicting-resources",
      message: `${second.what} is already declared by ${id} in this role`,
      hint: "Remove one of the two.",
    }),
  ];
}

/** What a resource wants, whatever it is called and wherever its bytes come from. */
function declaration({ declared: { record, content } }: PlacedResource): string {
  return stableJson({ ...record, id: null, content: null, source: null, bytes: content?.sha256 ?? null });
}

function nodesByRole(draft: Draft): ReadonlyMap<string, ReadonlySet<string>> {
  const nodes = new Map<string, Set<string>>();
  for (const { stem, value } of draft.nodes) {
    if (value.state === "retired") continue;
    for (const role of roleNamesOf(value, draft.names.roles)) {
      const known = nodes.get(role);
      if (known === undefined) nodes.set(role, new Set([stem]));
      else known.add(stem);
    }
  }
  return nodes;
}

function pairs<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((first, index) => items.slice(index + 1).map((second): [Item, Item] => [first, second]));
}
