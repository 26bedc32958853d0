import type { NodeEffect } from "../model/node-effect.ts";

/**
 * One kind of question as shell (host-state §3: read-only, deterministic). `render` gives lines that print the answer to
 * stdout and start a fixed number of processes, however many names there are; a name may hold anything but control
 * characters. `parse` turns the bytes between the section's marks, decoded as Latin-1 so that none is lost, into facts.
 */
export interface QuestionBlock<Name, Fact> {
  render(names: readonly Name[]): string;
  parse(section: string, names: readonly Name[]): ReadonlyMap<string, Fact>;
}

/**
 * One kind of effect as shell: the lines of a function's body. It runs as root with stdin closed, `LC_ALL=C`, umask 022
 * and both outputs in the step's log; its exit status decides, and it must be safe to run again after it was cut off
 * anywhere. Beside POSIX sh it may use the library that `script.ts` puts before it:
 * `rc_timed CMD …` runs a program under the step's time-out (124: it ran out, and `step-timeout` is already named),
 * `rc_fail CODE [DETAIL]` names the failure with a code of EFFECT_FAILURES and returns 1 (`rc_fail … ; return 1`); without
 * DETAIL the end of the step's log stands for it. Both only in the body's own shell, not in a subshell or a pipe.
 * `$rc_state` is the folder of state-folder.ts, `rc_store FILE TEXT` writes a line to a file in it atomically and fsynced,
 * making its folder. Names that start with `rc_` are ours, but for `rc_my_…`, which is the body's own.
 */
export type EffectBlock<Do extends NodeEffect["do"]> = (effect: Extract<NodeEffect, { do: Do }>) => string;
