import { afterAll, beforeAll, expect, test } from "vitest";
import { RolloutFleet, WAVES } from "./rollout-fleet.ts";
import { compareSnapshots } from "./snapshot.ts";

/** A change on its way through a real fleet of three classes, a canary that stops one, and what mends it. */
let world: RolloutFleet;

beforeAll(async () => {
  world = await RolloutFleet.start("rollout");
});
afterAll(() => world?.stop());

async function json(...words: string[]) {
  const { code, stdout, stderr } = await world.rollcall(...words, "--json");
  return { code, stderr, document: JSON.parse(stdout) };
}

const app = () => world.exec("cat /etc/app.conf 2>/dev/null");

test("three waves: a canary, one of another class, then the others; each in its turn", async () => {
  world.merge("one\n");
  expect((await world.rollcall("board")).code).toBe(1);
  const { code, stderr, document } = await json("reconcile");
  expect([code, document.stopped, document.unrecorded]).toEqual([0, null, []]);
  expect(document.units).toMatchObject([{ unit: "role:app", state: "completed", applied: 4, targets: 4 }]);
  const got = await json("rollout", "get", "role:app");
  expect([got.document.state, got.document.waves]).toEqual(["completed", WAVES]);
  // As it was said while it went on: nobody is turned to before the wave is theirs.
  const said = stderr.split("\n").flatMap((line: string) => /wave \d of 3|n\d converged/.exec(line)?.[0] ?? []);
  const [last1, last2] = said.slice(-2).sort();
  expect(said.slice(0, 5)).toEqual(["wave 1 of 3", "n1 converged", "wave 2 of 3", "n3 converged", "wave 3 of 3"]);
  expect([last1, last2]).toEqual(["n2 converged", "n4 converged"]);
  expect(await app()).toEqual(["one\n", "one\n", "one\n", "one\n"]);
  expect((await world.rollcall("board")).code).toBe(0);
});

test("nothing due is 0, and touches neither nodes nor the record", async () => {
  const [before, refs] = [await world.snapshots(), world.remote.refs()];
  expect((await world.rollcall("reconcile")).code).toBe(0);
  const after = await world.snapshots();
  for (const [name, seen] of Object.entries(after))
    expect(compareSnapshots(before[name] ?? new Map(), seen)).toEqual([]);
  expect(world.remote.refs()["refs/heads/observed"]).toBe(refs["refs/heads/observed"]);
});

test("a canary that fails: exit 1, and the others are not touched, byte for byte; the next run holds still", async () => {
  const before = await world.snapshots();
  world.merge("two\n", [{ type: "package", name: "not-in-any-archive" }]);
  for (const [index, expected] of ["package-unknown", "paused"].entries()) {
    const run = await world.rollcall("reconcile");
    expect([run.code, run.stdout], `run ${index}`).toEqual([1, expect.stringContaining(expected)]);
  }
  const after = await world.snapshots();
  for (const name of ["n2", "n3", "n4"])
    expect(compareSnapshots(before[name] ?? new Map(), after[name] ?? new Map())).toEqual([]);
  expect(await app()).toEqual(["two\n", "one\n", "one\n", "one\n"]);
  const board = await json("board");
  expect([board.code, board.document.units[0].applied]).toEqual([1, []]);
  const got = await json("rollout", "get", "role:app");
  expect(got.document).toMatchObject({ state: "paused", reason: { code: "wave-gate" }, wave: 0 });
});

test("the fix, merged, ends the one that stands still, goes through all waves, and the board is green", async () => {
  const stopped = (await json("rollout", "get", "role:app")).document.id;
  world.merge("three\n", [{ type: "package", name: "demo-tool", version: "1.10" }]);
  const { code, document } = await json("reconcile");
  expect([code, document.units]).toMatchObject([0, [{ state: "completed", applied: 4 }]]);
  const old = await json("rollout", "get", stopped);
  const now = await json("rollout", "get", "role:app");
  expect([old.document.state, now.document.state, now.document.waves]).toEqual(["superseded", "completed", WAVES]);
  expect(await app()).toEqual(["three\n", "three\n", "three\n", "three\n"]);
  expect((await world.rollcall("board")).code).toBe(0);
});

test("what a node lost by hand is not the merge run's to mend, and is an apply's", async () => {
  await world.node("n3").exec("echo by-hand >/etc/app.conf");
  expect((await world.rollcall("audit")).code).toBe(1);
  expect((await world.rollcall("board")).code).toBe(1);
  expect((await world.rollcall("apply", "n3")).code).toBe(0);
  expect([(await world.rollcall("audit")).code, (await world.rollcall("board")).code]).toEqual([0, 0]);
});
