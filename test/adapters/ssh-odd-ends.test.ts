import type { ServerChannel } from "ssh2";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import type { Transport } from "../../src/ports.ts";
import { SshBench } from "./local-sshd.ts";

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

describe("an exchange", () => {
  it.each([
    ["before its answer", (channel: ServerChannel) => drip(channel)],
    [
      "within its answer",
      (channel: ServerChannel) => {
        const [, first = "", second = ""] = /rc_mark=(\w{16})''(\w{16})/.exec(channel.read()?.toString() ?? "") ?? [];
        channel.write(`\n${first}${second} begin\n\n${first}${second} section x\n`);
        drip(channel);
      },
    ],
  ])("that drips bytes for ever %s is given up", async (_when, answer) => {
    const { port } = await bench.serve({ exec: (channel) => void channel.once("readable", () => answer(channel)) });
    const target = { ...bench.target(port), stepTimeoutMs: 200 };
    expect(await transport.observe(target, NO_QUESTIONS)).toMatchObject({ outcome: "timed-out" });
  });

  it("whose end comes in one packet with its opening is told by its status all the same", async () => {
    const { port } = await bench.serve({
      exec: (channel) => {
        channel.write("rollcall-login-shell\n");
        channel.exit(1);
        channel.end();
      },
    });
    const target = bench.target(port, { become: "sudo" });
    expect(await transport.observe(target, NO_QUESTIONS)).toMatchObject({ outcome: "sudo-refused" });
  });
});

/** One byte now and then: never silent, never done. */
function drip(channel: ServerChannel): void {
  const timer = setInterval(() => (channel.writable ? channel.write("x") : clearInterval(timer)), 20);
  channel.on("close", () => clearInterval(timer));
}
