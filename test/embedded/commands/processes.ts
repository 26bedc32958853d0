import type { ResolvedCommandContext } from "just-bash";
import { type NodeProcess, setUmask } from "../process.ts";
import { DONE, failed, type NodeCommand, printed, runProgram } from "./command.ts";
import { readOptions } from "./options.ts";

/** Only EXIT is ever raised here: there are no signals. */
const trap: NodeCommand = ([action, ...signals], _shell, { process }) => {
  if (signals.includes("EXIT") || signals.includes("0"))
    process.exitTrap = action === "-" || action === "" ? null : (action ?? null);
  return DONE;
};

const umask: NodeCommand = ([mask], shell, { process }) => {
  if (mask === undefined) return printed(`${process.umask.toString(8).padStart(4, "0")}\n`);
  if (!/^[0-7]{1,4}$/.test(mask)) return failed(`umask: ${mask}: invalid symbolic mode operator`);
  setUmask(process, shell.env, Number.parseInt(mask, 8));
  return DONE;
};

const ulimit: NodeCommand = () => DONE;

/** `kill -0 PID` asks whether it runs; no other signal arrives. */
const kill: NodeCommand = (args, _shell, { machine }) => {
  const pids = args.filter((arg) => /^[0-9]+$/.test(arg) && arg !== "0").map(Number);
  const gone = pids.find((pid) => !machine.running.has(pid));
  return gone === undefined ? DONE : failed(`kill: (${gone}) - No such process`);
};

/** Locks on descriptors below this one belong to a subshell, and just-bash does not tell when one ends: not kept. */
const FIRST_KEPT = 9;

/**
 * A lock goes by the number of its descriptor, since a program here cannot always see what is behind one. It is let go
 * when the process ends; a shared one is tried but not kept.
 */
const flock: NodeCommand = async (args, shell, { machine, process }) => {
  const options = readOptions(args, {
    short: "+sxnuw:",
    long: ["shared", "exclusive", "nonblock", "unlock", "timeout="],
  });
  const [descriptor = ""] = options.operands;
  const { locks } = machine;
  const { pid } = process;
  if (options.has("u", "unlock")) {
    if (locks.get(descriptor) === pid) locks.delete(descriptor);
    return DONE;
  }
  const patience = options.has("n", "nonblock") ? 0 : Number(options.value("w", "timeout") ?? Number.POSITIVE_INFINITY);
  const until = Date.now() + patience * 1000;
  while (locks.has(descriptor) && locks.get(descriptor) !== pid) {
    if (Date.now() >= until || shell.signal?.aborted === true) return { stdout: "", stderr: "", exitCode: 1 };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  if (!options.has("s", "shared") && Number(descriptor) >= FIRST_KEPT) locks.set(descriptor, pid);
  return DONE;
};

/** Runs the program and waits for it: nothing here outlives its session. */
const setsid: NodeCommand = (args, shell) => runProgram(readOptions(args, { short: "+fwc" }).operands, shell);

const nohup: NodeCommand = (args, shell) => runProgram(args, shell);

/** Becomes root for whom the node's sudoers say so (they say so of every login here). */
const sudo: NodeCommand = (args, shell, { process }) => {
  const options = readOptions(args, { short: "+nHEkp:u:" });
  return runAs(options.value("u") ?? "root", options.operands, shell, process);
};

const runuser: NodeCommand = (args, shell, { node, process }) => {
  const options = readOptions(args, { short: "+u:l" });
  const user = options.value("u") ?? "";
  if (!node.users.has(user)) return failed(`runuser: user ${user} does not exist`);
  return runAs(user, options.operands, shell, process);
};

async function runAs(user: string, program: readonly string[], shell: ResolvedCommandContext, process: NodeProcess) {
  const before = process.user;
  process.user = user;
  try {
    return await runProgram(program, shell, { USER: user });
  } finally {
    process.user = before;
  }
}

/**
 * The marks of begin and progress of rollcall's framing (src/shell/framing.ts) leave at once; just-bash keeps all other
 * output until the script has ended.
 */
const printf: NodeCommand = async (args, shell, { process }) => {
  const result = (await shell.origCommand?.([...args])) ?? DONE;
  if (!/^\n[0-9a-f]{32} (begin|step [0-9]+)\n$/.test(result.stdout)) return result;
  process.onProgress(result.stdout);
  return { ...result, stdout: "" };
};

export const PROCESS_COMMANDS = { flock, kill, nohup, printf, runuser, setsid, sudo, trap, ulimit, umask };
