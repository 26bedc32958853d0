import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Cell } from "../plan/cell.ts";
import type { FleetPlan, UnitPlan } from "../plan/fleet-plan.ts";
import type { NodeWork } from "./node-work.ts";

/** A unit that is due on a node and was not brought in there by this run. */
export interface HeldUnit {
  readonly node: string;
  readonly unit: string;
  /** One line: who must come first, or what stands still. */
  readonly why: string;
  /** What to do about it; may be empty. */
  readonly hint: string;
}

/** Nobody who was asked for may be attempted yet (exit 2). Nothing was done. */
export interface RefusedApply {
  readonly kind: "refused";
  readonly held: readonly HeldUnit[];
  /** Who must come first. */
  readonly first: readonly string[];
}

/**
 * A selection of nothing but nodes whose wave has not come; null: there is something to do. `plan` is narrowed to those
 * nodes, `whole` is not.
 */
export function refusedApply(works: readonly NodeWork[], plan: FleetPlan, whole: FleetPlan): RefusedApply | null {
  if (works.length === 0 || plan.units.some(({ asked }) => (asked?.attempt.length ?? 0) > 0)) return null;
  const early = plan.units.flatMap(({ asked, unit }) =>
    (asked?.refused ?? []).flatMap(({ node, wave, why }) =>
      wave === null ? [] : [{ node, unit: unit.id, why, hint: "" }],
    ),
  );
  const nodes = new Set(early.map(({ node }) => node));
  if (!works.every(({ node }) => nodes.has(node.name))) return null;
  const firstUnit = whole.units.find(({ unit }) => unit.id === early[0]?.unit);
  return { kind: "refused", held: early, first: firstUnit === undefined ? [] : turnOf(firstUnit) };
}

/** Those whose turn it is. */
function turnOf({ rollout, next }: UnitPlan): readonly string[] {
  if (next.kind === "start") return next.waves[0] ?? [];
  const wave = rollout?.waves[rollout.wave] ?? [];
  return wave.filter((node) => rollout?.nodes.get(node)?.state !== "succeeded");
}

/** What is due on these nodes and stays so: its wave has not come, or it stands still. */
export function heldUnits(works: readonly NodeWork[], plan: FleetPlan): readonly HeldUnit[] {
  const asked = new Set(works.map(({ node }) => node.name));
  return plan.units.flatMap((unit) =>
    unit.cells.flatMap((cell) => {
      if (!unit.unit.enforced || !asked.has(cell.node) || cell.state !== "pending" || NOT_HELD.has(cell.reason))
        return [];
      return { node: cell.node, unit: unit.unit.id, ...whyHeld(unit, cell) };
    }),
  );
}

/** Kept back by what the roster says of the node, not by a turn. */
const NOT_HELD = new Set(["down", "disabled", "unsupported-os"]);

function whyHeld({ next, asked }: UnitPlan, cell: Extract<Cell, { state: "pending" }>): Pick<HeldUnit, "why" | "hint"> {
  const refused = asked?.refused.find(({ node }) => node === cell.node);
  if (refused !== undefined) return { why: refused.why, hint: "" };
  if (next.kind === "stopped") return { why: `its rollout is ${next.state}: ${next.detail}`, hint: next.hint };
  if (next.kind === "waiting") return { why: `after ${next.on.join(", ")}`, hint: "" };
  return { why: cell.detail === "" ? cell.reason : `${cell.reason}: ${cell.detail}`, hint: cell.hint };
}

/** What of one node is read whole after the waves. */
export interface NodeParts {
  readonly work: NodeWork;
  /** Names of roles; all that were asked for; or nothing: everything of it was just proved, or none of it may be touched. */
  readonly only: ReadonlySet<string> | "all" | "nothing";
}

interface PartsContext {
  readonly plan: FleetPlan;
  /** What the waves did, by unit and node. */
  readonly visits: readonly (NodeOutcome & { readonly unit: string })[];
  readonly down: ReadonlySet<string>;
  /** Past all waves. */
  readonly whole: boolean;
}

/** A unit that is held back, declined or claimed on a node is not touched there beside the others. */
export function nodeParts(works: readonly NodeWork[], context: PartsContext): readonly NodeParts[] {
  const cells = new Map(
    context.plan.units.map(({ unit, cells: own }) => [unit.id, new Map(own.map((c) => [c.node, c]))]),
  );
  const visited = new Set(context.visits.filter(({ outcome }) => OUTCOMES[outcome].good).map(keyOf));
  return works.map((work) => {
    const { name } = work.node;
    if (context.down.has(name)) return { work, only: "nothing" };
    const words = [...work.node.declines, ...work.node.claims];
    const free = work.roles.filter((role) => {
      const unit = `role:${role.name}`;
      if (words.some((word) => word.unit === unit)) return false;
      return context.whole || role.mode === "observe" || cells.get(unit)?.get(name)?.state === "applied";
    });
    const leaving =
      !context.whole &&
      context.plan.units.some(({ unit, cells: own }) =>
        own.some(
          (cell) =>
            cell.node === name && cell.state === "pending" && !work.roles.some((r) => `role:${r.name}` === unit.id),
        ),
      );
    if (free.length === work.roles.length && !leaving) {
      const isDone =
        free.length > 0 && free.every((role) => visited.has(keyOf({ unit: `role:${role.name}`, node: name })));
      return { work, only: isDone ? "nothing" : "all" };
    }
    return { work, only: free.length === 0 ? "nothing" : new Set(free.map((role) => role.name)) };
  });
}

function keyOf({ unit, node }: { readonly unit: string; readonly node: string }): string {
  return `${unit} ${node}`;
}
