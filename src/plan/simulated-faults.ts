import type { ImaginedFault } from "../model/imagined-machine.ts";

/** What goes wrong in a simulation (`plan --simulate`). */
export interface SimulatedFaults {
  readonly faults: readonly ImaginedFault[];
  /** The controller dies once this wave of any rollout is through; null: it lives. Counted from 0. */
  readonly killedAfterWave: number | null;
}

export const FAULT_HINT =
  'write, between commas: "NODE fails", "NODE fails at RESOURCE", "NODE unreachable", "NODE slow", "NODE drops link", "controller killed after wave N"';

/**
 * The small language of `--simulate`: phrases between commas, as {@link FAULT_HINT} lists them. Nothing at all is a simulation in
 * which all goes well.
 */
export function parseFaults(text: string, nodes: ReadonlySet<string>): SimulatedFaults | { readonly problem: string } {
  const faults: ImaginedFault[] = [];
  let killedAfterWave: number | null = null;
  for (const phrase of text.split(",").map((part) => part.trim().replace(/\s+/g, " "))) {
    if (phrase === "") continue;
    const killed = /^controller killed after wave ([1-9]\d{0,3})$/.exec(phrase);
    if (killed !== null) {
      // People count waves from 1.
      killedAfterWave = Number(killed[1]) - 1;
      continue;
    }
    const fault = nodeFault(phrase);
    if (fault === undefined) return { problem: `nobody understands "${phrase}"` };
    if (!nodes.has(fault.node)) return { problem: `there is no node ${fault.node}` };
    faults.push(fault);
  }
  return { faults, killedAfterWave };
}

function nodeFault(phrase: string): ImaginedFault | undefined {
  const [, node, what = "", resource] = /^(\S+) (fails|unreachable|slow|drops link)(?: at (.+))?$/.exec(phrase) ?? [];
  if (node === undefined) return undefined;
  if (what === "fails") return { kind: "fails", node, resource: resource ?? null };
  if (resource !== undefined) return undefined;
  return { kind: what === "drops link" ? "drops-link" : (what as "unreachable" | "slow"), node };
}
