import type { NodeOutcome } from "../model/node-outcome.ts";
import { type Escape, escapeLines } from "./escapes.ts";
import { type FleetResult, type FleetView, renderApply } from "./fleet-result.ts";
import { nodeNames } from "./node-names.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

export interface RecordedApplyView extends FleetResult {
  readonly outcomes: readonly NodeOutcome[];
  readonly held: readonly {
    readonly node: string;
    readonly unit: string;
    readonly why: string;
    readonly hint: string;
  }[];
  readonly units: readonly {
    readonly unit: string;
    readonly rollout: string | null;
    readonly state: string | null;
    readonly detail: string;
    readonly hint: string;
    readonly applied: number;
    readonly targets: number;
  }[];
  readonly retried: readonly { readonly unit: string; readonly nodes: readonly string[] }[];
  readonly despiteVerdict: readonly string[];
  readonly stopped: {
    readonly reason: string;
    readonly by?: string;
    readonly message?: string;
    readonly hint?: string;
  } | null;
  readonly unrecorded: readonly string[];
  readonly escapes: readonly Escape[];
  /** From whom the lock was taken, and why; null: it was free. */
  readonly tookOver: string | null;
}

/** `apply` with a record, for people: what was bypassed, each node, then what stands still and what moves it on. */
export function renderRecordedApply(view: RecordedApplyView, fleet: FleetView, paint: Paint): string {
  const { despiteVerdict, retried, tookOver, units, stopped, unrecorded } = view;
  const before = [
    ...(tookOver === null ? [] : [paint.yellow(`lock taken over: ${visible(tookOver)}`)]),
    ...retried.map(({ unit, nodes }) => paint.dim(`${unit} had failed and was tried again on ${nodeNames(nodes)}`)),
    ...despiteVerdict.map((node) => paint.yellow(`${node} is down by verdict, and was tried because it was named`)),
  ];
  const standing = units
    .filter(({ state }) => state !== null && state !== "completed" && state !== "superseded")
    .flatMap(({ rollout, unit, state, detail, hint, applied, targets }) => [
      `${paint.bold(rollout ?? unit)}  ${paint.yellow(state ?? "")} · ${applied} of ${targets} applied${detail === "" ? "" : ` · ${visible(detail)}`}`,
      ...(hint === "" ? [] : [`  ${paint.dim(hint)}`]),
    ]);
  const end = [
    ...(stopped === null ? [] : [paint.red(`stopped: ${stopLine(stopped)}`)]),
    ...(unrecorded.length === 0 ? [] : [paint.red(`done, and not recorded: ${unrecorded.join(", ")}`)]),
  ];
  const lines = (list: readonly string[]): string => list.map((line) => `${line}\n`).join("");
  return [
    escapeLines(view.escapes, paint),
    lines(before),
    renderApply(view, fleet, paint),
    lines(standing),
    lines(end),
  ].join("");
}

function stopLine({ reason, by, message, hint }: NonNullable<RecordedApplyView["stopped"]>): string {
  const words = [
    by === undefined ? "" : `${visible(by)} has the lock now`,
    visible(message ?? ""),
    visible(hint ?? ""),
  ];
  return [reason, ...words.filter((word) => word !== "")].join(" · ");
}
