import type { NodeTarget } from "../model/node.ts";
import type { OutcomeCode } from "../model/node-outcome.ts";
import { type Frame, GREETING } from "./framing.ts";
import { textOf } from "./latin1.ts";

/** All that came of sending one script to a node. */
export interface Reply {
  /**
   * `complete`: the end mark was read · `exited`: the channel was closed in order without one · `lost`: the link went
   * away · `silent`: nothing came for too long, and the link was given up · `overflow`: more came than any answer holds.
   */
  readonly end: "complete" | "exited" | "lost" | "silent" | "overflow";
  readonly frame: Frame;
  /** How the remote process ended; null when nobody said so. A null code is never 0. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null;
  /** Latin-1, the beginning and the end of it when it was long. */
  readonly stderr: string;
}

export interface ReplyFailure {
  readonly outcome: OutcomeCode;
  /** One line: what happened and what to do next. */
  readonly message: string;
}

/** What is sent as the command: as little as possible, because it is the account's login shell that reads it. */
export function loginCommand(become: NodeTarget["become"]): string {
  return `echo ${GREETING}; exec ${become === "sudo" ? "sudo -n -- " : ""}/bin/sh -s`;
}

/**
 * Why a reply is no answer; undefined when it is one. Told from its shape (DESIGN §7): which marks came, how the process
 * ended, never from what a program said in English. `changing`: the script was to change the node.
 */
export function replyFailure(reply: Reply, become: NodeTarget["become"], changing: boolean): ReplyFailure | undefined {
  if (reply.frame.status !== null) return undefined;
  const consequence = changing
    ? "; what was done is not known, the node's own record is read by the next run: apply again"
    : "; check again";
  switch (reply.end) {
    case "overflow":
      return { outcome: "unknown", message: `the node sent more than any answer holds and was cut off${consequence}` };
    case "silent":
      return { outcome: changing ? "unknown" : "timed-out", message: `the node stopped answering${consequence}` };
    case "lost":
      return { outcome: "unknown", message: `the link was lost before the answer was complete${consequence}` };
    default:
      if (!reply.frame.begun) return notBegun(reply, become);
      return {
        outcome: "unknown",
        message: `its script ended early, ${ending(reply)}${lastWords(reply)}${consequence}`,
      };
  }
}

/** Nothing of the script ran, so that nothing was done. */
function notBegun(reply: Reply, become: NodeTarget["become"]): ReplyFailure {
  const code = reply.exit?.code ?? null;
  if (!reply.frame.greeted) {
    const message = `the account's login shell runs no commands (${ending(reply)}${lastWords(reply)}); give it one such as /bin/sh, and no forced command`;
    return { outcome: "unsupported-node", message };
  }
  if (become === "sudo" && code === 1) {
    const message = `sudo -n was refused${lastWords(reply)}; the account needs NOPASSWD for /bin/sh in sudoers, or become: none with a user that is root`;
    return { outcome: "sudo-refused", message };
  }
  const program = become === "sudo" ? "sudo or /bin/sh" : "/bin/sh";
  const trouble = code === 126 || code === 127 ? "cannot be run" : "did not run the script";
  return { outcome: "unsupported-node", message: `${program} ${trouble} (${ending(reply)}${lastWords(reply)})` };
}

function ending(reply: Reply): string {
  if (reply.exit === null) return "without an exit status";
  const { code, signal } = reply.exit;
  return code === null ? `ended by ${signal ?? "an unnamed signal"}` : `exit status ${code}`;
}

/** The last thing it said on stderr, fit for one line: `: words`, or nothing. */
export function lastWords(reply: Reply): string {
  const lines = textOf(reply.stderr).split(/[\r\n]+/);
  const last = lines.map((line) => line.replace(/\p{Cc}/gu, "").trim()).findLast((line) => line !== "");
  return last === undefined ? "" : `: ${last.slice(0, 200)}`;
}
