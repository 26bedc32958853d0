import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Trouble } from "../../kit/trouble.ts";
import type { NodeTarget } from "../../model/node.ts";
import type { ChangeRequest } from "../../model/node-effect.ts";
import type { NodeQuestions } from "../../model/node-question.ts";
import type { ChangeResult, NodeFailure, Observation, Transport } from "../../ports.ts";
import { parseVerdict } from "../../shell/change-script.ts";
import { lastWords, loginCommand, type Reply, replyFailure } from "../../shell/reply.ts";
import { changeScript, factsFrom, observeScript } from "../../shell/requests.ts";
import { longestStepSeconds, stepsPerProgress } from "../../shell/runner.ts";
import { type KnownHosts, parseKnownHosts } from "../known-hosts.ts";
import { changeResult } from "./change-result.ts";
import { connector, isFailure } from "./connect.ts";
import { type ConnectionPool, connectionPool } from "./connection-pool.ts";
import { type Conversation, converse, type Unopened } from "./converse.ts";
import { readPrivateKeys } from "./private-keys.ts";

export interface SshTransportOptions {
  /** `roster/known_hosts`; a file that is not there knows no host. */
  readonly knownHostsFile: string;
  /** ROLLCALL_SSH_KEY, ROLLCALL_SSH_KEY_FILE, SSH_AUTH_SOCK (DESIGN §5). */
  readonly environment: NodeJS.ProcessEnv;
  /** Default 5,000: a link counts as dead after about seven of them. */
  readonly keepaliveIntervalMs?: number;
}

/**
 * Reaches nodes over SSH (DESIGN §7): one connection each, one script a call. Whatever keeps a node from answering is an
 * outcome; keys that cannot be used are told before anything is connected.
 */
export async function sshTransport(options: SshTransportOptions): Promise<Transport> {
  const keys = await readPrivateKeys(options.environment);
  if (keys.kind === "trouble") return withoutKeys(keys.message);
  const knownHosts = await readKnownHosts(options.knownHostsFile);
  const keepaliveIntervalMs = options.keepaliveIntervalMs ?? 5000;
  const pool = connectionPool(connector({ knownHosts, keys, keepaliveIntervalMs }));
  return {
    observe: (target, questions) => observe(pool, target, questions),
    change: (target, request, onStep) => change(pool, target, request, onStep),
    close: () => pool.close(),
  };
}

async function observe(pool: ConnectionPool, target: NodeTarget, questions: NodeQuestions): Promise<Observation> {
  const boundary = newBoundary();
  const script = observeScript(questions, { boundary });
  const idleTimeoutMs = target.stepTimeoutMs;
  const longestMs = longestLookMs(idleTimeoutMs);
  const reply = await ask(pool, target, { boundary, script, idleTimeoutMs, longestMs, onStep: () => {} });
  if ("kind" in reply) return reply;
  const failure = replyFailure(reply, target.become, false);
  if (failure !== undefined) return { kind: "failure", ...failure };
  return { kind: "observed", facts: factsFrom(reply.frame.sections, questions) };
}

async function change(
  pool: ConnectionPool,
  target: NodeTarget,
  request: ChangeRequest,
  onStep: (index: number) => void,
): Promise<ChangeResult> {
  const boundary = newBoundary();
  const script = changeScript(request, { boundary });
  const idleTimeoutMs = longestSilenceMs(request);
  const longestMs = idleTimeoutMs * (request.steps.length + 1) + longestLookMs(request.stepTimeoutMs);
  const reply = await ask(pool, target, { boundary, script, idleTimeoutMs, longestMs, onStep });
  if ("kind" in reply) return reply;
  const failure = replyFailure(reply, target.become, true);
  if (failure !== undefined) return { kind: "failure", ...failure };
  const { sections } = reply.frame;
  return changeResult(parseVerdict(sections), request, () => factsFrom(sections, request.questions), lastWords(reply));
}

/** One round trip. A connection that had died while it was idle is replaced: nothing had been sent on it. */
async function ask(
  pool: ConnectionPool,
  target: NodeTarget,
  talk: Omit<Conversation, "command" | "openTimeoutMs">,
): Promise<Reply | NodeFailure> {
  const conversation = { ...talk, command: loginCommand(target.become), openTimeoutMs: target.connectTimeoutMs };
  for (;;) {
    const lease = await pool.lease(target);
    if (isFailure(lease)) return { kind: "failure", outcome: lease.outcome, message: lease.message };
    const reply = await converse(lease.client, conversation);
    if (!("kind" in reply)) {
      lease.giveBack(reply.end === "complete" || reply.end === "exited" ? "fine" : "broken");
      return reply;
    }
    lease.giveBack("broken");
    if (!lease.reused || reply.why === "refused") return unopenedFailure(reply, target);
  }
}

function unopenedFailure(unopened: Unopened, target: NodeTarget): NodeFailure {
  const { name, connectTimeoutMs } = target;
  switch (unopened.why) {
    case "no-answer": {
      const message = `${name} lets in, but opened no channel within ${connectTimeoutMs / 1000} s; nothing was sent`;
      return { kind: "failure", outcome: "timed-out", message };
    }
    case "link-lost":
      return {
        kind: "failure",
        outcome: "unreachable",
        message: "the link was lost after the login; nothing was sent",
      };
    case "refused": {
      const message = `its sshd runs no commands for this account (${unopened.detail}); see MaxSessions and ForceCommand`;
      return { kind: "failure", outcome: "unsupported-node", message };
    }
  }
}

/** All facts of a node together: its programs are few, and each of them may be as slow as a step. */
function longestLookMs(stepTimeoutMs: number): number {
  return 5 * stepTimeoutMs;
}

/** The longest a change can be quiet: a step of several slow programs, or an older run that has to stop first. */
function longestSilenceMs(request: ChangeRequest): number {
  const effects = Math.max(1, ...request.steps.map((step) => step.effects.length));
  const rounds = Math.max(2, effects * stepsPerProgress(request));
  return 1000 * longestStepSeconds(request.stepTimeoutMs) * rounds + request.settleMs;
}

async function readKnownHosts(file: string): Promise<KnownHosts> {
  try {
    return parseKnownHosts(await readFile(file, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return parseKnownHosts("");
    const hint = "make it a readable file in OpenSSH's format";
    throw new Trouble(`${file}: ${message}`, { code: "known-hosts-unreadable", hint, cause: error });
  }
}

function newBoundary(): string {
  return randomBytes(16).toString("hex");
}

function withoutKeys(message: string): Transport {
  const failure: NodeFailure = { kind: "failure", outcome: "auth-failed", message };
  return { observe: async () => failure, change: async () => failure, close: async () => {} };
}
