import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { EditorBusy } from "../ports.ts";
import { bootId, processBegin } from "./process-begin.ts";

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, in the kernel's words, where they can be read: numbers are given to new processes again. */
  readonly began: string | null;
  /** Tells this lock from every other one. */
  readonly token: string;
}

const LOCK = "rollcall-edit.lock";

/** Milliseconds after which a takeover that was itself cut off is forgotten; it lasts less than one. */
const TAKEOVER_LIMIT = 60_000;

/**
 * The right to edit a working tree. The lock is a file that names its holder and appears with its content in one step
 * (a link). A holder of this machine that no longer runs is taken over from; of a holder on another machine (a shared
 * disk) nothing is known, so a person must decide.
 */
export async function takeEditLock(root: string, patience: number): Promise<{ release(): Promise<void> } | EditorBusy> {
  const path = lockPath(root);
  await mkdir(dirname(path), { recursive: true });
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    began: beginOf(process.pid),
    token: randomBytes(8).toString("hex"),
  };
  const ticket = `${path}.${own.token}`;
  await writeFile(ticket, JSON.stringify(own), { flag: "wx" });
  try {
    for (const end = performance.now() + patience; ; ) {
      if (await linked(ticket, path)) return { release: () => release(path, own) };
      const holder = await holderOf(path);
      if (holder !== null && isDead(holder)) await takeOver(ticket, path, holder);
      else if (performance.now() > end) return busy(path, holder);
      else await delay(5 + Math.random() * 20);
    }
  } finally {
    await rm(ticket, { force: true });
  }
}

/**
 * Two that find the same dead lock must not both remove it: the later removal could hit the winner's new one. So the
 * removal itself is for one at a time, and looks again first.
 */
async function takeOver(ticket: string, path: string, dead: Holder): Promise<void> {
  const breaking = `${path}.takeover`;
  if (!(await linked(ticket, breaking))) {
    const age = Date.now() - ((await stat(breaking).catch(() => null))?.ctimeMs ?? Date.now());
    if (age > TAKEOVER_LIMIT) await rm(breaking, { force: true });
    else await delay(5 + Math.random() * 20);
    return;
  }
  try {
    await release(path, dead);
    await rm(`${path}.${dead.token}`, { force: true });
  } finally {
    await rm(breaking, { force: true });
  }
}

/** In git's own folder, where no status shows it; beside the roster when there is none. */
function lockPath(root: string): string {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    if (existsSync(join(git, "HEAD"))) return join(git, LOCK);
    // Of a linked worktree `.git` is a file that names its folder.
    if (existsSync(git))
      return join(resolve(folder, /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1] ?? ""), LOCK);
    if (dirname(folder) === folder) return join(root, `.${LOCK}`);
  }
}

async function release(path: string, holder: Holder): Promise<void> {
  if ((await holderOf(path))?.token === holder.token) await rm(path, { force: true });
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** null: it went away meanwhile, or is no lock of ours. */
async function holderOf(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Holder;
  } catch {
    return null;
  }
}

function isDead({ pid, host, began }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, and is somebody else's.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  return began !== null && beginOf(pid) !== began;
}

/** When it began, with the boot; null where there is no /proc. */
function beginOf(pid: number): string | null {
  const [boot, begin] = [bootId(), processBegin(pid)];
  return boot === null || begin === null ? null : `${boot}/${begin}`;
}

function busy(path: string, holder: Holder | null): EditorBusy {
  const who = holder === null ? "somebody" : `process ${holder.pid} on ${holder.host}`;
  return {
    kind: "busy",
    message: `${who} is editing this repository`,
    hint: `wait for it; if it is gone for good, remove ${path}`,
  };
}
