import { STATE_FOLDER } from "../shell/state-folder.ts";
import type { Problem } from "./contract.ts";

/** Where nothing is kept on a disk: nothing can be renamed into place, and reading may never end. */
const KERNEL_FOLDERS = ["/proc", "/sys", "/dev"];
const NAME_LIMIT = 255;

/** What is wrong with a path wherever it stands: places that are not ours, and names that no disk takes. */
export function pathProblems(path: string): readonly Problem[] {
  const inside = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (path === "/") return [error("not-ours", "path", "/ is the whole machine", "name a path below it")];
  if (KERNEL_FOLDERS.some(inside)) {
    const hint =
      "declare a file that the system reads at boot instead, below /etc/sysctl.d, /etc/tmpfiles.d or /etc/udev";
    return [error("kernel-path", "path", `${path} is made by the kernel, not kept on a disk`, hint)];
  }
  if (inside(STATE_FOLDER))
    return [error("reserved-path", "path", `${STATE_FOLDER} is rollcall's own`, "choose another folder")];
  if (new TextEncoder().encode(name).length > NAME_LIMIT)
    return [error("name-too-long", "path", `a file name has at most ${NAME_LIMIT} bytes`, "choose a shorter name")];
  return [];
}

function error(code: string, key: string, message: string, hint: string): Problem {
  return { code, severity: "error", key, message, hint };
}
