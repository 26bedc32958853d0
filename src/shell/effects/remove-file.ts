import type { EffectBlock } from "../block.ts";
import { folderOf } from "../folder-of.ts";
import { quote } from "../quote.ts";

/** Removes a file, or a link itself; what is anything else stays. */
export const removeFile: EffectBlock<"remove-file"> = ({ path }) => {
  const [target, folder] = [quote(path), quote(folderOf(path))];
  return `[ -L ${target} ] || ! rc_my_in_the_way ${target} || return 1
[ -L ${target} ] || [ -e ${target} ] || return 0
rm -f ${target} && sync ${folder} && return 0
rc_my_blame ${folder} ${target} 0 not-removable
return 1`;
};
