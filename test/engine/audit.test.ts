import { describe, expect, it } from "vitest";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import { HEARTBEATS, liveReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";
import { away, DAY, desired, findings, NAMES, NOW, World } from "./audit-world.ts";

describe("an audit of a fleet that is as it was proved", () => {
  it("is green, writes signs of life and full reports to observed-live, and nothing anywhere else", async () => {
    const world = await World.proved();
    const before = JSON.stringify([...world.refs.observed.files]);
    const result = await world.audit();
    expect(result).toMatchObject({ exit: 0, corrective: [], intentional: [], silence: [], recorded: { ok: true } });
    expect(JSON.stringify([...world.refs.observed.files])).toBe(before);
    expect([world.refs.observed.commits.length, world.refs.lock]).toEqual([1, null]);
    expect([...world.refs.live.files.keys()].sort()).toEqual([HEARTBEATS, ...NAMES.map(liveReportPath)].sort());
    expect(world.record.damaged).toEqual([]);
    expect(world.record.heartbeats.get("a")).toEqual({
      observed_at: NOW.replace("Z", ".000Z"),
      attempted_at: NOW.replace("Z", ".000Z"),
      outcome: "converged",
      message: "",
      failing_since: null,
      recheck: null,
    });
  });

  it("changes nothing but times the second time", async () => {
    const world = await World.proved();
    await world.audit();
    const reports = NAMES.map((name) => world.refs.live.files.get(liveReportPath(name)));
    world.now = new Date(world.now.getTime() + DAY);
    await world.audit();
    expect(NAMES.map((name) => world.refs.live.files.get(liveReportPath(name)))).toEqual(reports);
    expect(world.record.heartbeats.get("a")?.observed_at).toBe(world.now.toISOString());
  });
});

describe("drift", () => {
  it("that arose on a node is told apart from what is not rolled out yet", async () => {
    const world = await World.proved();
    world.change("b", "by hand\n");
    const changed = await world.audit();
    expect(changed).toMatchObject({ exit: 1, intentional: [] });
    expect(findings(changed.corrective)).toEqual(["b file:/etc/site"]);
    expect(changed.text).toContain("changed on the node (1)");
    const pending = await world.audit(desired({ content: "two\n" }));
    expect(pending).toMatchObject({ exit: 0, corrective: [] });
    expect(findings(pending.intentional)).toEqual(["a file:/etc/site", "b file:/etc/site", "c file:/etc/site"]);
    expect(pending.text).toContain("not rolled out yet (3)");
  });

  it("keeps the moment at which it was first seen", async () => {
    const world = await World.proved();
    world.change("b", "by hand\n");
    await world.audit();
    const first = world.refs.live.files.get(liveReportPath("b"));
    world.now = new Date(world.now.getTime() + DAY);
    const again = await world.audit();
    expect(world.refs.live.files.get(liveReportPath("b"))).toBe(first);
    expect(again.corrective[0]?.item.discovered_at).toBe(NOW.replace("Z", ".000Z"));
  });

  it("without a record is nobody's in particular, and still drift", async () => {
    const world = await World.proved();
    world.change("b", "by hand\n");
    expect(await world.audit(desired(), { git: false })).toMatchObject({ exit: 1, recorded: { ok: null } });
  });

  it("of a role that only observes, of a decliner, a claimant and an ignored resource is set aside with its reason", async () => {
    const world = await World.proved();
    for (const name of NAMES) world.change(name, "by hand\n");
    const word = { unit: "role:web", by: "octocat", at: "2026-01-01" };
    const until = "2026-11-30";
    const state = desired({
      fleet: { drift: { ignore: [{ host: "c", resource: "file:/etc/site", reason: "moving", until }] } },
      nodes: { a: { declines: [{ ...word, reason: "no room" }] }, b: { claims: [{ ...word, note: "by hand" }] } },
    });
    const result = await world.audit(state);
    expect(result).toMatchObject({ exit: 0, corrective: [], intentional: [], expiredIgnores: [] });
    expect(result.aside.map(({ node, why }) => `${node} ${why}`)).toEqual(["a declined", "b claimed", "c ignored"]);
    world.now = new Date("2026-12-01T00:00:00Z");
    const later = await world.audit(state);
    expect(later).toMatchObject({ exit: 1, expiredIgnores: [{ host: "c" }] });
    expect(findings(later.corrective)).toEqual(["c file:/etc/site"]);
    expect(later.text).toContain("ignored no longer (1)");
    const observing = await world.audit(desired({ role: { mode: "observe" } }));
    expect(observing.exit).toBe(0);
    expect(observing.aside.map(({ why }) => why)).toEqual(["observe-mode", "observe-mode", "observe-mode"]);
  });

  it("is alerted of after as many audits in a row as were asked for; an audit that did not read the node does not count", async () => {
    const world = await World.proved();
    const state = desired({ fleet: { drift: { alert_after: "3" } } });
    world.change("b", "by hand\n");
    expect((await world.audit(state)).aside).toMatchObject([{ node: "b", detail: "seen by 1 of 3 audits in a row" }]);
    expect((await world.audit(state, { faults: [away("b")] })).aside).toEqual([]);
    expect((await world.audit(state)).aside).toMatchObject([{ detail: "seen by 2 of 3 audits in a row" }]);
    expect(await world.audit(state)).toMatchObject({ exit: 1, aside: [], corrective: [{ node: "b" }] });
    world.change("b", "one\n");
    await world.audit(state);
    world.change("b", "again\n");
    expect((await world.audit(state)).aside).toMatchObject([{ detail: "seen by 1 of 3 audits in a row" }]);
  });
});

describe("silence", () => {
  it("is said with what it is and since when, and is never green", async () => {
    const world = await World.proved();
    const never = await world.audit(desired(), { faults: [away("b")] });
    expect(never).toMatchObject({ exit: 4, unread: ["b"], silence: [{ node: "b", reason: "never-reported" }] });
    await world.audit();
    const since = world.now.toISOString();
    world.now = new Date(world.now.getTime() + 3_600_000);
    const failing = world.now.toISOString();
    const once = await world.audit(desired(), { faults: [away("b")] });
    expect(once.silence).toMatchObject([
      { reason: "unreachable", since, hint: expect.stringContaining("node down b") },
    ]);
    world.now = new Date(world.now.getTime() + DAY);
    const stale = await world.audit(desired(), { faults: [away("b")] });
    expect(stale.silence).toMatchObject([{ reason: "stale", since }]);
    expect(world.record.heartbeats.get("b")).toMatchObject({ observed_at: since, failing_since: failing });
    expect(stale.text).toContain("silent (1)");
  });

  it("of everybody, or with every unit declined, is not a fleet without drift", async () => {
    const world = await World.proved();
    expect(await world.audit(desired(), { faults: NAMES.map(away) })).toMatchObject({
      exit: 4,
      nothing: expect.stringContaining("no node"),
    });
    const down = { reason: "x", by: "y", since: NOW };
    const allDown = desired({ nodes: { a: { down }, b: { down }, c: { down } } });
    expect(await world.audit(allDown, { faults: NAMES.map(away) })).toMatchObject({ exit: 4, unread: [], silence: [] });
    const declines = [{ unit: "role:web", reason: "x", by: "y", at: NOW }];
    const declined = desired({ nodes: { a: { declines }, b: { declines }, c: { declines } } });
    expect(await world.audit(declined)).toMatchObject({ exit: 4, nothing: expect.stringContaining("declined") });
    const off = { enabled: "false" };
    expect(await world.audit(desired({ nodes: { a: off, b: off, c: off } }))).toMatchObject({ exit: 4 });
  });
});

describe("down verdicts", () => {
  const verdict = (more: object) =>
    desired({ nodes: { b: { down: { reason: "psu", by: "octocat", since: "2026-11-29T10:00:00Z", ...more } } } });

  it("live ones are listed and are not unread; back is said when it answers", async () => {
    const world = await World.proved();
    const gone = await world.audit(verdict({}), { faults: [away("b")] });
    expect(gone).toMatchObject({
      exit: 0,
      unread: [],
      silence: [],
      verdicts: [{ node: "b", standing: "live", asked: { passed: false } }],
    });
    expect(world.record.heartbeats.get("b")?.recheck).toMatchObject({ passed: false });
    const back = await world.audit(verdict({}));
    expect(back.verdicts).toMatchObject([{ standing: "refuted", hint: "it is back: rollcall node up b" }]);
    expect(back.text).toContain("rollcall node up b");
  });

  it("of a line is asked by that line, and only when it comes from main", async () => {
    const world = await World.proved();
    const state = verdict({ recheck: "ping -c1 b" });
    const unmerged = await world.audit(state, { faults: [away("b")], merged: false });
    expect(unmerged).toMatchObject({
      verdicts: [{ asked: null, message: expect.stringContaining("not run") }],
      recorded: { ok: null },
    });
    expect([world.lines, world.refs.live.commits]).toEqual([[], []]);
    await world.audit(state, { faults: [away("b")] });
    expect(world.lines).toEqual(["ping -c1 b"]);
    expect(world.record.heartbeats.get("b")?.recheck).toMatchObject({ passed: false, message: "exit 1: no" });
    world.passes = true;
    expect((await world.audit(state, { faults: [away("b")] })).verdicts).toMatchObject([{ standing: "refuted" }]);
  });

  it("lapse after 30 days, and then the node is unread like any other", async () => {
    const world = await World.proved();
    const old = verdict({ since: "2026-10-31T09:00:00Z" });
    const result = await world.audit(old, { faults: [away("b")] });
    expect(result).toMatchObject({
      exit: 4,
      unread: ["b"],
      verdicts: [{ standing: "expired", hint: expect.stringContaining("node down b") }],
    });
  });
});

describe("the record", () => {
  it("that takes nothing makes what was found something nobody will hear of", async () => {
    const world = await World.proved();
    const refused: StoreFault[] = [{ on: "publish", fault: "refused", message: "no" }];
    expect(await world.audit(desired(), { store: refused })).toMatchObject({ exit: 4, recorded: { ok: false } });
    world.change("b", "by hand\n");
    const untold = await world.audit(desired(), { store: refused });
    expect(untold.exit).toBe(3);
    expect(untold.text).toContain("nothing was recorded");
    const blind = await world.audit(desired(), { store: [{ on: "read", fault: "refused", message: "no" }] });
    expect(blind).toMatchObject({ exit: 3, recorded: { ok: false, message: "no" } });
  });

  it("with damaged files says so; what of them is live is written anew", async () => {
    const world = await World.proved();
    await world.audit();
    const files = new Map(world.refs.live.files).set(HEARTBEATS, "{").set(liveReportPath("a"), "x");
    world.refs.live = { ...world.refs.live, files };
    const mended = await world.audit();
    expect(mended.damaged.map(({ path }) => path)).toEqual([HEARTBEATS, liveReportPath("a")]);
    expect(mended.exit).toBe(0);
    expect(world.record.damaged).toEqual([]);
    world.refs.observed = {
      ...world.refs.observed,
      files: new Map([...world.refs.observed.files, [nodeStatePath("a"), "{"]]),
    };
    expect((await world.audit()).exit).toBe(4);
  });

  it("of another audit at the same time is kept where that one looked later, and of nodes not asked for", async () => {
    const world = await World.proved();
    await world.audit();
    const theirs = world.refs.live.files;
    world.now = new Date(world.now.getTime() - 60_000);
    world.change("a", "by hand\n");
    await world.audit(desired(), { only: ["a"] });
    expect([...world.refs.live.files]).toEqual([...theirs]);
    world.now = new Date(world.now.getTime() + 120_000);
    await world.audit(desired(), { only: ["a"] });
    expect(world.record.heartbeats.get("a")).toMatchObject({ outcome: "drift" });
    expect(world.record.heartbeats.get("b")?.attempted_at).toBe(NOW.replace("Z", ".000Z"));
  });

  it("of a clock that was a year ahead do not silence the audits after it", async () => {
    const world = await World.proved();
    const now = world.now;
    world.now = new Date(now.getTime() + 365 * 86_400_000);
    await world.audit();
    world.now = now;
    world.change("a", "by hand\n");
    await world.audit();
    expect(world.record.heartbeats.get("a")).toMatchObject({ outcome: "drift", attempted_at: now.toISOString() });
  });

  it("of nodes that left the roster or retired goes", async () => {
    const world = await World.proved();
    await world.audit();
    await world.audit(desired({ nodes: { c: { state: "retired" } } }));
    expect([...world.refs.live.files.keys()].sort()).toEqual(
      [HEARTBEATS, liveReportPath("a"), liveReportPath("b")].sort(),
    );
    expect([...world.record.heartbeats.keys()]).toEqual(["a", "b"]);
  });
});
