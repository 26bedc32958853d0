import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Running } from "./command-line.ts";
import { type End, RolloutEnd } from "./rollout-end.ts";
import { holdWork, killed, type Name, RolloutFleet, untilIdle, WAVES, work } from "./rollout-fleet.ts";
import type { Moment } from "./watched-remote.ts";

/**
 * A rollout of three waves whose controller is killed, or whose link to a node is cut, and which is run again: the end is that
 * of one that nobody disturbed, and what is not to be done twice is done once. The fleet goes from one of two states to the
 * other and back, each time as a version of its own.
 */
let world: RolloutFleet;
let end: RolloutEnd;
const undisturbed = new Map<string, End>();
let side = "b";

const CANARY = WAVES[0]?.[0] as Name;
const [LEFT, RIGHT] = WAVES[2] as [Name, Name];

beforeAll(async () => {
  world = await RolloutFleet.start("rollout-killed");
  end = new RolloutEnd(world);
  for (const _side of ["a", "b"]) {
    await change();
    const { code, stdout } = await world.rollcall("reconcile");
    expect([code, stdout]).toEqual([0, expect.stringContaining("completed")]);
    undisturbed.set(side, await end.seen());
  }
});
afterAll(() => world?.stop());

/** Merges the other of the two states; what was counted and made by hand of it is forgotten on the nodes. */
async function change(): Promise<void> {
  side = side === "a" ? "b" : "a";
  await world.exec("rm -f /var/lib/app-*; : >/root/counts");
  world.merge(`${side}\n`, [
    work("first"),
    { type: "file", path: "/etc/app.last", content: `${side}\n` },
    work("last"),
  ]);
}

/** Another reconcile goes through: the lock of the dead one is taken over and said, and the end is as it should be. */
async function again(run: Running = world.start("reconcile", "--json")) {
  const { code, stdout, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ stopped: null, unrecorded: [], units: [{ state: "completed", applied: 4 }] });
  expect(await end.seen()).toEqual(undisturbed.get(side));
  return document;
}

async function killedAt(moment: Moment, push: string): Promise<void> {
  await change();
  world.remote.killAt(moment, push);
  const { code, stdout } = await world.start("reconcile").ended;
  expect([code, stdout]).toEqual([null, ""]);
}

const HELD_BY_DEAD = { took_over: expect.stringContaining("no longer runs on this machine") };

describe("the controller is killed", () => {
  test.each<readonly [string, Moment, string]>([
    ["when it has the lock", "after", "^refs/rollcall/lock"],
    ["before it is recorded what is carried out", "before", "^refs/heads/observed .*generation .* begins"],
    ["when the rollout was created", "after", "^refs/heads/observed .*wave 1 begins"],
    ["between the canary's change and its record", "before", "^refs/heads/observed .*wave 1 ends"],
    ["when the canary's record has landed, unheard", "after", "^refs/heads/observed .*wave 1 ends"],
    ["when the second wave has begun", "after", "^refs/heads/observed .*wave 2 begins"],
    ["when the third wave has begun", "after", "^refs/heads/observed .*wave 3 begins"],
    ["between the last change and its record", "before", "^refs/heads/observed .*wave 3 ends"],
    ["before the signs of life are published", "before", "^refs/heads/observed-live"],
    ["before it lets the lock go", "before", '^refs/rollcall/lock .*"holder": *null'],
  ])("%s", async (_name, moment, push) => {
    await killedAt(moment, push);
    expect(await again()).toMatchObject(HELD_BY_DEAD);
  });

  test("in the middle of the canary's steps; the canary goes on alone and finishes", async () => {
    const canary = world.node(CANARY);
    await change();
    const held = await holdWork(canary);
    const first = world.start("reconcile");
    await held.begun();
    await killed(first);
    await held.letGo();
    await untilIdle(canary);
    expect(await again()).toMatchObject(HELD_BY_DEAD);
  });

  test("in the middle of the canary's steps; what is left at work there is fenced off", async () => {
    const canary = world.node(CANARY);
    await change();
    const held = await holdWork(canary);
    const first = world.start("reconcile");
    await held.begun();
    await killed(first);
    const fence = (await canary.exec("cat /var/lib/rollcall/fence")).stdout.trim();
    const second = world.start("reconcile", "--json");
    await canary.exec(`until [ "$(cat /var/lib/rollcall/fence)" != '${fence}' ]; do :; done`);
    await held.letGo();
    const { run_id } = await again(second);
    // The step that it was at is its last one: the rest is the work of the second run.
    const outcome = await canary.exec(`cat /var/lib/rollcall/runs/${run_id}/outcome`);
    expect(outcome.stdout).toMatch(/^run \d+ .*\nend 0 done.*\nend 1 done/s);
  });

  test("in the third wave, with one node through and another one at work", async () => {
    await change();
    const held = await holdWork(world.node(RIGHT));
    const first = world.start("reconcile");
    await Promise.all([held.begun(), first.says(new RegExp(`${LEFT} converged`))]);
    await killed(first);
    const second = world.start("reconcile", "--json");
    await second.says(/wave 3 of 3/);
    await held.letGo();
    expect(await again(second)).toMatchObject(HELD_BY_DEAD);
  });

  test("in the third wave, with both nodes at work", async () => {
    await change();
    const held = await Promise.all([holdWork(world.node(LEFT)), holdWork(world.node(RIGHT))]);
    const first = world.start("reconcile");
    await Promise.all(held.map(({ begun }) => begun()));
    await killed(first);
    await Promise.all(held.map(({ letGo }) => letGo()));
    expect(await again()).toMatchObject(HELD_BY_DEAD);
  });
});

describe("the link to a node is lost", () => {
  test("in the middle of the canary's steps: it stands still; a retry brings it to the same end", async () => {
    const canary = world.node(CANARY);
    await change();
    const held = await holdWork(canary);
    const run = world.start("reconcile");
    await held.begun();
    await canary.exec("pkill -f 'sshd: ops'");
    expect(await run.ended).toMatchObject({ code: 1, stdout: expect.stringContaining("unknown") });
    await held.letGo();
    await untilIdle(canary);
    expect((await world.rollcall("rollout", "retry", "role:app")).code).toBe(0);
    expect(await again()).toMatchObject({ took_over: null });
  });

  test("when its wave has begun: unreachable; once it is back, an apply of it is the word for another try", async () => {
    await change();
    const pushed = world.remote.holdAt("^refs/heads/observed .*wave 3 begins");
    const run = world.start("reconcile");
    await pushed.met();
    await world.node(RIGHT).cut();
    await pushed.letGo();
    expect(await run.ended).toMatchObject({ code: 1, stdout: expect.stringContaining(`${RIGHT} (unreachable)`) });
    await world.node(RIGHT).heal();
    const apply = await world.rollcall("apply", RIGHT, "--json");
    expect([apply.code, JSON.parse(apply.stdout)]).toMatchObject([0, { retried: [{ nodes: [RIGHT] }] }]);
    await again();
  });
});
