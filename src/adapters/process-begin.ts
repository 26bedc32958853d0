import { readFileSync } from "node:fs";

/** The boot of this machine, as the kernel names it; null where there is no /proc. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** Clock ticks since boot at which a process began (proc(5), field 22); null where it cannot be read. */
export function processBegin(pid: number): string | null {
  return statusOf(pid)?.[19] ?? null;
}

/** It ended, and nobody has asked for its exit status yet: a container without an init keeps such for ever. */
export function isZombie(pid: number): boolean {
  return ["Z", "X"].includes(statusOf(pid)?.[0] ?? "");
}

/** The fields of proc(5) from the third on: the second may hold spaces and parentheses itself. */
function statusOf(pid: number): string[] | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return status.slice(status.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
