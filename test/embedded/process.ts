/** One shell on a simulated node, with what just-bash itself does not keep for a process. */
export interface NodeProcess {
  readonly pid: number;
  /** Login that owns what it creates; its group has the same name. `sudo` changes it for as long as its program runs. */
  user: string;
  umask: number;
  /** What `trap … EXIT` asked for last. */
  exitTrap: string | null;
  /** Takes output that must not wait for the end of the process, as all other output does. */
  readonly onProgress: (text: string) => void;
}

/** Where `umask` keeps its mask: a variable, because a subshell's variables are forgotten with it, as its mask must be. */
const UMASK = "__embedded_umask";

export function setUmask(process: NodeProcess, env: Map<string, string>, mask: number): void {
  env.set(UMASK, String(mask));
  recallUmask(process, env);
}

/** Called before every program of ours, so that files which a redirect makes get the mask of their shell, or nearly so. */
export function recallUmask(process: NodeProcess, env: ReadonlyMap<string, string>): void {
  process.umask = Number(env.get(UMASK) ?? 0o022);
}
