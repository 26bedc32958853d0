import { afterAll, beforeAll, expect, test } from "vitest";
import { FleetRepository } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { compareSnapshots, snapshot } from "./snapshot.ts";

/** What looks, on real nodes and real refs: it leaves both as they were, but for `observed-live`. */
const ROLE = `role: site
version: 1
description: Test.
resources:
  - type: file
    path: /etc/site
    content: "one\\n"
`;
let fleet: Fleet;
let repository: FleetRepository;

beforeAll(async () => {
  fleet = await startFleet({ id: "audit", nodes: 2 });
  repository = new FleetRepository(fleet);
  repository.writeFleet({ site: ROLE });
  repository.commit();
});
afterAll(async () => {
  repository?.remove();
  await fleet?.stop();
});

function refs(): readonly string[] {
  return repository.git("for-each-ref", "--format=%(refname) %(objectname)").trim().split("\n");
}

const withoutLive = (lines: readonly string[]) => lines.filter((line) => !line.includes("observed-live"));
const state = () => repository.git("status", "--porcelain") + repository.git("rev-parse", "HEAD");

async function quietly(...words: string[]) {
  const before = await Promise.all(fleet.nodes.map(snapshot));
  const [refsBefore, stateBefore] = [refs(), state()];
  const ran = await repository.rollcall(...words);
  const after = await Promise.all(fleet.nodes.map(snapshot));
  for (const [index, seen] of before.entries()) expect(compareSnapshots(seen, after[index] ?? new Map())).toEqual([]);
  expect(state()).toBe(stateBefore);
  return { ...ran, refsBefore, refsAfter: refs() };
}

const [first, second] = [() => fleet.nodes[0] as FleetNode, () => fleet.nodes[1] as FleetNode];

test("a dry run writes nothing anywhere, before there is any record and after", async () => {
  const before = await quietly("apply", "--dry-run");
  expect([before.code, before.refsAfter]).toEqual([1, before.refsBefore]);
  expect(before.refsAfter).toHaveLength(1);
});

test("an apply goes in waves, records, frees the lock, and leaves the working tree alone", async () => {
  const before = state();
  const apply = await repository.rollcall("apply", "--json");
  expect([apply.code, apply.stderr]).toEqual([0, expect.any(String)]);
  const { outcomes, units, held } = JSON.parse(apply.stdout);
  expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["converged", "converged"]);
  expect([units, held]).toMatchObject([[{ unit: "role:site", state: "completed", applied: 2 }], []]);
  expect(refs().map((line) => line.split(" ")[0])).toEqual(
    expect.arrayContaining(["refs/heads/observed", "refs/heads/observed-live", "refs/rollcall/lock"]),
  );
  expect(state()).toBe(before);
  const dry = await quietly("apply", "--dry-run");
  expect([dry.code, dry.refsAfter]).toEqual([0, dry.refsBefore]);
  const again = await repository.rollcall("apply");
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("2 converged")]);
});

test("an audit writes observed-live and nothing else; what changed on a node is its fault, what is merged is not", async () => {
  const green = await quietly("audit");
  expect([green.code, green.stdout]).toEqual([0, expect.stringContaining("2 as declared")]);
  expect(withoutLive(green.refsAfter)).toEqual(withoutLive(green.refsBefore));
  expect(green.refsAfter).not.toEqual(green.refsBefore);
  await second().exec("echo by-hand >/etc/site");
  const drift = await quietly("audit", "--json");
  expect(drift.code).toBe(1);
  expect(JSON.parse(drift.stdout)).toMatchObject({
    corrective: [{ node: second().name, unit: "role:site", item: { resource: { id: "file:/etc/site" } } }],
    intentional: [],
    recorded: { ok: true },
  });
  const live = repository.git("cat-file", "-p", "observed-live:heartbeats.json");
  expect(JSON.parse(live).nodes[second().name]).toMatchObject({ outcome: "drift", failing_since: null });
  expect(repository.git("rev-list", "--count", "observed-live").trim()).toBe("1");
  expect((await repository.rollcall("apply", second().name)).code).toBe(0);
  expect((await repository.rollcall("audit")).code).toBe(0);
});

test("a node that is down by verdict is listed, its line is run from main only, and back is said", async () => {
  await second().cut();
  expect((await repository.rollcall("audit")).code).toBe(4);
  const down = [
    "node",
    "down",
    second().name,
    "--reason",
    "psu",
    "--recheck",
    "exit 7",
    "--by",
    "me",
    "--generation",
    "1",
  ];
  expect((await repository.rollcall(...down)).code).toBe(0);
  expect((await repository.rollcall("audit")).stdout).toContain("not run: not as in the last commit");
  repository.commit();
  const listed = await repository.rollcall("audit");
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(/down by verdict[\s\S]*live[\s\S]*exit 7/)]);
  const apply = await repository.rollcall("apply");
  expect([apply.code, apply.stdout]).toEqual([0, expect.stringContaining("down by verdict, not attempted")]);
  await second().heal();
  const up = ["node", "down", second().name, "--reason", "psu", "--by", "me", "--generation", "2"];
  expect((await repository.rollcall(...up)).code).toBe(0);
  repository.commit();
  const back = await repository.rollcall("audit");
  expect([back.code, back.stdout]).toEqual([0, expect.stringContaining(`rollcall node up ${second().name}`)]);
  expect((await repository.rollcall("node", "up", second().name, "--generation", "3")).code).toBe(0);
  repository.commit();
});

test("a new version that is not rolled out yet is pending; a later wave waits for its canary", async () => {
  repository.write({ "host-roles/site.yaml": ROLE.replace("version: 1", "version: 2").replace("one", "two") });
  expect((await repository.rollcall("generation", "bump")).code).toBe(0);
  repository.commit();
  const audit = await repository.rollcall("audit", "--json");
  expect([audit.code, JSON.parse(audit.stdout).corrective]).toEqual([0, []]);
  expect(JSON.parse(audit.stdout).intentional).toHaveLength(2);
  const early = await repository.rollcall("apply", second().name, "--json");
  const refusal = JSON.parse(early.stdout);
  const canary = refusal.error.hint.replace("rollcall apply ", "");
  const [node, other] = canary === first().name ? [first(), second()] : [second(), first()];
  expect([early.code, refusal.error.code, canary]).toEqual([2, "wave", first().name]);
  expect((await repository.rollcall("apply", node.name)).code).toBe(0);
  expect((await repository.rollcall("apply", other.name)).code).toBe(0);
  expect((await repository.rollcall("audit")).stdout).toContain("2 as declared");
  const revert = await repository.rollcall("revert", "role:site", "--generation", "5", "--json");
  expect([revert.code, JSON.parse(revert.stdout).changed]).toEqual([0, ["roster/fleet.yaml", "host-roles/site.yaml"]]);
  expect(repository.git("diff", "--", "host-roles/site.yaml")).toMatch(/\+version: 3[\s\S]*\+ *content: "one/);
});
