import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeTarget } from "../../src/model/node.ts";
import type { ChangeRequest, NodeEffect, Step } from "../../src/model/node-effect.ts";
import { NO_QUESTIONS, type NodeQuestions, type UnitName } from "../../src/model/node-question.ts";

export const PROBER_UNIT = `[Unit]
Description=Gyrum prober
[Service]
ExecStart=/usr/bin/gyrum-prober
ExecReload=/usr/bin/gyrum-prober --again
Restart=on-failure
[Install]
WantedBy=multi-user.target
`;

const shipped = (path: string, text: string, conffile = false) => ({
  path,
  content: textContent(text),
  mode: "0644",
  conffile,
});

export const REPOSITORY = [
  repositoryPackage({
    name: "gyrum-prober",
    version: "1.0",
    groups: ["gyrum"],
    files: [
      shipped("/usr/bin/gyrum-prober", "prober"),
      shipped("/lib/systemd/system/gyrum-prober.service", PROBER_UNIT),
    ],
  }),
  repositoryPackage({ name: "tool", version: "1.2" }),
  repositoryPackage({ name: "tool", version: "1.10" }),
  repositoryPackage({ name: "conf", version: "1.0", files: [shipped("/etc/conf.conf", "one\n", true)] }),
  repositoryPackage({ name: "conf", version: "2.0", files: [shipped("/etc/conf.conf", "two\n", true)] }),
  repositoryPackage({ name: "needs-tool", version: "1.0", depends: ["tool"] }),
  repositoryPackage({ name: "needs-nothing-there", version: "1.0", depends: ["nowhere"] }),
  repositoryPackage({ name: "anti-tool", version: "1.0", conflicts: ["tool"] }),
  repositoryPackage({ name: "broken", version: "1.0", broken: true }),
  repositoryPackage({ name: "mta-a", version: "1.0", provides: ["mta"] }),
  repositoryPackage({ name: "arch", version: "1.0", architecture: "amd64" }),
  repositoryPackage({ name: "arch", version: "1.0", architecture: "i386" }),
];

export function node(name = "web-01"): MemoryNode {
  return debianNode({ name, repository: REPOSITORY });
}

export function target(name = "web-01"): NodeTarget {
  return {
    name,
    os: "linux",
    address: "192.0.2.1",
    port: 22,
    user: "deploy",
    become: "sudo",
    jump: null,
    connectTimeoutMs: 10_000,
    stepTimeoutMs: 180_000,
  };
}

export function step(effects: readonly NodeEffect[], role = "web", needs: readonly string[] = [role]): Step {
  return { role, resource: `${role}:${effects[0]?.do ?? "nothing"}`, needs, effects };
}

export function request(
  steps: readonly Step[],
  fence: Partial<ChangeRequest["fence"]> = {},
  more: Partial<ChangeRequest> = {},
): ChangeRequest {
  const { epoch = 1, seen = null, ...rest } = fence;
  return {
    runId: "run-a",
    fence: { epoch, seen, ...rest },
    steps,
    questions: NO_QUESTIONS,
    stepTimeoutMs: 180_000,
    settleMs: 500,
    ...more,
  };
}

export function write(at: string): NodeEffect {
  return { do: "write-file", path: at, content: textContent(at), mode: "0644", owner: "root", group: "root" };
}

const PROBER = unit("gyrum-prober.service");

/** Three steps: a package, a file that makes a restart due, and the service. */
export const STEPS = [
  step([{ do: "install-package", name: "gyrum-prober", version: null, repair: false }]),
  step([{ do: "note-pending", unit: PROBER, how: "restart", because: ["file:/etc/a"] }, write("/etc/a")]),
  step([
    { do: "enable-unit", unit: PROBER },
    { do: "start-unit", unit: PROBER },
    { do: "clear-pending", unit: PROBER },
  ]),
];

/** A controller's way to one node. */
export function reach(web: MemoryNode, faults: readonly Fault[] = []): MemoryTransport {
  return new MemoryTransport(new Map([["web-01", web]]), faults);
}

export function nothing(): void {}

export function unit(name: string, user: string | null = null): UnitName {
  return { name, user };
}

export function asking(parts: Partial<NodeQuestions>): NodeQuestions {
  return { ...NO_QUESTIONS, ...parts };
}

export function path(at: string) {
  return { path: at, hash: true, entries: true };
}

/** Everything that a person could tell two nodes apart by, but for who changed them and how long units have run. */
export function portrait(of: MemoryNode) {
  const files = of.files.entries().map(([at, entry]) => ({
    at,
    ...entry,
    content: entry.type === "file" ? entry.content.sha256 : null,
    modifiedMs: null,
  }));
  const units = [...of.runtime].map(([key, { sinceMs, loaded, ...rest }]) => ({
    key,
    digest: loaded.digest.replace(/@\d+/g, ""),
    ...rest,
  }));
  const packages = [...of.packages.values()].map(({ package: shipped, ...rest }) => rest);
  return {
    files,
    units,
    packages,
    pending: [...of.pending],
    owned: of.owned,
    users: [...of.users],
    groups: [...of.groups],
  };
}
