import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { type LockRecord, lockRecordSchema } from "../../src/model/lock-record.ts";
import { bareRemote, clone, emptyFolder, fleetCheckout } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { held, LEASE, movedClock, put, record, request, storeIn } from "./stores.ts";

function lockIn(folder: string): LockRecord {
  return lockRecordSchema.parse(JSON.parse(gitIn(folder, "log", "-1", "--format=%B", "refs/rollcall/lock")));
}

/** Two controllers with checkouts of their own, and one clock. */
function twoControllers() {
  const remote = bareRemote();
  const folder = fleetCheckout(remote);
  const clock = movedClock();
  return { remote, folder, clock, one: storeIn(folder, clock), two: storeIn(clone(remote), clock) };
}

describe("the lock", () => {
  it("is one controller's, and its epoch rises with every holder, over released ones too", async () => {
    const { one, two, remote } = twoControllers();
    const first = await held(one, "r1");
    expect(first.epoch).toBe(1);
    expect(await two.lock(request("r2"))).toMatchObject({ kind: "refused", code: "locked" });
    await first.release();
    expect(lockIn(remote.path)).toMatchObject({ epoch: 1, holder: null, process: null });
    const second = await two.lock(request("r2"));
    expect(second).toMatchObject({ kind: "held", tookOver: null, lock: { epoch: 2, runId: "r2" } });
    expect(remote.git("rev-list", "--count", "refs/rollcall/lock")).toBe("1");
    expect((await first.keep()).lost).not.toBeNull();
    expect(await first.raise(10)).toBe(false);
    await first.release();
    expect(lockIn(remote.path)).toMatchObject({ epoch: 2, run_id: "r2", holder: "octocat, r2" });
  });

  it("goes to one of many that ask at once", async () => {
    const { remote } = twoControllers();
    const stores = Array.from({ length: 5 }, () => storeIn(clone(remote)));
    const answers = await Promise.all(stores.map((store, index) => store.lock(request(`r${index}`))));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["held", "refused", "refused", "refused", "refused"]);
    expect(lockIn(remote.path).epoch).toBe(1);
  });

  it("is renewed when a third of the lease has passed, and only then", async () => {
    const { one, clock, remote } = twoControllers();
    const lock = await held(one, "r1");
    const taken = lockIn(remote.path).expires_at;
    clock.minutes(3);
    expect(await lock.keep()).toEqual({ lost: null });
    expect(lockIn(remote.path).expires_at).toBe(taken);
    clock.minutes(1);
    expect(await lock.keep()).toEqual({ lost: null });
    expect(lockIn(remote.path).expires_at).toBe(new Date(clock.ms + LEASE).toISOString());
    clock.minutes(-60);
    expect(await lock.keep()).toEqual({ lost: null });
    expect(lockIn(remote.path).expires_at).toBe(new Date(clock.ms + LEASE).toISOString());
  });

  it("is renewed by each record, in the same push", async () => {
    const { one, clock, remote } = twoControllers();
    const lock = await held(one, "r1");
    clock.minutes(2);
    expect((await record(one, put({ a: "1" }), lock)).kind).toBe("recorded");
    expect(lockIn(remote.path).expires_at).toBe(new Date(clock.ms + LEASE).toISOString());
  });

  it("that ended is taken over, loudly; its holder notices and writes nothing any more", async () => {
    const { one, two, clock, remote } = twoControllers();
    const lock = await held(one, "r1");
    await record(one, put({ a: "1" }), lock);
    clock.minutes(11);
    const answer = await two.lock(request("r2"));
    expect(answer).toMatchObject({ kind: "held", lock: { epoch: 2 } });
    expect(answer.kind === "held" && answer.tookOver).toMatch(/octocat, r1.*lease ended/);
    expect(lockIn(remote.path).taken_over).toMatch(/octocat, r1/);
    expect(await record(one, put({ a: "2" }), lock)).toMatchObject({ kind: "lock-lost" });
    expect((await lock.keep()).lost).toMatch(/octocat, r2/);
    expect(remote.file("observed", "a")).toBe("1");
  });

  it("whose lease ended unnoticed is still its holder's", async () => {
    const { one, clock } = twoControllers();
    const lock = await held(one, "r1");
    clock.minutes(60);
    expect(await lock.keep()).toEqual({ lost: null });
  });

  it("lasts, without a remote to ask, as long as its lease", async () => {
    const { one, clock, folder } = twoControllers();
    const lock = await held(one, "r1");
    gitIn(folder, "remote", "set-url", "origin", `${folder}/gone.git`);
    clock.minutes(5);
    expect(await lock.keep()).toEqual({ lost: null });
    clock.minutes(5);
    expect((await lock.keep()).lost).toMatch(/lease ended/);
  });

  it("that ended goes to one of four that take it over at once", async () => {
    const { one, remote, clock } = twoControllers();
    await held(one, "r0");
    clock.minutes(11);
    const stores = Array.from({ length: 4 }, () => storeIn(clone(remote), clock));
    const answers = await Promise.all(stores.map((store, index) => store.lock(request(`r${index + 1}`))));
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["held", "refused", "refused", "refused"]);
    expect(lockIn(remote.path).epoch).toBe(2);
  });

  it("is taken with a reason from whom it was given for, not from one who was quicker", async () => {
    const { one, two, remote, folder } = twoControllers();
    await held(one, "r1");
    // The other one is quicker: it takes over while this one's push is on its way.
    const quicker = clone(remote);
    let pending: Promise<unknown> | undefined;
    const clock = {
      now() {
        pending ??= storeIn(quicker).lock(request("r2", { takeOver: "r1 hangs" }));
        return new Date(Date.parse("2026-11-30T12:00:00Z"));
      },
    };
    const answers = [await storeIn(folder, clock).lock(request("r3", { takeOver: "r1 hangs" })), await pending];
    expect(answers.map((answer) => (answer as { kind: string }).kind).sort()).toEqual(["held", "refused"]);
    expect(lockIn(remote.path).epoch).toBe(2);
    expect(await two.lock(request("r4"))).toMatchObject({ kind: "refused", code: "locked" });
  });

  it("rises above what a node has seen, while it is held", async () => {
    const { one, two, clock, remote } = twoControllers();
    const lock = await held(one, "r1");
    expect(await lock.raise(41)).toBe(true);
    expect([lock.epoch, lockIn(remote.path).epoch]).toEqual([42, 42]);
    clock.minutes(11);
    expect((await held(two, "r2")).epoch).toBe(43);
    expect(await lock.raise(50)).toBe(false);
    expect(lockIn(remote.path).epoch).toBe(43);
  });
});

describe("clocks that are wrong", () => {
  it("behind: an expiry further ahead than a lease is not trusted, except with a reason", async () => {
    const { one, clock, remote } = twoControllers();
    await held(one, "r1");
    const late = storeIn(clone(remote), movedClock(new Date(clock.ms - 60 * 60_000).toISOString()));
    expect(await late.lock(request("r2"))).toMatchObject({ kind: "refused", code: "lock-clock" });
    const forced = await late.lock(request("r2", { takeOver: "the other clock is wrong" }));
    expect(forced).toMatchObject({ kind: "held", lock: { epoch: 2 } });
    expect(forced.kind === "held" && forced.tookOver).toMatch(/by hand: the other clock is wrong/);
  });

  it("ahead: a lock that seems to have ended is taken, and the one it was taken from can write nothing", async () => {
    const { one, clock, remote } = twoControllers();
    const lock = await held(one, "r1");
    const early = storeIn(clone(remote), movedClock(new Date(clock.ms + 60 * 60_000).toISOString()));
    const taken = await held(early, "r2");
    expect(taken.epoch).toBeGreaterThan(lock.epoch);
    expect(await record(one, put({ a: "1" }), lock)).toMatchObject({ kind: "lock-lost" });
    expect((await record(early, put({ a: "2" }), taken)).kind).toBe("recorded");
    // What a fast clock leaves behind is told apart from a lease.
    const right = storeIn(clone(remote), clock);
    expect(await right.lock(request("r3"))).toMatchObject({ kind: "refused", code: "lock-clock" });
  });
});

describe("a holder on this machine", () => {
  it("that was killed is taken over from at once; one that lives is not", async () => {
    const { folder, remote } = twoControllers();
    const script = join(emptyFolder(), "holder.mjs");
    const entryPoints = [fileURLToPath(new URL("./lock-holder-child.ts", import.meta.url))];
    await build({ entryPoints, outfile: script, bundle: true, platform: "node", format: "esm", logLevel: "error" });
    const child = spawn(process.execPath, [script, folder]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const complaints: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
    const [said] = await Promise.race([once(child.stdout, "data"), once(child, "close")]);
    expect(String(said), Buffer.concat(complaints).toString()).toBe("held 1\n");
    const store = storeIn(clone(remote), { now: () => new Date() });
    expect(await store.lock(request("r2"))).toMatchObject({ kind: "refused", code: "locked" });
    child.kill("SIGKILL");
    await once(child, "close");
    const answer = await store.lock(request("r2"));
    expect(answer).toMatchObject({ kind: "held", lock: { epoch: 2 } });
    expect(answer.kind === "held" && answer.tookOver).toMatch(/no longer runs on this machine/);
  });
});

describe("a record that cannot be read", () => {
  it("is nobody's to take without a reason; its epoch counts as far as it can be made out", async () => {
    const { one, remote } = twoControllers();
    const tree = remote.git("hash-object", "-t", "tree", "-w", "/dev/null");
    const person = ["-c", "user.name=x", "-c", "user.email=x"];
    const odd = remote.git(...person, "commit-tree", "-m", '{"v":2,"epoch":7}', tree);
    remote.git("update-ref", "refs/rollcall/lock", odd);
    expect(await one.lock(request("r1"))).toMatchObject({ kind: "refused", code: "lock-damaged" });
    expect((await held(one, "r1", { takeOver: "it is garbage" })).epoch).toBe(8);
  });
});
