import type { DesiredFiles } from "../../ports.ts";
import { readDraft } from "../draft.ts";
import { fileKind, nodeFile } from "../layout.ts";
import type { ProblemText } from "../problem-at.ts";
import { nearest } from "../schema/nearest.ts";
import type { Wish } from "./guarded-edit.ts";
import type { NodeChange } from "./node-change.ts";
import { refuse, setNode } from "./node-edits.ts";

type Edit = (files: DesiredFiles) => Wish;

/** Who says it and when (RFC 3339, UTC): both come from outside, so that the edit stays a function of its inputs. */
export interface Speaker {
  readonly by: string;
  readonly at: string;
}

/**
 * A person's word on one unit of a node (DESIGN §3): it is declined with a reason, or claimed to be in place. Saying it again
 * replaces what was said.
 */
export type UnitWord =
  | ({ readonly kind: "decline"; readonly unit: string; readonly reason: string } & Speaker)
  | ({ readonly kind: "claim"; readonly unit: string; readonly note: string } & Speaker);

const LISTS = { decline: "declines", claim: "claims" } as const;

export function sayOfUnit(name: string, { kind, ...record }: UnitWord): Edit {
  return (files) => {
    const problem = files.read(nodeFile(name)) === undefined ? null : unknownUnit(record.unit, name, files);
    if (problem !== null) return refuse(nodeFile(name), problem);
    return setNode(name, [{ do: "put-record", key: LISTS[kind], record }])(files);
  };
}

/** Takes it back. What was said of a unit that is gone since can still be taken back. */
export function takeBack(name: string, kind: UnitWord["kind"], unit: string): Edit {
  return (files) => {
    const node = readDraft(files).nodes.find(({ stem }) => stem === name);
    const said = node?.value[LISTS[kind]].some((one) => one.unit === unit) ?? false;
    const problem = node === undefined || said ? null : unknownUnit(unit, name, files);
    if (problem !== null) return refuse(nodeFile(name), problem);
    return setNode(name, [{ do: "remove-record", key: LISTS[kind], unit }])(files);
  };
}

/** `node down`: it is known not to answer; `recheck` is `reachable` or a shell line for the runner (DESIGN §3). */
export function markDown(name: string, verdict: { readonly reason: string; readonly recheck: string } & Speaker): Edit {
  const { reason, recheck, by, at } = verdict;
  const entries = Object.entries({ reason, recheck, by, since: at });
  return setNode(
    name,
    entries.map(([entry, value]): NodeChange => ({ do: "set-entry", key: "down", entry, value })),
  );
}

export function markUp(name: string): Edit {
  return setNode(name, [{ do: "remove", key: "down" }]);
}

function unknownUnit(unit: string, name: string, files: DesiredFiles): ProblemText | null {
  const units = unitsOf(files);
  if (units.includes(unit)) return null;
  const meant = nearest(unit, units);
  const list = units.length === 0 ? "none yet" : units.slice(0, 12).join(", ");
  const hint = meant === undefined ? `Units here: ${list}.` : `Did you mean ${meant}?`;
  return { code: "unknown-unit", message: `there is no unit ${unit} that ${name} could speak of`, hint };
}

function unitsOf(files: DesiredFiles): readonly string[] {
  const fromPaths = files.paths.flatMap((path) => {
    const file = fileKind(path);
    if (file.kind === "role") return [`role:${file.name}`];
    const parcel = /^parcels\/([^/]+)\/parcel\.yaml$/.exec(path)?.[1];
    return parcel === undefined ? [] : [`parcel:${parcel}`];
  });
  const agents = readDraft(files).nodes.flatMap(({ value }) => value.agents.map((agent) => `agent:${agent.name}`));
  return [...new Set([...fromPaths, ...agents])];
}
