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
  const known = remembered.get(role) ?? remember(role, nodeScope(node));
  const scope = known.variables.length === 0 ? NO_VARIABLES : nodeScope(node);
  const key = JSON.stringify(known.variables.map((name) => scope.get(name)));
  const digest = known.digests.get(key) ?? digestOf(known.parts, scope);
  known.digests.set(key, digest);
  return digest;
}

/** A resource whose bytes differ from node to node, or what is the same everywhere, as text. */
type Part = string | Declared;

/** 10,000 nodes render what differs between them, and no more often than it differs. */
interface Remembered {
  readonly parts: readonly Part[];
  /** Names that some part reads, sorted. */
  readonly variables: readonly string[];
  /** By the values of these. */
  readonly digests: Map<string, string>;
}

const NO_VARIABLES: TemplateScope = new Map();
const remembered = new WeakMap<Role, Remembered>();

/** Templates have no conditions: they read the same variables on every node, so that one rendering tells which. */
function remember(role: Role, scope: TemplateScope): Remembered {
  const variables = new Set<string>();
  const parts = role.resources.flatMap((resource): Part[] => {
    // How bytes were written down makes no difference once they are known. What binding makes of the record alone, an
    // environment file's text, is said by the record already.
    const ships = resource.content !== null;
    const said = stableJson(ships ? { ...resource.record, ...SAID_BY_CONTENT } : resource.record);
    if (!ships) return [said];
    const reading = new ReadScope(scope);
    const sha256 = renderedDigest(resource, reading);
    for (const name of reading.names) variables.add(name);
    return reading.names.size === 0 ? [said, sha256] : [said, resource];
  });
  const known = { parts, variables: [...variables].sort(), digests: new Map<string, string>() };
  remembered.set(role, known);
  return known;
}

const SAID_BY_CONTENT = { content: undefined, source: undefined, template: undefined };

class ReadScope extends Map<string, string> {
  readonly names = new Set<string>();

  override get(name: string): string | undefined {
    this.names.add(name);
    return super.get(name);
  }
}

function digestOf(parts: readonly Part[], scope: TemplateScope): string {
  return sha256Hex(parts.map((part) => (typeof part === "string" ? part : renderedDigest(part, scope))).join("\n"));
}

/** Of the bytes that a resource ships, as the node gets them. */
function renderedDigest(resource: Declared, scope: TemplateScope): string {
  const bound = resourceType(resource.record.type).bind?.(resource, { secrets: NO_SECRETS, scope }) ?? resource;
  if (bound.content === null) throw new Error(`${resource.record.id} of role ${resource.role} lost its content`);
  return bound.content.sha256;
}

const NO_SECRETS: SecretValues = {
  valueOf: () => null,
  hash: () => {
    throw new Error("a digest must not take a secret in");
  },
};
