import { readFileSync } from "node:fs";
import { FleetRepository, type Ran, type Running } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { type Snapshot, snapshot } from "./snapshot.ts";
import { WatchedRemote } from "./watched-remote.ts";

/** Two of the majority class, and one each of two others: a canary, a second look, then two at once. */
const CLASSES = { n1: "server", n2: "server", n3: "desktop", n4: "box" } as const;
export type Name = keyof typeof CLASSES;
/** The waves that these must give. */
export const WAVES: readonly (readonly Name[])[] = [["n1"], ["n3"], ["n2", "n4"]];

/** Counts each time that it is run; where a test holds it, it tells that it has begun and goes on when it is let. */
const WORK = `#!/bin/sh
echo "$1" >>/root/counts
if [ -p /run/held ]; then
  echo x >/run/held
  read -r _ </run/go
fi
: >"/var/lib/app-$1"
`;

/** Four light nodes, their repository and its remote; each change is merged as a version of its own. */
export class RolloutFleet {
  readonly fleet: Fleet;
  readonly repository: FleetRepository;
  readonly remote: WatchedRemote;
  #version = 0;

  private constructor(fleet: Fleet) {
    this.fleet = fleet;
    this.repository = new FleetRepository(fleet);
    this.remote = new WatchedRemote(this.repository);
  }

  static async start(id: string): Promise<RolloutFleet> {
    const started = new RolloutFleet(await startFleet({ id, nodes: 4, light: true }));
    started.repository.writeFleet({}, ({ name }) => ({ class: CLASSES[name as Name], roles: ["app"] }));
    return started;
  }

  node(name: Name): FleetNode {
    const node = this.fleet.nodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    return node;
  }

  /** The role as it is to be; `more` are resources after those that every version has. */
  merge(content: string, more: readonly object[] = []): void {
    this.#version++;
    const resources = [
      { type: "file", path: "/usr/local/sbin/work", mode: "0755", content: WORK },
      { type: "file", path: "/etc/app.conf", content },
      ...more,
    ];
    const role = { role: "app", version: String(this.#version), description: "Test.", resources };
    const defaults = { user: "ops", step_timeout: "60s", connect_timeout: "3s" };
    const fleet = { version: "2", generation: String(this.#version), defaults };
    this.repository.write({
      "host-roles/app.yaml": JSON.stringify(role),
      "roster/fleet.yaml": JSON.stringify(fleet),
      "roster/known_hosts": readFileSync(this.fleet.knownHostsFile, "utf8"),
    });
    this.remote.merge();
  }

  rollcall(...words: string[]): Promise<Ran> {
    return this.repository.rollcall(...words);
  }

  /** A controller that can be killed, also by the remote. */
  start(...words: string[]): Running {
    return this.repository.start(this.remote.pidFile, ...words);
  }

  /** On all nodes. */
  async exec(command: string): Promise<readonly string[]> {
    return Promise.all(this.fleet.nodes.map(async (node) => (await node.exec(command)).stdout));
  }

  async snapshots(): Promise<Readonly<Record<string, Snapshot>>> {
    const taken = this.fleet.nodes.map(async (node) => [node.name, await snapshot(node)] as const);
    return Object.fromEntries(await Promise.all(taken));
  }

  async stop(): Promise<void> {
    this.remote.remove();
    this.repository.remove();
    await this.fleet.stop();
  }
}

/** The step of the role that is not to be done twice, as a resource: it counts in /root/counts. */
export function work(name: string): object {
  return { type: "command", run: `/usr/local/sbin/work ${name}`, creates: `/var/lib/app-${name}` };
}

/** Lets a step of {@link work} wait on a node. */
export async function holdWork(
  node: FleetNode,
): Promise<{ readonly begun: () => Promise<void>; readonly letGo: () => Promise<void> }> {
  await node.exec("rm -f /run/held /run/go; mkfifo /run/held /run/go");
  return {
    begun: async () => void (await node.exec("cat /run/held")),
    letGo: async () => void (await node.exec("echo x >/run/go; rm -f /run/held /run/go")),
  };
}

/** Ends the controller as a power cut would. */
export async function killed(run: Running): Promise<void> {
  run.process.kill("SIGKILL");
  await run.ended;
}

/** Waits until no run is at work on the node. */
export async function untilIdle(node: FleetNode): Promise<void> {
  await node.exec("flock /var/lib/rollcall/lock true");
}
