import type { DesiredState } from "../../desired/desired-state.ts";
import { nodeWork } from "../../engine/node-work.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { stableJson } from "../../kit/stable-json.ts";
import type { NodeTarget } from "../../model/node.ts";
import type { NodeQuestions } from "../../model/node-question.ts";
import type { Secrets, Transport } from "../../ports.ts";

/** A run that reads nodes for somebody's pull request, and what became of those that it was to read. */
export interface GuardedRun {
  readonly run: RunContext;
  /** By node: why it was not read, in one line. Filled while the run is at work. */
  readonly unread: ReadonlyMap<string, string>;
}

/**
 * Between what a pull request wrote and the nodes (DESIGN §6): whatever is decided above, only these things get through.
 *
 * - Connections go where `main` says, as whom it says. A node of which the pull request changes that, or that only it has, is
 *   left out: it could be a machine that collects keys, or one that is reached through one.
 * - No secret is looked up: a reference that a pull request wrote would be answered with a value that it chose.
 * - Bytes are read of files only that `main` has read for its own comparison. Everything else answers with kind, mode, owner
 *   and hash, so that no comment shows what stands in a file that somebody pointed at.
 * - Nothing is changed.
 */
export function guardedRun(run: RunContext, main: DesiredState): GuardedRun {
  const known = new Map(main.nodes.map((node) => [node.name, nodeWork(main, node, null, NO_SECRETS)] as const));
  const unread = new Map<string, string>();
  const transport: Transport = {
    async observe(target, questions) {
      const work = known.get(target.name);
      const reason = work === undefined ? ONLY_HERE : differing(work.target, target);
      if (work === undefined || reason !== null) {
        unread.set(target.name, reason ?? ONLY_HERE);
        return { kind: "failure", outcome: "skipped", message: reason ?? ONLY_HERE };
      }
      const observation = await run.transport.observe(work.target, tamed(questions, work.questions));
      if (observation.kind === "failure") unread.set(target.name, `${observation.outcome}: ${observation.message}`);
      return observation;
    },
    change: () => {
      throw new Error("a look at nodes was about to change one");
    },
    close: () => run.transport.close(),
  };
  return {
    run: { ...run, transport, secrets: withoutValues(run.secrets), parallel: main.fleet.rollout.parallel },
    unread,
  };
}

const NO_SECRETS = { valueOf: () => null, hash: () => "" };

const ONLY_HERE = "only this pull request has it: it is read after the merge";

function tamed(questions: NodeQuestions, own: NodeQuestions): NodeQuestions {
  return { ...questions, texts: questions.texts.filter((path) => own.texts.includes(path)) };
}

/** Everything that decides where a connection leads and as whom; time-outs are main's whatever the other says. */
function differing(main: NodeTarget, asked: NodeTarget): string | null {
  if (stableJson(way(main)) === stableJson(way(asked))) return null;
  return "this pull request changes how it is reached: it is read after the merge";
}

function way({ name, os, address, port, user, become, jump }: NodeTarget): unknown {
  return { name, os, address, port, user, become, jump: jump === null ? null : way(jump) };
}

function withoutValues(secrets: Secrets): Secrets {
  return {
    resolve: async () => ({ kind: "absent", why: "a look at nodes for a pull request has no secrets" }),
    hash: (value) => secrets.hash(value),
    redact: (text) => secrets.redact(text),
  };
}
