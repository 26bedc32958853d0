import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sshTransport } from "../../src/adapters/ssh/transport.ts";
import type { NodeTarget } from "../../src/model/node.ts";
import type { ChangeRequest, Step } from "../../src/model/node-effect.ts";
import type { NodeFacts } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { ChangeResult, Observation, Transport } from "../../src/ports.ts";
import type { Fleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";

/** A transport as a controller would open it, with the fleet's key; other known hosts or a faster keepalive where asked. */
export function openTransport(
  fleet: Fleet,
  options: { readonly knownHosts?: string; readonly keepaliveIntervalMs?: number } = {},
): Promise<Transport> {
  const { knownHosts, keepaliveIntervalMs } = options;
  return sshTransport({
    knownHostsFile: knownHosts === undefined ? fleet.knownHostsFile : writeKnownHosts(knownHosts),
    environment: { ROLLCALL_SSH_KEY_FILE: fleet.keyFile },
    ...(keepaliveIntervalMs === undefined ? {} : { keepaliveIntervalMs }),
  });
}

const folders: string[] = [];

function writeKnownHosts(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-known-hosts-"));
  folders.push(folder);
  const file = join(folder, "known_hosts");
  writeFileSync(file, text);
  return file;
}

/** For `afterAll`. */
export function removeKnownHosts(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function targetOf(node: FleetNode, parts: Partial<NodeTarget> = {}): NodeTarget {
  return {
    name: node.name,
    os: "linux",
    address: node.address,
    port: node.port,
    user: "ops",
    become: "sudo",
    jump: null,
    connectTimeoutMs: 10_000,
    stepTimeoutMs: 30_000,
    ...parts,
  };
}

/** A step that runs a line of shell, of role `role`. */
export function commandStep(run: string, role = "role"): Step {
  return { role, resource: `command:${run}`, needs: [role], effects: [{ do: "run-command", run, creates: null }] };
}

/** The request that a controller would send after it has read `facts`. */
export function requestFor(runId: string, facts: NodeFacts, steps: readonly Step[]): ChangeRequest {
  return {
    runId,
    fence: { epoch: (facts.fence?.epoch ?? 0) + 1, seen: facts.fence, lastRun: facts.lastRun },
    steps,
    questions: NO_QUESTIONS,
    stepTimeoutMs: 30_000,
    settleMs: 0,
  };
}

export async function factsOf(transport: Transport, target: NodeTarget): Promise<NodeFacts> {
  return factsIn(await transport.observe(target, NO_QUESTIONS));
}

export function factsIn(result: Observation | ChangeResult): NodeFacts {
  if (result.kind === "failure") throw new Error(`${result.outcome}: ${result.message}`);
  return result.facts;
}

/** Observes, then changes: what one run does to one node. */
export async function runOn(
  transport: Transport,
  target: NodeTarget,
  runId: string,
  steps: readonly Step[],
): Promise<ChangeResult> {
  return transport.change(target, requestFor(runId, await factsOf(transport, target), steps), () => {});
}

/** States of the steps of a change that went through. */
export function statesOf(result: ChangeResult): readonly string[] {
  if (result.kind !== "changed") throw new Error(`not changed: ${JSON.stringify(result)}`);
  return result.steps.map(({ state }) => state);
}

/**
 * A step that tells when it has begun and goes on when it is let, by named pipes on the node, and leaves `line` in
 * /root/out.
 */
export async function holdStep(
  node: FleetNode,
  line: string,
): Promise<{
  readonly step: Step;
  begun(): Promise<void>;
  letGo(): Promise<void>;
}> {
  const pipes = `/root/${line}`;
  await node.exec(`rm -f ${pipes}-begun ${pipes}-go; mkfifo ${pipes}-begun ${pipes}-go`);
  return {
    step: commandStep(`echo x >${pipes}-begun; read -r _ <${pipes}-go; echo ${line} >>/root/out`),
    begun: async () => void (await node.exec(`cat ${pipes}-begun`)),
    letGo: async () => void (await node.exec(`echo x >${pipes}-go`)),
  };
}

/** What the steps have written, as lines; cleared for the next test. */
export async function takeOutput(node: FleetNode): Promise<readonly string[]> {
  const { stdout } = await node.exec("cat /root/out 2>/dev/null; rm -f /root/out");
  return stdout.split("\n").slice(0, -1);
}

/** Waits on the node until no run holds its lock. */
export async function untilIdle(node: FleetNode): Promise<void> {
  await node.exec("flock /var/lib/rollcall/lock true", { timeoutMs: 60_000 });
}
