import { describe, expect, it } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryRefs, snapshot } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import { auditExit, auditStanding } from "../../src/commands/audit.ts";
import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { apply } from "../../src/engine/apply.ts";
import { audit } from "../../src/engine/audit.ts";
import { nodeWork } from "../../src/engine/node-work.ts";
import type { Marker } from "../../src/model/marker.ts";
import { HEARTBEATS, liveReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";
import { roleNodeDigest } from "../../src/plan/node-digest.ts";
import { readRecord } from "../../src/plan/read-record.ts";
import { nodeStateText } from "../../src/plan/record-files.ts";
import type { Recheck } from "../../src/ports.ts";
import { renderAudit } from "../../src/render/audit.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "./given-secrets.ts";
import { runContext } from "./run-in-memory.ts";

const NAMES = ["a", "b", "c"];
const NOW = "2026-11-30T10:00:00Z";
const DAY = 86_400_000;

interface Desired {
  readonly fleet?: Readonly<Record<string, unknown>>;
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly role?: Readonly<Record<string, unknown>>;
  readonly content?: string;
}

function desired({ fleet = {}, nodes = {}, role = {}, content = "one\n" }: Desired = {}): DesiredState {
  const files: Record<string, string> = {
    "roster/fleet.yaml": JSON.stringify({ version: "2", generation: "7", ...fleet }),
    "host-roles/web.yaml": JSON.stringify({
      role: "web",
      version: "1",
      description: "Test.",
      resources: [{ type: "file", path: "/etc/site", content }],
      ...role,
    }),
  };
  for (const [index, name] of NAMES.entries()) {
    const own = { name, class: "server", address: `192.0.2.${index + 1}`, roles: ["web"], ...nodes[name] };
    files[`roster/nodes/${name}.yaml`] = JSON.stringify(own);
  }
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(JSON.stringify(diagnostics));
  return state;
}

/** Three nodes that are as declared, and the record that they proved it. */
class World {
  readonly fleet = new Map<string, MemoryNode>(NAMES.map((name) => [name, debianNode({ name })]));
  readonly refs = new MemoryRefs();
  now = new Date(NOW);
  readonly lines: string[] = [];
  passes = false;

  static async proved(state = desired()): Promise<World> {
    const world = new World();
    const works = state.nodes.map((node) => nodeWork(state, node, null, givenSecrets()));
    const { outcomes } = await apply(works, runContext(new MemoryTransport(world.fleet)), { dryRun: false });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["converged", "converged", "converged"]);
    const files = new Map<string, string>();
    for (const node of state.nodes) {
      const id = world.fleet.get(node.name)?.files.get("/etc/machine-id");
      const machine_id = id?.type === "file" ? id.content.sha256 : null;
      const role = state.roles.get("web");
      if (role === undefined) throw new Error("no role");
      const marker: Marker = {
        unit: "role:web",
        digest: roleNodeDigest(role, node),
        unit_digest: role.digest,
        version: 1,
        machine_id,
        at: NOW,
        run_id: "run-0",
        commit: null,
        verify_exit: 0,
        grade: "transition",
        evidence: "",
        resources: [],
      };
      files.set(nodeStatePath(node.name), nodeStateText({ v: 1, node: node.name, machine_id, markers: [marker] }));
    }
    world.refs.observed = { files, commits: [{ id: "1".padStart(40, "0"), subject: "x", paths: [] }] };
    return world;
  }

  change(node: string, text: string): void {
    const files = this.fleet.get(node)?.files;
    const entry = files?.get("/etc/site");
    if (entry?.type !== "file") throw new Error(`${node} has no site`);
    files?.put("/etc/site", { ...entry, content: textContent(text) });
  }

  async audit(
    state = desired(),
    more: {
      faults?: readonly Fault[];
      store?: readonly StoreFault[];
      merged?: boolean;
      git?: boolean;
      only?: string[];
    } = {},
  ) {
    const clock = { now: () => this.now };
    const recheck: Recheck = {
      run: async (line) => {
        this.lines.push(line);
        return { passed: this.passes, message: this.passes ? "exit 0" : "exit 1: no" };
      },
    };
    const run = { ...runContext(new MemoryTransport(this.fleet, more.faults)), clock };
    const chosen = state.nodes.filter(({ name }) => more.only?.includes(name) ?? true);
    const works = chosen.map((node) => nodeWork(state, node, null, givenSecrets()));
    const main =
      more.merged === false ? { is: false as const, why: "HEAD is not on main" } : { is: true as const, recheck };
    const store = more.git === false ? null : new MemoryStore(this.refs, clock, more.store);
    const result = await audit(works, run, { state, store, main });
    const came = auditStanding(works, result);
    const view = { classOf: () => "server", leftOut: { nodes: [], roles: [] } };
    return {
      ...result,
      ...came,
      exit: auditExit(came, result),
      text: renderAudit({ ...result, ...came, generation: 7 }, view, PLAIN),
    };
  }

  get record() {
    return readRecord(snapshot(this.refs.observed), snapshot(this.refs.live));
  }
}

const findings = (list: readonly { node: string; item: { resource: { id: string } } }[]) =>
  list.map(({ node, item }) => `${node} ${item.resource.id}`);
const away = (node: string): Fault => ({ node, fault: "unreachable" });

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
