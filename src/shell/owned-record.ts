import {
  OWNED_LIMIT,
  type OwnedChange,
  type OwnedFact,
  type OwnedResource,
  ownedResourceSchema,
} from "../model/owned-resource.ts";
import { quote } from "./quote.ts";

/**
 * `$rc_state/owned`, 0600: what rollcall made as declared on the node, one resource a line, `own ` and ASCII JSON. The word
 * in front tells its lines from those of an outcome file, with which it is read in one go.
 */
const WORD = "own ";
/** Characters; longer ones are not ours. */
const LINE_LIMIT = 131_072;

export function ownedLine({ role, type, id, removal }: OwnedResource): string {
  const json = JSON.stringify({ role, type, id, removal });
  const ascii = json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${WORD}${ascii}`;
}

/** Of lines of any kind, those of the record. Of two lines about one resource the later one counts. */
export function parseOwned(lines: readonly string[]): OwnedFact {
  const resources = new Map<string, OwnedResource>();
  let rejected = 0;
  for (const line of lines) {
    if (!line.startsWith(WORD)) continue;
    const read = resources.size < OWNED_LIMIT && line.length <= LINE_LIMIT ? parseLine(line.slice(WORD.length)) : null;
    if (read === null) rejected += 1;
    else resources.set(`${read.role} ${read.type} ${read.id} ${JSON.stringify(read.removal)}`, read);
  }
  return { resources: [...resources.values()], rejected };
}

function parseLine(text: string): OwnedResource | null {
  try {
    return ownedResourceSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * `rc_own_before` and `rc_own_after` for the runner: the record before the first step and after the last, written only where
 * it differs from what is there. `$rc_done` holds the numbers of the steps that were done, each between blanks.
 */
export function ownedFunctions(change: OwnedChange | undefined): string {
  if (change === undefined) return "rc_own_before() { :; }\nrc_own_after() { :; }";
  const after = change.after.map(({ resource, only }) => {
    const say = `printf '%s\\n' ${quote(ownedLine(resource))}`;
    if (only === null) return say;
    const pattern = `*" ${only.step} "*)`;
    return `case $rc_done in ${only.done ? `${pattern} ${say} ;;` : `${pattern} ;; *) ${say} ;;`} esac`;
  });
  return `rc_own() {
[ "$1" = "$(cat "$rc_state/owned" 2>/dev/null)" ] || (umask 077; rc_store owned "$1")
}
rc_own_before() {
rc_own "$(
${change.before.map((resource) => `printf '%s\\n' ${quote(ownedLine(resource))}`).join("\n")}
)"
}
rc_own_after() {
rc_own "$(
${after.join("\n")}
)"
}`;
}
