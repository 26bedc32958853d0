import type { NodeSeed } from "../../src/adapters/memory/debian-node.ts";
import { Machine, type Ran } from "./machine.ts";
import { type KeyPair, newKeyPair } from "./ssh-keys.ts";
import { type SshServer, startSshServer } from "./ssh-server.ts";

export interface EmbeddedNodePlan extends NodeSeed {
  /** How long apt takes for one call, milliseconds; 0 when not given. */
  readonly aptMs?: number;
  /** Its sudoers do not know the login. */
  readonly refusesSudo?: boolean;
}

/** A node of the embedded fleet as a test or the demo sees it: from outside over SSH, from inside by these. */
export interface EmbeddedNode {
  readonly name: string;
  readonly port: number;
  /** `[127.0.0.1]:PORT ssh-ed25519 …`, a line of known_hosts. */
  readonly knownHostsLine: string;
  readonly machine: Machine;
  /** As root at the console: looks at the node, or tampers with it. */
  shell(script: string): Promise<Ran>;
  /** Nothing listens any more, and connections that stand are cut. */
  unplug(): Promise<void>;
  plugIn(): Promise<void>;
}

export interface EmbeddedFleet {
  /** In the order of the plan. */
  readonly nodes: readonly EmbeddedNode[];
  /** The one login of every node; it may become root with `sudo -n`. */
  readonly user: string;
  /** Opens every node. */
  readonly clientKey: KeyPair;
  node(name: string): EmbeddedNode;
  close(): Promise<void>;
}

const LOGIN = "deploy";

/**
 * Starts simulated nodes, each an SSH server on a port of its own of 127.0.0.1, all in this process. They know little
 * (README.md of this folder says what), but what they know is enough for the whole loop over real connections.
 */
export async function startEmbeddedFleet(plans: readonly EmbeddedNodePlan[]): Promise<EmbeddedFleet> {
  const clientKey = newKeyPair();
  const servers: SshServer[] = [];
  const nodes: EmbeddedNode[] = [];
  for (const plan of plans) {
    const machine = new Machine(plan, plan.aptMs ?? 0);
    await machine.boot(LOGIN);
    const hostKey = newKeyPair();
    const login = { user: LOGIN, publicKey: clientKey.publicKey, mayBecomeRoot: plan.refusesSudo !== true };
    const server = await startSshServer(machine, hostKey, login);
    servers.push(server);
    nodes.push({
      name: plan.name,
      port: server.port,
      knownHostsLine: `[127.0.0.1]:${server.port} ${hostKey.publicKey}`,
      machine,
      shell: (script) => machine.run(script),
      unplug: () => server.close(),
      plugIn: () => server.listen(),
    });
  }
  return {
    nodes,
    user: LOGIN,
    clientKey,
    node: (name) => {
      const node = nodes.find((one) => one.name === name);
      if (node === undefined) throw new Error(`there is no embedded node ${name}`);
      return node;
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
