import type { Rollout, RolloutNode } from "../plan/rollout.ts";
import type { Way } from "../plan/rollout-ways.ts";
import { columns } from "./columns.ts";
import { shownMoment } from "./moment.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** What the status screen says beside the rollout itself. */
export interface RolloutAspects {
  /** Main asks for this digest; null: nobody knows. */
  readonly current: boolean | null;
  readonly waits: string | null;
  readonly ways: readonly Way[];
  readonly damaged: readonly string[];
}

/** One screen: where it stands, what it waits for, what to type next (DESIGN §5). */
export function renderRolloutStatus(rollout: Rollout, aspects: RolloutAspects, paint: Paint): string {
  const { id, round, reason, generation, commit, createdBy, createdAt, lastAt, reasons } = rollout;
  const { missing, why } = reasons.second_look;
  const loud = [
    ...(missing && rollout.strategy !== "safe" ? [`no second look: ${why}`] : []),
    ...reasons.warnings,
    ...(aspects.current === false ? ["main asks for another digest by now"] : []),
  ];
  const lines = [
    `${paint.bold(id)}  ${stateWord(rollout, paint)}  round ${round}`,
    ...(reason === null || reason.detail === "" ? [] : [`  ${visible(reason.detail)}`]),
    paint.dim(
      `  generation ${generation}, commit ${commit.slice(0, 12)}, created by ${visible(createdBy)} ${shownMoment(createdAt)}, last event ${shownMoment(lastAt)}`,
    ),
    "",
    ...waveLines(rollout, paint),
    `  ${paint.dim(`canary: ${visible(reasons.canary)}`)}`,
    ...loud.map((line) => `  ${paint.yellow("!")} ${visible(line)}`),
    ...rollout.escapes.map(
      ({ gate, reason: said, by, at }) =>
        `  ${paint.red(paint.bold(`ESCAPE ${visible(gate)}`))}: "${visible(said)}" by ${visible(by)} ${shownMoment(at)}`,
    ),
    ...rollout.ignored.slice(-3).map(({ event, why: because }) => paint.dim(`  ignored ${event}: ${visible(because)}`)),
    ...aspects.damaged.map((one) => `  ${paint.red("damaged")} ${visible(one)}`),
    "",
    ...(aspects.waits === null ? ["waits for nothing"] : [`waits for ${visible(aspects.waits)}`]),
    ...wayLines(aspects.ways, paint),
  ];
  return `${lines.join("\n")}\n`;
}

function wayLines(ways: readonly Way[], paint: Paint): readonly string[] {
  const rows = columns(ways.map(({ command, effect }) => [command, paint.dim(effect)]));
  return rows.map((row, index) => `${index === 0 ? "next: " : "      "}${row}`);
}

function waveLines(rollout: Rollout, paint: Paint): readonly string[] {
  const rows = rollout.waves.map((names, index) => {
    const nodes = names.flatMap((name) => rollout.nodes.get(name) ?? []);
    const applied = nodes.filter(({ state }) => state === "succeeded").length;
    const here = index === rollout.wave ? paint.bold(`> wave ${index + 1}`) : `  wave ${index + 1}`;
    const forced = rollout.forced.has(index) ? paint.red("gate forced") : "";
    return [here, `${applied}/${nodes.length} applied`, [memberWords(nodes, paint), forced].filter(Boolean).join("  ")];
  });
  return columns(rows);
}

/** Names where they are few; of many only those that are neither done nor still to come. */
function memberWords(nodes: readonly RolloutNode[], paint: Paint): string {
  const telling = nodes.length > 4 ? nodes.filter(({ state }) => state !== "succeeded" && state !== "pending") : nodes;
  const words = telling.slice(0, 6).map((node) => `${visible(node.node)} ${nodeWord(node, paint)}`);
  return [...words, ...(telling.length > 6 ? [`and ${telling.length - 6} more`] : [])].join(", ");
}

/** A line for each node, in wave order; then who was left out before waves were formed. */
export function renderRolloutNodes(rollout: Rollout, paint: Paint): string {
  const rows = [...rollout.nodes.values()].map((node) => [
    visible(node.node),
    `wave ${node.wave + 1}`,
    nodeWord(node, paint),
    node.attempts === 0 ? "" : `${node.attempts} ${node.attempts === 1 ? "attempt" : "attempts"}`,
    node.at === null ? "" : shownMoment(node.at),
    visible([node.outcome === "converged" ? node.grade : node.outcome, node.message].filter(Boolean).join(": ")),
  ]);
  const out = rollout.leftOut.map(({ node, reason, detail }) => [
    visible(node),
    paint.dim("left out"),
    reason,
    visible(detail),
  ]);
  return [`${paint.bold(rollout.id)}  ${stateWord(rollout, paint)}`, ...columns(rows), ...columns(out), ""].join("\n");
}

/** `paused (wave-gate)`. */
export function stateWord({ state, reason }: Pick<Rollout, "state" | "reason">, paint: Paint): string {
  const why = reason !== null && reason.code !== state ? ` (${reason.code})` : "";
  return `${COLOURS[state](paint)(state)}${why}`;
}

const COLOURS: Readonly<Record<Rollout["state"], (paint: Paint) => Paint["bold"]>> = {
  pending: ({ cyan }) => cyan,
  running: ({ cyan }) => cyan,
  paused: ({ yellow }) => yellow,
  completed: ({ green }) => green,
  failed: ({ red }) => red,
  canceled: ({ yellow }) => yellow,
  rolled_back: ({ yellow }) => yellow,
  superseded: ({ dim }) => dim,
};

function nodeWord({ state, skipped }: RolloutNode, paint: Paint): string {
  if (state === "succeeded") return paint.green("applied");
  if (state === "failed") return paint.red("failed");
  return skipped === null ? state : `${state} (${skipped})`;
}

/** An operator's word, as it stands on the record now, and what follows. */
export interface Signalled {
  readonly word: {
    readonly say: string;
    readonly nodes: readonly string[];
    readonly reason: string | null;
    readonly by: string;
  };
  readonly before: Rollout;
  readonly after: Rollout;
  readonly effect: string;
}

export function renderSignalled({ word, before, after, effect }: Signalled, paint: Paint): string {
  const moved = before.state === after.state ? after.state : `${before.state} → ${after.state}`;
  const nodes = word.nodes.length === 0 ? "" : ` ${word.nodes.map(visible).join(" ")}`;
  const why = word.reason === null ? "" : `: "${visible(word.reason)}"`;
  return [
    `${paint.bold(`${word.say} ${after.id}`)}${nodes} by ${visible(word.by)}${why}`,
    `  ${moved}; ${effect}`,
    "",
  ].join("\n");
}
