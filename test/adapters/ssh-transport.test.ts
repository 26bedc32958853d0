import type { Connection, ServerChannel } from "ssh2";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OUTPUT_AT_MOST } from "../../src/adapters/ssh/converse.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { Transport } from "../../src/ports.ts";
import { acceptCommands, realShell, SshBench } from "./local-sshd.ts";

let bench: SshBench;
let transport: Transport;

beforeAll(() => {
  bench = new SshBench();
});
afterAll(() => bench?.close());
beforeEach(async () => {
  transport = await bench.transport();
});
afterEach(() => transport.close());

const REQUEST = {
  runId: "run",
  fence: { epoch: 1, seen: null },
  steps: [],
  questions: NO_QUESTIONS,
  stepTimeoutMs: 1000,
  settleMs: 0,
};

describe("an exchange", () => {
  it("reads the facts, and keeps the connection for the next", async () => {
    const { port, connections } = await bench.serve();
    for (let round = 0; round < 3; round++) {
      expect(await transport.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    }
    expect(connections()).toBe(1);
  });

  it("with many callers of one node opens one connection", async () => {
    const { port, connections } = await bench.serve();
    const observe = () => transport.observe(bench.target(port), NO_QUESTIONS);
    const results = await Promise.all(Array.from({ length: 5 }, observe));
    expect(results.map(({ kind }) => kind)).toEqual(Array(5).fill("observed"));
    expect(connections()).toBe(1);
  });

  it("that answers without end is cut off at the cap: unknown", { timeout: 30_000 }, async () => {
    let sent = 0;
    const piece = Buffer.alloc(65_536, "x\n");
    const { port } = await bench.serve({
      exec: (channel) => {
        const more = (): void => {
          while (channel.writable) {
            sent += piece.length;
            if (!channel.write(piece)) return void channel.once("drain", more);
          }
        };
        more();
      },
    });
    const result = await transport.observe(bench.target(port), NO_QUESTIONS);
    expect(result).toMatchObject({ outcome: "unknown", message: expect.stringContaining("cut off") });
    expect(sent).toBeLessThan(OUTPUT_AT_MOST + 16 * 1024 * 1024);
  });

  it("whose stderr is endless is cut off as well", { timeout: 30_000 }, async () => {
    const piece = Buffer.alloc(65_536, "x\n");
    const { port } = await bench.serve({
      exec: (channel) => {
        const timer = setInterval(() => (channel.writable ? channel.stderr.write(piece) : clearInterval(timer)), 0);
        channel.on("close", () => clearInterval(timer));
      },
    });
    expect(await transport.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ outcome: "unknown" });
  });

  it.each([
    ["a signal", (channel: ServerChannel) => channel.exit("KILL"), /SIGKILL/],
    ["no exit status", () => {}, /without an exit status/],
    ["status 0 and no answer", (channel: ServerChannel) => channel.exit(0), /exit status 0/],
  ])("that ends with %s is not taken for success", async (_what, end, message) => {
    const { port } = await bench.serve({
      exec: (channel) => {
        channel.resume();
        channel.write("rollcall-login-shell\n");
        end(channel);
        channel.end();
      },
    });
    const result = await transport.change(bench.target(port), REQUEST, () => {});
    expect(result).toMatchObject({ kind: "failure", message: expect.stringMatching(message) });
  });

  it("hears no progress after its result", async () => {
    const heard: number[] = [];
    const boundary = /rc_mark=(\w{16})''(\w{16})/;
    const { port } = await bench.serve({
      exec: (channel) => {
        let script = "";
        channel.on("data", (piece: Buffer) => {
          script += piece.toString();
        });
        channel.on("end", () => {
          const [, first = "", second = ""] = boundary.exec(script) ?? [];
          const mark = `\n${first}${second}`;
          channel.write(
            `${mark} begin\n${mark} step 4\n${mark} section verdict\nbusy\n${mark} end 0\n${mark} step 5\n`,
          );
        });
      },
    });
    const result = await transport.change(bench.target(port), REQUEST, (index) => heard.push(index));
    expect(result).toMatchObject({ outcome: "busy" });
    // A second exchange over the same connection: whatever was under way has arrived by then.
    await transport.observe(bench.target(port), NO_QUESTIONS);
    expect(heard).toEqual([4]);
  });
});

describe("a channel", () => {
  it("that never opens is a time-out, and says that nothing was sent", async () => {
    const { port } = await bench.serve({ session: (session) => void session.on("exec", () => {}) });
    const result = await transport.change(bench.target(port, { connectTimeoutMs: 300 }), REQUEST, () => {});
    expect(result).toMatchObject({ outcome: "timed-out", message: expect.stringContaining("nothing was sent") });
  });

  it("that is refused says so", async () => {
    const { port } = await bench.serve({ session: (session) => void session.on("exec", (_a, reject) => reject()) });
    expect(await transport.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ outcome: "unsupported-node" });
  });

  it("on a connection that has died while idle is opened on a new one", async () => {
    const open: Connection[] = [];
    const { port, connections } = await bench.serve({
      authentication: (connection) => {
        open.push(connection);
        connection.on("authentication", (context) => context.accept());
      },
    });
    await transport.observe(bench.target(port), NO_QUESTIONS);
    open[0]?.end();
    expect(await transport.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    expect(connections()).toBe(2);
  });

  it("on a connection that stands but is dead is given up, and a new connection made", async () => {
    let sessions = 0;
    const { port, connections } = await bench.serve({
      session: (session) => {
        if (++sessions === 2) session.on("exec", () => {});
        else acceptCommands(session, realShell);
      },
    });
    const target = bench.target(port, { connectTimeoutMs: 500 });
    await transport.observe(target, NO_QUESTIONS);
    expect(await transport.observe(target, NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    expect(connections()).toBe(2);
  });
});

describe("a connection", () => {
  it("that is dropped before the banner is tried again, and only then", async () => {
    const { port } = await bench.serve();
    let calls = 0;
    const { connect } = await import("node:net");
    const front = await bench.serveTcp((socket) => {
      if (++calls < 3) return void socket.destroy();
      const through = connect(port, "127.0.0.1");
      socket.pipe(through).pipe(socket);
    });
    expect(await transport.observe(bench.target(front), NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    expect(calls).toBe(3);
  });

  it("that is dropped each time is unreachable after three", async () => {
    let calls = 0;
    const port = await bench.serveTcp((socket) => {
      calls++;
      socket.destroy();
    });
    expect(await transport.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ outcome: "unreachable" });
    expect(calls).toBe(3);
  });

  it("on which nobody speaks is a time-out, and is not tried again", async () => {
    let calls = 0;
    const port = await bench.serveTcp(() => void calls++);
    const result = await transport.observe(bench.target(port, { connectTimeoutMs: 300 }), NO_QUESTIONS);
    expect(result).toMatchObject({ outcome: "timed-out", message: expect.stringContaining("SSH banner") });
    expect(calls).toBe(1);
  });

  it("that stops in the key exchange, and in the login, says so", async () => {
    const exchange = await bench.serveTcp((socket) => void socket.write("SSH-2.0-Quiet\r\n"));
    expect(await transport.observe(bench.target(exchange, { connectTimeoutMs: 300 }), NO_QUESTIONS)).toMatchObject({
      outcome: "timed-out",
      message: expect.stringContaining("key exchange"),
    });
    const { port } = await bench.serve({
      authentication: (connection) => void connection.on("authentication", () => {}),
    });
    expect(await transport.observe(bench.target(port, { connectTimeoutMs: 500 }), NO_QUESTIONS)).toMatchObject({
      outcome: "timed-out",
      message: expect.stringContaining("authentication"),
    });
  });

  it.each([
    ["a web server", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["noise", "\0\xff\xfe\n".repeat(1000)],
    ["the first protocol", "SSH-1.5-old\r\n"],
    ["a banner and then noise", "SSH-2.0-x\r\n\0\0\0\0\0\0\0\0"],
  ])("to what is no SSH server is no success: %s", async (_what, words) => {
    const port = await bench.serveTcp((socket) => void socket.end(words, "latin1"));
    const result = await transport.observe(bench.target(port, { connectTimeoutMs: 3000 }), NO_QUESTIONS);
    expect(result.kind).toBe("failure");
  });

  it("whose keys are all refused is auth-failed, at once", async () => {
    const { port, connections } = await bench.serve({
      authentication: (connection) => void connection.on("authentication", (context) => context.reject()),
    });
    expect(await transport.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ outcome: "auth-failed" });
    expect(connections()).toBe(1);
  });

  it("tries the second key when the first is refused, and passes over an agent that is not there", async () => {
    bench.generate("wrong");
    const { readFileSync } = await import("node:fs");
    const right = readFileSync(bench.file("user.pub"), "utf8").split(" ")[1] ?? "";
    const asked: string[] = [];
    const { port } = await bench.serve({
      authentication: (connection) =>
        void connection.on("authentication", (context) => {
          asked.push(context.method);
          if (context.method === "publickey" && context.key.data.toString("base64") === right) context.accept();
          else context.reject();
        }),
    });
    const both = await bench.transport({
      ROLLCALL_SSH_KEY: readFileSync(bench.file("wrong"), "utf8"),
      ROLLCALL_SSH_KEY_FILE: bench.file("user"),
    });
    expect(await both.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    await both.close();
    const agent = await bench.transport({ SSH_AUTH_SOCK: "/nowhere/agent" });
    expect(await agent.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ outcome: "auth-failed" });
    await agent.close();
    expect(asked).not.toContain("none");
  });

  it("is opened with a key that an agent holds", async () => {
    const { readFileSync } = await import("node:fs");
    const held = readFileSync(bench.file("user.pub"), "utf8").split(" ")[1] ?? "";
    const { port } = await bench.serve({
      authentication: (connection) =>
        void connection.on("authentication", (context) => {
          const isHeld = context.method === "publickey" && context.key.data.toString("base64") === held;
          if (isHeld) context.accept();
          else context.reject();
        }),
    });
    const agent = bench.startAgent("user");
    const own = await bench.transport({ SSH_AUTH_SOCK: agent });
    expect(await own.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({ kind: "observed" });
    await own.close();
  });

  it("is not even tried without a key", async () => {
    const { port, connections } = await bench.serve();
    const without = await bench.transport({});
    expect(await without.observe(bench.target(port), NO_QUESTIONS)).toMatchObject({
      outcome: "auth-failed",
      message: expect.stringContaining("ROLLCALL_SSH_KEY_FILE"),
    });
    expect(connections()).toBe(0);
  });

  it("to a name that does not exist is unreachable", async () => {
    const target = bench.target(22, { address: "no-such-host.invalid" });
    expect(await transport.observe(target, NO_QUESTIONS)).toMatchObject({ outcome: "unreachable" });
  });

  it("is closed by close, however many stand", async () => {
    const servers = await Promise.all(Array.from({ length: 3 }, () => bench.serve()));
    await Promise.all(servers.map(({ port }) => transport.observe(bench.target(port), NO_QUESTIONS)));
    const started = performance.now();
    await transport.close();
    expect(performance.now() - started).toBeLessThan(900);
  });
});
