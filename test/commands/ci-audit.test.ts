import { describe, expect, it } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryRefs } from "../../src/adapters/memory/memory-refs.ts";
import { MemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import type { StoreFault } from "../../src/adapters/memory/store-faults.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import { runCiAudit } from "../../src/commands/ci/audit.ts";
import { runReconcile } from "../../src/commands/reconcile.ts";
import type { Forge } from "../../src/ports/forge.ts";
import type { Repository } from "../../src/ports.ts";
import { AUDIT_MARK } from "../../src/render/audit-issue.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "../engine/given-secrets.ts";
import { closeServers, type Trial, trial } from "../github/forge-fixture.ts";
import { BOT, fleet, node, role, site, WrittenRun } from "./ci-merge-trial.ts";

closeServers();

const NAMES = ["web-01", "web-02", "web-03"];
const COMMIT = "c".repeat(40);

/** Three nodes in memory that proved what main says, and GitHub's API. */
class AuditTrial {
  readonly refs = new MemoryRefs();
  readonly nodes = new Map<string, MemoryNode>(NAMES.map((name) => [name, debianNode({ name })]));
  readonly api: Trial;
  content = "one\n";
  nowMs = Date.parse("2026-11-30T10:00:00Z");
  readonly clock = { now: () => new Date(this.nowMs) };

  constructor(api: Trial) {
    this.api = api;
  }

  static async proved(): Promise<AuditTrial> {
    const world = new AuditTrial(await trial());
    const options = { budgetMs: null, takeOverLock: false, reason: null, holder: "octocat", actor: "octocat" };
    const doors = { ...world.#doors([], []), interrupted: () => false };
    expect((await runReconcile(doors, options)).exitCode).toBe(0);
    return world;
  }

  #repository(): Repository {
    const files = textFiles({
      "roster/fleet.yaml": fleet(1),
      ...Object.fromEntries(NAMES.map((name) => [`roster/nodes/${name}.yaml`, node(name)])),
      "host-roles/web.yaml": role(1, [site(this.content)]),
    });
    const lineage = { shallow: false, descends: true, same: true, newest: null };
    const standing = { git: true, head: COMMIT, dirty: [], mainBranch: "origin/main", merged: true, behind: false };
    return {
      workingTree: async () => files,
      at: async () => files,
      standing: async () => standing,
      main: async () => ({ branch: "origin/main", commit: COMMIT }),
      lineage: async () => lineage,
    };
  }

  #doors(away: readonly string[], faults: readonly StoreFault[]) {
    const transport = new MemoryTransport(
      this.nodes,
      away.map((name) => ({ node: name, fault: "unreachable" as const })),
    );
    return {
      repository: this.#repository(),
      store: () => new MemoryStore(this.refs, this.clock, faults),
      open: (parallel: number) => ({
        ...{ runId: "run-1", transport, secrets: givenSecrets(), clock: this.clock, parallel },
        progress: { event: () => {}, end: () => {} },
      }),
    };
  }

  async audit(more: { away?: readonly string[]; faults?: readonly StoreFault[]; forge?: Forge | null } = {}) {
    const run = new WrittenRun();
    const { forge = this.api.forge } = more;
    const answer = await runCiAudit({
      ...this.#doors(more.away ?? [], more.faults ?? []),
      ...{ run, forge, forgeProblem: forge === null ? "there is no token" : "", clock: this.clock },
      recheck: { run: async () => ({ passed: false, message: "" }) },
    });
    this.nowMs += 3_600_000;
    return {
      exit: answer.exitCode,
      text: answer.text(PLAIN),
      document: answer.document as Record<string, unknown>,
      run,
    };
  }

  byHand(name: string, text: string): void {
    const files = this.nodes.get(name)?.files;
    const entry = files?.get("/etc/site");
    if (entry?.type !== "file") throw new Error(`${name} has no site`);
    files?.put("/etc/site", { ...entry, content: textContent(text) });
  }

  issues() {
    return [...this.api.world.issues.values()];
  }
}

describe("the audit's issue", () => {
  it("is opened on drift, edited, closed when it is gone, and opened again rather than made twice", async () => {
    const world = await AuditTrial.proved();
    expect((await world.audit()).exit).toBe(0);
    expect(world.issues()).toEqual([]);
    world.byHand("web-01", "by hand\n");
    const drift = await world.audit();
    expect(drift).toMatchObject({ exit: 1, document: { issue_told: true, not_told: [] } });
    expect(drift.text.trimEnd().split("\n").at(-1)).toMatch(/^What to do: .*rollcall apply/);
    expect(world.issues()).toMatchObject([{ title: "Audit: 1 node changed", state: "open", author: BOT }]);
    world.byHand("web-02", "by hand\n");
    await world.audit({ away: ["web-03"] });
    expect(world.issues()).toMatchObject([{ title: "Audit: 2 nodes changed, 1 silent", state: "open" }]);
    expect(world.issues()[0]?.body).toMatch(
      /#### Changed on the node[^#]*web-01[^#]*web-02[^#]*#### Silent \(1\)[^#]*web-03/,
    );
    for (const name of NAMES) world.byHand(name, "one\n");
    expect((await world.audit()).exit).toBe(0);
    expect(world.issues()).toMatchObject([{ state: "closed", body: expect.stringContaining("all 3 nodes in order") }]);
    world.byHand("web-01", "again\n");
    await world.audit();
    expect(world.issues()).toMatchObject([{ title: "Audit: 1 node changed", state: "open" }]);
  });

  it("keeps what changed on nodes apart from what is only not rolled out, which opens none", async () => {
    const world = await AuditTrial.proved();
    world.content = "two\n";
    expect((await world.audit()).exit).toBe(0);
    expect(world.issues()).toEqual([]);
    world.content = "one\n";
    world.byHand("web-01", "by hand\n");
    await world.audit();
    const [issue] = world.issues();
    expect(issue?.body).toContain("Changed on the node");
    expect(issue?.body).not.toContain("Not rolled out yet");
  });

  it("of somebody else with the same mark is left alone", async () => {
    const world = await AuditTrial.proved();
    world.api.world.person("mallory", "read");
    const other = world.api.world.issue("mallory", { body: AUDIT_MARK, labels: ["rollcall", "rollcall-audit"] });
    world.byHand("web-01", "by hand\n");
    await world.audit();
    expect(other.body).toBe(AUDIT_MARK);
    expect(world.issues()).toHaveLength(2);
  });

  it("that was deleted or locked is made anew", async () => {
    const world = await AuditTrial.proved();
    world.byHand("web-01", "by hand\n");
    await world.audit();
    const [first] = world.issues();
    if (first === undefined) throw new Error("no issue");
    first.locked = true;
    expect((await world.audit()).document).toMatchObject({ issue_told: true, not_told: [] });
    await world.audit();
    expect(world.issues().map(({ state }) => state)).toEqual(["open", "open"]);
    for (const issue of world.issues()) issue.deleted = true;
    expect((await world.audit()).document).toMatchObject({ issue_told: true, not_told: [] });
    expect(world.issues().filter(({ deleted }) => !deleted)).toMatchObject([
      { title: "Audit: 1 node changed", state: "open" },
    ]);
  });

  it("is one, also of two audits that found none at the same moment", async () => {
    const world = await AuditTrial.proved();
    world.byHand("web-01", "by hand\n");
    await Promise.all([world.audit(), world.audit()]);
    const open = world.issues().filter(({ state }) => state === "open");
    expect(open).toMatchObject([{ number: 1, title: "Audit: 1 node changed" }]);
  });

  it("fits however much there is", async () => {
    const { auditIssue } = await import("../../src/render/audit-issue.ts");
    const world = await AuditTrial.proved();
    world.byHand("web-01", "by hand\n");
    const { document } = await world.audit();
    const [one] = (document as { corrective: readonly object[] }).corrective;
    const corrective = Array.from({ length: 20_000 }, () => one);
    const view = {
      ...{
        corrective,
        intentional: [],
        aside: [],
        expiredIgnores: [],
        silence: [],
        verdicts: [],
        damaged: [],
        outcomes: [],
      },
      ...{
        hadRecord: true,
        recorded: { ok: true },
        unread: [],
        nothing: null,
        generation: 1,
        seen: new Map(),
        compared: 1,
      },
    } as unknown as Parameters<typeof auditIssue>[0];
    const body = auditIssue(view, { run: null, at: new Date(0), exitCode: 1 }, 65_536);
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toMatch(/Changed on the node.*\(20000\)/);
    expect(body).toMatch(/and \d+ more, in the run's artifact/);
  });
});

describe("exit codes", () => {
  const faults = [{ on: "publish", fault: "refused", message: "the disk is full" }] as const;

  it("are 3 when neither the record nor the issue could be written, and 4 when only the record could not", async () => {
    const world = await AuditTrial.proved();
    world.byHand("web-01", "by hand\n");
    expect((await world.audit({ faults, forge: null })).exit).toBe(3);
    expect((await world.audit({ faults })).exit).toBe(4);
    world.api.github.fault({ on: "issues/list-for-repo", kind: "answer", status: 503, times: 99 });
    const both = await world.audit({ faults });
    expect(both).toMatchObject({ exit: 3, document: { issue_told: false, not_told: [{ code: "server" }] } });
  });

  it("are 4 for a node that was not read, and 1 for drift that only GitHub could not be told of", async () => {
    const world = await AuditTrial.proved();
    expect((await world.audit({ away: ["web-01"] })).exit).toBe(4);
    world.byHand("web-02", "by hand\n");
    world.api.github.fault({ on: "issues/update", kind: "answer", status: 502, times: 99 });
    const untold = await world.audit();
    expect(untold).toMatchObject({ exit: 1, document: { issue_told: false } });
    expect(untold.run.annotations).toContainEqual(expect.objectContaining({ level: "warning" }));
    expect(untold.text).toContain("not told the audit's issue: server");
  });
});
