import { readlinkSync } from "node:fs";
import type { LockProcess } from "../../model/lock-record.ts";
import { bootId, isZombie, processBegin } from "../process-begin.ts";

/** This process, as others of this machine can judge it; null where the machine cannot tell. */
export function ownProcess(): LockProcess | null {
  const [boot, namespace, began] = [bootId(), ownNamespace(), processBegin(process.pid)];
  return boot === null || namespace === null || began === null ? null : { boot, namespace, pid: process.pid, began };
}

/**
 * Is it known that the holder no longer runs? Only a process of this boot and of this namespace of numbers can be judged;
 * of any other nothing is known.
 */
export function isKnownDead(holder: LockProcess | null | undefined): boolean {
  if (holder === null || holder === undefined) return false;
  if (holder.boot !== bootId() || holder.namespace !== ownNamespace()) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, and is somebody else's.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const began = processBegin(holder.pid);
  return isZombie(holder.pid) || (began !== null && began !== holder.began);
}

/** The namespace of process numbers (namespaces(7)): containers of one machine share its boot, but not this. */
function ownNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}
