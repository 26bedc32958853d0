import type { UnitName } from "../../model/node-question.ts";
import { quote } from "../quote.ts";

interface OnUnit {
  readonly unit: UnitName;
}

/** Failures are forgotten first: a start limit outlives the repair (cases.md 5). Waits until the unit is up or has failed. */
export const startUnit = ({ unit }: OnUnit): string => `rc_my_run ${who(unit)} start ${quote(unit.name)}`;

export const restartUnit = ({ unit }: OnUnit): string => `rc_my_run ${who(unit)} restart ${quote(unit.name)}`;

/** Starts a unit that is down, and restarts one that cannot reload. */
export const reloadUnit = ({ unit }: OnUnit): string => `rc_my_run ${who(unit)} reload-or-restart ${quote(unit.name)}`;

/** Also what is only about to start (cases.md 2). */
export const stopUnit = ({ unit }: OnUnit): string => `rc_my_stop ${who(unit)} ${quote(unit.name)}`;

/** By the unit's own name, since an alias is refused (cases.md 11); never cut at `@` (cases.md 12). */
export const enableUnit = ({ unit }: OnUnit): string => `rc_my_enable ${who(unit)} ${quote(unit.name)}`;

/** The links that last until the next boot go too. */
export const disableUnit = ({ unit }: OnUnit): string => `rc_my_disable ${who(unit)} ${quote(unit.name)}`;

export const reloadDaemon = ({ user }: { readonly user: string | null }): string => `rc_my_reload ${quote(user ?? "")}`;

function who(unit: UnitName): string {
  return quote(unit.user ?? "");
}
