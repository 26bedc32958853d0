import type { ImaginedFault, ImaginedNeeds, SeenItem } from "../../model/imagined-machine.ts";
import type { NodeTarget } from "../../model/node.ts";
import type { ChangeRequest } from "../../model/node-effect.ts";
import type { OwnedResource } from "../../model/owned-resource.ts";
import type { ImaginedMachine, ObservedFiles, Simulator, Transport } from "../../ports.ts";
import { putAsObserved } from "./as-observed.ts";
import type { Fault } from "./faults.ts";
import { imaginedNode } from "./imagined-node.ts";
import type { MemoryNode } from "./memory-node.ts";
import { type MemoryBranch, MemoryRefs } from "./memory-refs.ts";
import { MemoryStore } from "./memory-store.ts";
import { MemoryTransport } from "./memory-transport.ts";

class Machine implements ImaginedMachine {
  readonly node: MemoryNode;

  constructor(needs: ImaginedNeeds) {
    this.node = imaginedNode(needs);
  }

  owns(resources: readonly OwnedResource[]): void {
    this.node.owned = [...this.node.owned, ...resources];
  }

  asObserved(items: readonly SeenItem[]): void {
    for (const item of items) putAsObserved(this.node, item);
  }
}

/** Imagined machines are nodes in memory. */
export const memorySimulator: Simulator = {
  imagine: (needs) => new Machine(needs),
  transport: (machines, faults) => {
    const fleet = new Map([...machines].map(([name, machine]) => [name, nodeOf(machine)]));
    const reach = (fault: readonly Fault[]) => new MemoryTransport(fleet, fault);
    const all = faults.flatMap(connectionFault);
    return {
      observe: (target, questions) => reach(all).observe(target, questions),
      change: (target, request, onStep) =>
        reach([...all, ...faults.flatMap((fault) => stepFault(fault, target, request))]).change(
          target,
          request,
          onStep,
        ),
      close: async () => {},
    } satisfies Transport;
  },
  store: (observed, live, clock) => {
    const refs = new MemoryRefs();
    refs.observed = seeded(observed);
    refs.live = seeded(live);
    return new MemoryStore(refs, clock);
  },
};

function seeded(files: ObservedFiles): MemoryBranch {
  const texts = files.paths.flatMap((path): [string, string][] => {
    const text = files.read(path);
    return text === undefined ? [] : [[path, text]];
  });
  const commits = files.commit === null ? [] : [{ id: files.commit, subject: "as it is", paths: files.paths }];
  return { files: new Map(texts), commits };
}

function nodeOf(machine: ImaginedMachine): MemoryNode {
  if (!(machine instanceof Machine)) throw new Error("a machine of another simulator");
  return machine.node;
}

function connectionFault(fault: ImaginedFault): Fault[] {
  const { node } = fault;
  switch (fault.kind) {
    case "unreachable":
      return [{ node, fault: "unreachable" }];
    case "slow":
      // Longer than any step may take, and than no connection.
      return [{ node, fault: "slow", connectMs: 0, programMs: Number.MAX_SAFE_INTEGER }];
    case "drops-link":
      return [{ node, on: { kind: "change" }, fault: "link-lost", at: "end", orphan: "finishes" }];
    case "fails":
      return [];
  }
}

/** Which step it is, is known only once there are steps. */
function stepFault(fault: ImaginedFault, target: NodeTarget, request: ChangeRequest): Fault[] {
  if (fault.kind !== "fails" || fault.node !== target.name) return [];
  const step = request.steps.findIndex(({ resource }) => fault.resource === null || fault.resource === resource);
  if (step === -1) return [];
  const detail = "it fails, because this simulation was told so";
  return [{ node: fault.node, fault: "effect-fails", step, effect: 0, code: "command-failed", detail, done: false }];
}
