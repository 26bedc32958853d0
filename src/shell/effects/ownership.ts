import type { EffectBlock } from "../block.ts";
import { folderOf } from "../folder-of.ts";
import { quote } from "../quote.ts";

/** Owner first, then mode, since chown takes the set-id bits away. A link is refused: both would act on what it leads to. */
export const setOwner: EffectBlock<"set-owner"> = ({ path, owner, group, mode }) => adorn(path, [owner, group, mode]);

export const setMode: EffectBlock<"set-mode"> = ({ path, mode }) => adorn(path, ["", "", mode]);

function adorn(path: string, rest: readonly string[]): string {
  const target = quote(path);
  return `if [ -L ${target} ]; then rc_fail link-in-the-way; return 1; fi
if [ ! -e ${target} ]; then rc_fail write-failed ${quote(`${path} is not there`)}; return 1; fi
rc_my_adorn ${quote(folderOf(path))} ${target} ${rest.map(quote).join(" ")}`;
}
