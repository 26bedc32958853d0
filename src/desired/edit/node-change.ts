import type { ProblemText } from "../problem-at.ts";
import { nearest } from "../schema/nearest.ts";

/** The keys of a node file in the order in which people expect them; new keys are put where this says. */
export const NODE_KEY_ORDER = [
  "name",
  "class",
  "os",
  "address",
  "port",
  "user",
  "become",
  "jump",
  "aliases",
  "roles",
  "profiles",
  "labels",
  "vars",
  "machine_id",
  "enabled",
  "state",
  "agents",
  "declines",
  "claims",
  "down",
] as const;

const SCALARS = ["class", "os", "address", "port", "user", "become", "jump", "machine_id", "enabled", "state"] as const;
const LISTS = ["aliases", "roles", "profiles"] as const;
const MAPS = ["labels", "vars"] as const;

/** One step of an edit of a node's file. */
export type NodeChange =
  | { readonly do: "set"; readonly key: string; readonly value: string }
  | { readonly do: "remove"; readonly key: string }
  | { readonly do: "list"; readonly key: string; readonly items: readonly string[] }
  | { readonly do: "add-item" | "remove-item"; readonly key: string; readonly item: string }
  | { readonly do: "set-entry"; readonly key: string; readonly entry: string; readonly value: string }
  | { readonly do: "remove-entry"; readonly key: string; readonly entry: string }
  /** Of a list of maps, each known by its `unit`: `declines`, `claims`. */
  | { readonly do: "put-record"; readonly key: string; readonly record: { readonly unit: string } & Words }
  | { readonly do: "remove-record"; readonly key: string; readonly unit: string };

type Words = Readonly<Record<string, string>>;

const FIELDS = [...SCALARS, ...LISTS, ...MAPS.map((map) => `${map}.<key>`)];

/**
 * `class=desktop`, `jump=` (removes it), `roles=edge,web`, `roles+=web`, `roles-=web`, `labels.region=eu`,
 * `vars.workers=` (removes it) → changes, or what is wrong with the words. The values themselves are for the schema.
 */
export function parseNodeChanges(words: readonly string[]): readonly NodeChange[] | ProblemText {
  const changes: NodeChange[] = [];
  for (const word of words) {
    const change = parseWord(word);
    if ("code" in change) return change;
    changes.push(change);
  }
  return changes;
}

function parseWord(word: string): NodeChange | ProblemText {
  const match = /^([a-z_]+)(?:\.([^=]+?))?([+-]?)=(.*)$/s.exec(word);
  if (match === null) {
    const hint = "Write key=value, key= to remove it, list+=item or list-=item.";
    return { code: "invalid-change", message: `${JSON.stringify(word)} is no change of a node`, hint };
  }
  const [, key = "", entry, sign, value = ""] = match;
  const isMap = is(MAPS, key);
  if (isMap && entry !== undefined && sign === "") {
    return value === "" ? { do: "remove-entry", key, entry } : { do: "set-entry", key, entry, value };
  }
  if (is(LISTS, key) && entry === undefined) return listChange(key, sign, value);
  if (is(SCALARS, key) && entry === undefined && sign === "") {
    return value === "" ? { do: "remove", key } : { do: "set", key, value };
  }
  return unknownField(word, isMap ? `${key}.<key>` : key);
}

function listChange(key: string, sign: string | undefined, value: string): NodeChange {
  if (sign === "+") return { do: "add-item", key, item: value };
  if (sign === "-") return { do: "remove-item", key, item: value };
  return { do: "list", key, items: value === "" ? [] : value.split(",") };
}

function unknownField(word: string, key: string): ProblemText {
  const meant = nearest(key, FIELDS);
  const hint = meant === undefined || meant === key ? `Fields are ${FIELDS.join(", ")}.` : `Did you mean ${meant}?`;
  return { code: "invalid-change", message: `${JSON.stringify(word)} changes nothing that can be set so`, hint };
}

function is(keys: readonly string[], key: string): boolean {
  return keys.includes(key);
}
