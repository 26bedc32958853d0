import { z } from "zod";
import { NODE_OSES } from "../../model/node.ts";
import { account, boolean, hostAddress, moment, name, port, sha256, text, unitId } from "../../model/scalar.ts";
import type { Fleet, Node } from "../desired-state.ts";
import { agentSchema } from "./agent.ts";

const nodeKeys = z.strictObject({
  name,
  class: name,
  os: z.enum(NODE_OSES).default("linux"),
  address: hostAddress,
  port: port.optional(),
  user: account.optional(),
  become: z.enum(["sudo", "none"]).optional(),
  jump: name.optional(),
  aliases: z.array(name).default([]),
  roles: z.array(name).default([]),
  profiles: z.array(name).default([]),
  labels: z.record(name, text).default({}),
  vars: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must hold only letters, digits and _"), z.string())
    .default({}),
  machine_id: sha256.optional(),
  enabled: boolean.default(true),
  state: z.enum(["active", "retired"]).default("active"),
  agents: z.array(agentSchema).default([]),
  declines: z.array(z.strictObject({ unit: unitId, reason: text, by: text, at: moment })).default([]),
  claims: z.array(z.strictObject({ unit: unitId, note: text, by: text, at: moment })).default([]),
  down: z.strictObject({ reason: text, recheck: text.default("reachable"), by: text, since: moment }).optional(),
});

/** A node as its file has it: the fleet's defaults are not filled in yet. */
export type NodeFile = Omit<Node, "port" | "user" | "become"> & {
  readonly port: number | null;
  readonly user: string | null;
  readonly become: Node["become"] | null;
};

/** `roster/nodes/<name>.yaml` (DESIGN §3). */
export const nodeSchema = nodeKeys.transform(toNodeFile);

export function withDefaults(node: NodeFile, defaults: Fleet["defaults"]): Node {
  return {
    ...node,
    port: node.port ?? defaults.port,
    user: node.user ?? defaults.user,
    become: node.become ?? defaults.become,
  };
}

function toNodeFile({ machine_id, ...keys }: z.output<typeof nodeKeys>): NodeFile {
  return {
    ...keys,
    port: keys.port ?? null,
    user: keys.user ?? null,
    become: keys.become ?? null,
    jump: keys.jump ?? null,
    machineId: machine_id ?? null,
    down: keys.down ?? null,
  };
}
