import type { Node, Role } from "../desired/desired-state.ts";
import { sha256Hex } from "../kit/digest.ts";
import { stableJson } from "../kit/stable-json.ts";
import type { Declared, SecretValues } from "../resources/contract.ts";
import { resourceType } from "../resources/index.ts";
import { nodeScope } from "../templates/node-scope.ts";
import type { TemplateScope } from "../templates/render-template.ts";

/**
 * What a role asks of one node (DESIGN §3.2): lower-case hex SHA-256 over its resources as they are for this node. Shipped
 * bytes count as rendered, whatever file or text they come from; secrets by the name of their reference. `version`,
 * description and rollout policy do not count: they change nothing on a node.
 */
export function roleNodeDigest(role: Role, node: Node): string {
  const scope = nodeScope(node);
  const known = remembered.get(role) ?? remember(role, scope);
  const key = JSON.stringify(known.variables.map((name) => scope.get(name)));
  const digest = known.digests.get(key) ?? digestOf(role, scope);
  known.digests.set(key, digest);
  return digest;
}

/** Variables that the role reads, and the digest for each set of their values: 10,000 nodes render no more than they differ. */
interface Remembered {
  readonly variables: readonly string[];
  readonly digests: Map<string, string>;
}

const remembered = new WeakMap<Role, Remembered>();

/** Templates have no conditions: they read the same variables on every node, so that one rendering tells which. */
function remember(role: Role, scope: TemplateScope): Remembered {
  const reading = new ReadScope(scope);
  digestOf(role, reading);
  const known = { variables: [...reading.names].sort(), digests: new Map<string, string>() };
  remembered.set(role, known);
  return known;
}

class ReadScope extends Map<string, string> {
  readonly names = new Set<string>();

  override get(name: string): string | undefined {
    this.names.add(name);
    return super.get(name);
  }
}

function digestOf(role: Role, scope: TemplateScope): string {
  return sha256Hex(stableJson(role.resources.map((resource) => rendered(resource, scope))));
}

/** What binding makes of the record alone, an environment file's text, is said by the record already. */
function rendered(resource: Declared, scope: TemplateScope): unknown {
  if (resource.content === null) return { record: resource.record };
  const bound = resourceType(resource.record.type).bind?.(resource, { secrets: NO_SECRETS, scope }) ?? resource;
  return { record: { ...resource.record, ...SAID_BY_CONTENT }, content: bound.content?.sha256 };
}

/** How bytes were written down: once they are known it makes no difference. */
const SAID_BY_CONTENT = { content: undefined, source: undefined, template: undefined };

const NO_SECRETS: SecretValues = {
  valueOf: () => null,
  hash: () => {
    throw new Error("a digest must not take a secret in");
  },
};
