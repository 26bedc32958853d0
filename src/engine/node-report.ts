import type { NodeReport } from "../model/node-record.ts";
import { roleNodeDigest } from "../plan/node-digest.ts";
import { recordedItems } from "../plan/recorded-items.ts";
import type { Secrets } from "../ports.ts";
import type { ObservedNode } from "./observe-node.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** What the record keeps of one look at a node (DESIGN §4). No secret, in whatever form a tool printed it, is among it. */
export function nodeReport({ work, facts, entries }: ObservedNode, secrets: Pick<Secrets, "redact">): NodeReport {
  const { node, everyRole, roles } = work;
  const compared = new Set(roles.map(({ name }) => name));
  const digests = everyRole
    .filter(({ name }) => compared.has(name))
    .map((role) => [`role:${role.name}`, roleNodeDigest(role, node)] as const);
  return {
    v: 1,
    node: node.name,
    machine_id: facts.identity.machineId,
    digests: Object.fromEntries(digests),
    items: recordedItems(entries.map(({ item }) => withoutSecrets(item, secrets))),
  };
}
