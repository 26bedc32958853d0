import type { Client, ClientChannel } from "ssh2";
import { frameReader } from "../../shell/framing.ts";
import type { Reply } from "../../shell/reply.ts";

export interface Conversation {
  /** For the login shell (reply.ts: loginCommand). */
  readonly command: string;
  readonly script: string;
  readonly boundary: string;
  readonly openTimeoutMs: number;
  /** Without a byte either way for so long, the node counts as silent; noise before the answer begins does not count. */
  readonly idleTimeoutMs: number;
  /** All that the exchange may take: a node that goes on dripping bytes must not hold up the run. */
  readonly longestMs: number;
  readonly onStep: (index: number) => void;
}

/** The channel never opened: nothing was sent. */
export interface Unopened {
  readonly kind: "unopened";
  readonly why: "no-answer" | "link-lost" | "refused";
  readonly detail: string;
}

/**
 * Bytes that one answer may have, noise included: 10,000 paths take 2 MB. A node that sends more is cut off, and its
 * outcome is unknown, so that a hostile one cannot exhaust the controller's memory.
 */
export const OUTPUT_AT_MOST = 32 * 1024 * 1024;
/** Bytes kept of each end of stderr. */
const STDERR_KEPT = 8 * 1024;
/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Bytes handed to the socket at a time, so that keepalives do not queue behind a whole script. */
const PIECE = 64 * 1024;

/** Sends one script and takes its answer. Settles once; whatever comes later is ignored. */
export async function converse(client: Client, talk: Conversation): Promise<Reply | Unopened> {
  const opened = await openChannel(client, talk);
  return "why" in opened ? opened : exchange(client, opened, talk);
}

interface OpenChannel {
  readonly channel: ClientChannel;
  /** How the remote process ended, as far as it is known. */
  exit(): Reply["exit"];
}

function openChannel(client: Client, talk: Conversation): Promise<OpenChannel | Unopened> {
  return new Promise((resolve) => {
    let waiting = true;
    const settle = (result: OpenChannel | Unopened): void => {
      if (!waiting) return;
      waiting = false;
      clearTimeout(timer);
      client.removeListener("close", lost);
      resolve(result);
    };
    const unopened = (why: Unopened["why"], detail: string) => settle({ kind: "unopened", why, detail });
    const lost = () => unopened("link-lost", "the connection was closed");
    // On a half-open link the callback never comes.
    const timer = setTimeout(() => unopened("no-answer", "no answer"), talk.openTimeoutMs);
    client.once("close", lost);
    try {
      client.exec(talk.command, (error, channel) => {
        if (error !== undefined) return unopened("refused", error.message);
        if (!waiting) return channel.close();
        settle({ channel, exit: exitOf(channel) });
      });
    } catch {
      lost(); // ssh2 throws when the connection is gone already
    }
  });
}

/** Listens before anything else happens: an exit status can come in the same packet as the channel's opening. */
function exitOf(channel: ClientChannel): () => Reply["exit"] {
  let exit: Reply["exit"] = null;
  channel.on("exit", (code: number | null, signal?: string) => {
    exit = { code, signal: signal ?? null };
  });
  return () => exit;
}

function exchange(client: Client, { channel, exit }: OpenChannel, talk: Conversation): Promise<Reply> {
  return new Promise((resolve) => {
    const reader = frameReader(talk.boundary, (index) => waiting && talk.onStep(index));
    const errors = stderrKeeper();
    let received = 0;
    let waiting = true;

    const settle = (end: Reply["end"]): void => {
      if (!waiting) return;
      waiting = false;
      clearTimeout(timer);
      clearTimeout(deadline);
      client.removeListener("close", lost);
      if (end === "complete") channel.close();
      resolve({ end, frame: reader.frame(), exit: exit(), stderr: errors.text() });
    };
    const lost = () => settle("lost");
    const timer = setTimeout(() => settle("silent"), Math.min(talk.idleTimeoutMs, LONGEST_TIMER_MS));
    const deadline = setTimeout(() => settle("silent"), Math.min(talk.longestMs, LONGEST_TIMER_MS));
    const take = (piece: Buffer): boolean => {
      if (!waiting) return false;
      if (reader.hasBegun()) timer.refresh();
      received += piece.length;
      if (received > OUTPUT_AT_MOST) settle("overflow");
      return waiting;
    };

    client.once("close", lost);
    channel.on("error", () => {});
    channel.stderr.on("error", () => {});
    channel.on("data", (piece: Buffer) => {
      if (!take(piece)) return;
      reader.push(piece.toString("latin1"));
      if (reader.isComplete()) settle("complete");
    });
    channel.stderr.on("data", (piece: Buffer) => {
      if (take(piece)) errors.push(piece);
    });
    // Of a link that is lost the client's own event comes first.
    channel.on("close", () => settle("exited"));
    send(channel, Buffer.from(talk.script), () => {
      timer.refresh();
      return waiting;
    });
  });
}

/** Writes piece by piece as the node takes it; `goOn` hears of each. */
function send(channel: ClientChannel, script: Buffer, goOn: () => boolean): void {
  const next = (from: number): void => {
    if (!goOn()) return;
    if (from >= script.length) {
      channel.end();
      return;
    }
    channel.write(script.subarray(from, from + PIECE), () => whenDrained(channel, () => next(from + PIECE)));
  };
  next(0);
}

/** ssh2 hands data to the socket without looking whether it takes any more. */
function whenDrained(channel: ClientChannel, then: () => void): void {
  const socket = socketOf(channel);
  if (socket?.writableNeedDrain === true) socket.once("drain", then);
  else then();
}

interface SocketLike {
  readonly writableNeedDrain: boolean;
  once(event: "drain", listener: () => void): unknown;
}

/** ssh2 has no public way to its socket. */
function socketOf(owner: object): SocketLike | undefined {
  const { _client, _sock } = owner as { _client?: object; _sock?: SocketLike };
  return _client === undefined ? _sock : socketOf(_client);
}

/** Keeps the beginning and the end. */
function stderrKeeper(): { push(piece: Buffer): void; text(): string } {
  let head = "";
  let tail = "";
  return {
    push(piece) {
      const text = piece.toString("latin1");
      const room = STDERR_KEPT - head.length;
      head += text.slice(0, Math.max(0, room));
      tail = (tail + text.slice(Math.max(0, room))).slice(-STDERR_KEPT);
    },
    text: () => head + tail,
  };
}
