import { sha256Hex } from "../../kit/digest.ts";
import { base64 } from "../base64.ts";
import type { EffectBlock } from "../block.ts";
import { folderOf } from "../folder-of.ts";
import { quote } from "../quote.ts";

/**
 * A new file beside the target, checked, owned, moded and on the disk before it takes the target's name (DESIGN §3.2), so
 * that whoever reads sees the old bytes or the new ones. Its name follows from the target's: what a killed run left is
 * removed by the next write to the path. In the folder itself, never in /tmp: a rename cannot leave a file system, and
 * keeps the SELinux label of where the file was made (cases.md 32, 37).
 */
export const writeFile: EffectBlock<"write-file"> = ({ path, content, mode, owner, group }) => {
  const folder = folderOf(path);
  const temporary = `${folder === "/" ? "" : folder}/.rollcall.${sha256Hex(path).slice(0, 16)}.new`;
  const kilobytes = Math.ceil(content.size / 1024) + 1;
  const words = [path, temporary, folder, owner, group, mode, content.sha256, String(kilobytes)].map(quote);
  // On stdin: an argument is limited to 128 KiB, and a command substitution would eat the last newlines (cases.md 36, 39).
  return `rc_my_folder ${quote(folder)} || return 1
rc_my_write ${words.join(" ")} <<'RC_CONTENT'
${base64(content.bytes())}
RC_CONTENT`;
};
