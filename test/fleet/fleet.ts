import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { FleetNode, type NodeDescription } from "./fleet-node.ts";
import { runProcess } from "./run-process.ts";

export interface FleetOptions {
  /** Small letters, digits and dashes. A fleet that a killed run left under this id is removed first. */
  readonly id: string;
  readonly nodes: number;
  /** sshd as PID 1, no systemd: many nodes in little time. */
  readonly light?: boolean;
  /** Debian packages beyond the image's own, such as docker.io; they make an image of their own. */
  readonly extraPackages?: readonly string[];
}

export interface Fleet {
  readonly id: string;
  readonly nodes: readonly FleetNode[];
  /** A private key that every account of every node accepts. */
  readonly keyFile: string;
  readonly knownHostsFile: string;
  /** Removes the nodes and everything made for them. May be called twice. */
  stop(): Promise<void>;
}

interface Inventory {
  readonly keyFile: string;
  readonly knownHostsFile: string;
  readonly image: string;
  readonly nodes: readonly NodeDescription[];
}

const SCRIPT = fileURLToPath(new URL("./fleet.sh", import.meta.url));
// Two checkouts on one machine may run the same test at once.
const CHECKOUT = createHash("sha256").update(SCRIPT).digest("hex").slice(0, 6);

/** Boots `nodes` nodes, n1 first. The first call on a machine builds the image, in less than a minute. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const id = `${options.id}-${CHECKOUT}`;
  const env: NodeJS.ProcessEnv = { ...process.env, ROLLCALL_FLEET_OWNER: String(process.pid) };
  if (options.extraPackages !== undefined) env.ROLLCALL_FLEET_EXTRA_PACKAGES = options.extraPackages.join(",");

  const verb = async (name: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProcess(SCRIPT, [name, id, ...args], { env, timeoutMs: 600_000 });
    if (code !== 0) throw new Error(`fleet.sh ${name} ${id} ${args.join(" ")} ended with ${code}: ${stderr.trim()}`);
    return stdout;
  };
  const stop = async (): Promise<void> => {
    await verb("down");
  };

  try {
    await verb("up", String(options.nodes), ...(options.light === true ? ["--light"] : []));
    const read = async (): Promise<Inventory> => JSON.parse(await verb("inventory")) as Inventory;
    const { keyFile, knownHostsFile, image, nodes } = await read();
    const describe = async (name: string): Promise<NodeDescription> => {
      const found = (await read()).nodes.find((node) => node.name === name);
      if (found === undefined) throw new Error(`fleet ${id} has no node ${name}`);
      return found;
    };
    const handle = { keyFile, knownHostsFile, image: image.split(":"), verb, describe };
    return { id, keyFile, knownHostsFile, stop, nodes: nodes.map((node) => new FleetNode(handle, node)) };
  } catch (cause) {
    throw new Error(`fleet ${id} did not start; \`fleet.sh down ${id}\` removes what is left`, { cause });
  }
}
