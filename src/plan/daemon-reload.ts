import type { NodeEffect, Step } from "../model/node-effect.ts";
import type { NodeFacts } from "../model/node-facts.ts";

const UNIT_FOLDERS =
  /^(\/etc|\/run|\/usr\/local\/lib|\/usr\/lib|\/lib)\/systemd\/(system|user)\/|\/\.config\/systemd\/user\//;
const UNIT_VERBS = new Set<NodeEffect["do"]>([
  "enable-unit",
  "disable-unit",
  "start-unit",
  "stop-unit",
  "restart-unit",
  "reload-unit",
]);

/**
 * Puts the daemon-reloads where they are due and nowhere else: once before the first unit verb after unit files were
 * written, so once a run as long as units follow their files (DESIGN §3.2). A reload that an earlier run still owes, that
 * the node itself or a resource asks for, comes with the first unit verb too.
 */
export function withDaemonReloads(steps: readonly Step[], facts: NodeFacts): Step[] {
  let due = facts.pending.size > 0 || [...facts.units.values()].some((unit) => unit.needDaemonReload);
  const users = new Set<string | null>([null]);
  const reloads = (): NodeEffect[] => [...users].map((user) => ({ do: "reload-daemon", user }) as const);
  const result = steps.map((step): Step => {
    const effects = step.effects.flatMap((effect): NodeEffect[] => {
      if (writesUnitFile(effect)) due = true;
      if (effect.do === "reload-daemon") {
        due = true;
        users.add(effect.user);
        return [];
      }
      if (!isUnitVerb(effect)) return [effect];
      users.add(effect.unit.user);
      if (!due) return [effect];
      due = false;
      return [...reloads(), effect];
    });
    return { ...step, effects };
  });
  const last = result.at(-1);
  const wroteLate = due && steps.some((step) => step.effects.some(writesUnitFile));
  if (last !== undefined && wroteLate)
    result[result.length - 1] = { ...last, effects: [...last.effects, ...reloads()] };
  return result;
}

function writesUnitFile(effect: NodeEffect): boolean {
  return (effect.do === "write-file" || effect.do === "remove-file") && UNIT_FOLDERS.test(effect.path);
}

function isUnitVerb(effect: NodeEffect): effect is Extract<NodeEffect, { unit: unknown }> {
  return UNIT_VERBS.has(effect.do);
}
