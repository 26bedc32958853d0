import { AsyncLocalStorage } from "node:async_hooks";

/** One shell on a simulated node, with what just-bash itself does not keep for a process. */
export interface NodeProcess {
  readonly pid: number;
  /** Login that owns what it creates; its group has the same name. */
  readonly user: string;
  umask: number;
  /** What `trap … EXIT` asked for last. */
  exitTrap: string | null;
}

/** Follows a shell through everything it awaits, so that files and commands know who acts. */
export const processes = new AsyncLocalStorage<NodeProcess>();

/** The process at work; outside of one (a node that is being set up) it is root's. */
export function currentProcess(): NodeProcess {
  return processes.getStore() ?? { pid: 1, user: "root", umask: 0o022, exitTrap: null };
}
