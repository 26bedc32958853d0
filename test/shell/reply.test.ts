import { describe, expect, it } from "vitest";
import type { Frame } from "../../src/shell/framing.ts";
import { loginCommand, type Reply, replyFailure } from "../../src/shell/reply.ts";

const NOTHING: Frame = { greeted: false, begun: false, sections: new Map(), status: null };
const GREETED: Frame = { ...NOTHING, greeted: true };
const BEGUN: Frame = { ...GREETED, begun: true };

function reply(parts: Partial<Reply>): Reply {
  return { end: "exited", frame: NOTHING, exit: { code: 1, signal: null }, stderr: "", ...parts };
}

describe("loginCommand", () => {
  it("is what any login shell understands", () => {
    expect(loginCommand("none")).toBe("echo rollcall-login-shell; exec /bin/sh -s");
    expect(loginCommand("sudo")).toBe("echo rollcall-login-shell; exec sudo -n -- /bin/sh -s");
  });
});

describe("replyFailure", () => {
  it("a complete answer is none, however the process ended after it", () => {
    const frame = { ...BEGUN, status: 0 };
    expect(replyFailure(reply({ end: "complete", frame }), "sudo", true)).toBeUndefined();
    expect(replyFailure(reply({ end: "lost", frame, exit: null }), "sudo", true)).toBeUndefined();
  });

  it.each([
    ["sudo -n was refused", { frame: GREETED }, "sudo", "sudo-refused"],
    ["sudo is not there", { frame: GREETED, exit: { code: 127, signal: null } }, "sudo", "unsupported-node"],
    ["/bin/sh cannot read it", { frame: GREETED, exit: { code: 2, signal: null } }, "sudo", "unsupported-node"],
    ["no sudo was asked for", { frame: GREETED }, "none", "unsupported-node"],
    ["a login shell that runs nothing", {}, "sudo", "unsupported-node"],
    ["the script ended early", { frame: BEGUN, exit: { code: 0, signal: null } }, "sudo", "unknown"],
    ["it was killed", { frame: BEGUN, exit: { code: null, signal: "SIGKILL" } }, "sudo", "unknown"],
    ["nobody says how it ended", { frame: BEGUN, exit: null }, "none", "unknown"],
    ["the link was lost", { end: "lost", frame: BEGUN, exit: null }, "none", "unknown"],
    ["the link was lost before a mark", { end: "lost", frame: NOTHING, exit: null }, "sudo", "unknown"],
    ["too much", { end: "overflow", frame: BEGUN, exit: null }, "none", "unknown"],
  ] as const)("%s", (_what, parts, become, outcome) => {
    expect(replyFailure(reply(parts), become, true)?.outcome).toBe(outcome);
    expect(replyFailure(reply(parts), become, false)?.outcome).toBe(outcome);
  });

  it("silence is a time-out where nothing was to be done, and unknown where something was", () => {
    const silent = reply({ end: "silent", frame: BEGUN, exit: null });
    expect(replyFailure(silent, "none", false)?.outcome).toBe("timed-out");
    expect(replyFailure(silent, "none", true)).toEqual({
      outcome: "unknown",
      message: expect.stringContaining("apply again"),
    });
  });

  it("says what to do, in one line without control characters", () => {
    const stderr = "motd\n\x1b[31msudo: a password is required\x07\r\n\n";
    const failure = replyFailure(reply({ frame: GREETED, stderr }), "sudo", false);
    expect(failure?.message).toBe(
      "sudo -n was refused: [31msudo: a password is required; the account needs NOPASSWD for /bin/sh in sudoers, or become: none with a user that is root",
    );
  });
});
