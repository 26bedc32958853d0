import type { EffectBlock } from "../block.ts";
import { quote } from "../quote.ts";

/**
 * host-state §2 `command`: the line runs in a shell of its own, so that nothing in it (an open quote, an `exit`) reaches
 * the rest of the script. `creates` stands for "it has run": when it is there, a link that leads nowhere included, nothing
 * is done.
 */
export const runCommand: EffectBlock<"run-command"> = ({ run, creates }) => {
  const timed = `rc_timed /bin/sh -c ${quote(run)}`;
  if (creates === null) return timed;
  const path = quote(creates);
  return `if [ -e ${path} ] || [ -L ${path} ]; then return 0; fi\n${timed}`;
};
