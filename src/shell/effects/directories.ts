import type { EffectBlock } from "../block.ts";
import { folderOf } from "../folder-of.ts";
import { quote } from "../quote.ts";

/** Made closed, then owned, then opened as far as declared; run again after a cut it finishes what is missing. */
export const makeDirectory: EffectBlock<"make-directory"> = ({ path, mode, owner, group }) => {
  const [target, folder] = [quote(path), quote(folderOf(path))];
  return `if [ -L ${target} ]; then rc_fail link-in-the-way; return 1; fi
if [ -e ${target} ] && [ ! -d ${target} ]; then rc_fail special-in-the-way ${quote(`${path} is no directory`)}; return 1; fi
if [ ! -d ${target} ]; then
rc_my_folder ${folder} || return 1
(umask 077; mkdir ${target}) || { rc_my_blame ${folder} ${target} 1 write-failed; return 1; }
fi
rc_my_adorn ${folder} ${target} ${[owner, group, mode].map(quote).join(" ")} && sync ${folder}`;
};

/** Only an empty one: what it holds may be somebody's. */
export const removeDirectory: EffectBlock<"remove-directory"> = ({ path }) => {
  const [target, folder] = [quote(path), quote(folderOf(path))];
  return `if [ -L ${target} ]; then rc_fail link-in-the-way; return 1; fi
[ -e ${target} ] || return 0
if [ ! -d ${target} ]; then rc_fail special-in-the-way ${quote(`${path} is no directory`)}; return 1; fi
rmdir ${target} && sync ${folder} && return 0
rc_my_blame ${folder} ${target} 0 not-removable
return 1`;
};
