import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { type CompactDoors, runCompact } from "../../src/commands/observed.ts";
import { runRolloutSignal } from "../../src/commands/rollout-signal.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { nodeReportPath, nodeStatePath, rolloutFolder } from "../../src/model/observed-layout.ts";
import type { RolloutEventBody } from "../../src/model/rollout-event.ts";
import { appendEvents } from "../../src/plan/append-events.ts";
import { nodeStateText } from "../../src/plan/record-files.ts";
import type { ObservedFiles, ObservedWrites } from "../../src/ports.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { bareRemote, clone, fleetCheckout } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { digestOf } from "../plan/recorded.ts";
import { begin, created, fail, paused, STARTED, succeed, unplaced } from "../plan/rollout-log.ts";
import { held, movedClock, put, record, storeIn } from "./stores.ts";

const FLEET: Readonly<Record<string, string>> = {
  "roster/fleet.yaml": "version: 2\ngeneration: 3\n",
  "roster/nodes/a.yaml": "name: a\nclass: web\nos: linux\naddress: 192.0.2.1\nroles: [edge]\n",
  "roster/nodes/b.yaml": "name: b\nclass: web\nos: linux\naddress: 192.0.2.2\nstate: retired\n",
  "host-roles/edge.yaml":
    "role: edge\nversion: 1\ndescription: d\nresources:\n  - { type: directory, path: /srv/edge }\n",
};
const CURRENT = loadDesired(textFiles(FLEET)).state?.roles.get("edge")?.digest ?? "";
const NOW = "2026-11-30T12:00:00Z";
const DAY = 86_400_000;
const OPTIONS = { keepMs: 90 * DAY, holder: "octocat", runId: "compact-1", takeOver: null };
const DONE: readonly RolloutEventBody[] = [STARTED, begin("a", 0), succeed("a"), { event: "completed" }];
const OLD = "2026-08-01T00:00:00.000Z";

interface Logged {
  readonly digest: string;
  readonly generation: number;
  readonly at?: string;
  readonly bodies?: readonly RolloutEventBody[];
}

/** Adds a rollout's log to what is there. */
const logged = ({ digest, generation, at = OLD, bodies = DONE }: Logged, files: ObservedFiles): ObservedWrites => {
  const begun = created([["a"]], { digest, generation });
  const events = [begun, ...bodies].map((body) => ({ ...unplaced(body), at }));
  return appendEvents(files, "role:edge", digest, `run-${digest[0]}`, events);
};

const state = (node: string) => nodeStateText({ v: 1, node, machine_id: null, markers: [] });
const folderOf = (digest: string) => rolloutFolder("role:edge", digest);

/** A fleet with this on its record, and the doors of a controller to it. `remote` is null where the record lives in the checkout. */
async function fleet(where: "remote" | "local", rollouts: readonly Logged[]) {
  const remote = where === "remote" ? bareRemote() : null;
  const folder = fleetCheckout(remote);
  for (const [path, text] of Object.entries(FLEET)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  gitIn(folder, "add", "--all");
  gitIn(folder, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "--message", "fleet");
  if (remote !== null) gitIn(folder, "push", "--quiet", "origin", "main");
  const clock = movedClock(NOW);
  for (const each of rollouts) await record(storeIn(folder, clock), (files) => logged(each, files));
  const doors: CompactDoors = { repository: gitRepository(folder), store: () => storeIn(folder, clock), clock };
  const at = remote?.path ?? folder;
  const git = (...words: string[]) => gitIn(at, ...words);
  /** Path and blob of each file of the record. */
  const listed = () => git("ls-tree", "-r", "refs/heads/observed").split("\n").filter(Boolean);
  return { remote, folder, clock, doors, git, listed };
}

const oldOnes = [1, 2, 3].map((generation) => ({ digest: digestOf(`${generation}`), generation }));

describe.each(["remote", "local"] as const)("observed compact (%s)", (where) => {
  it("says what it drops, and keeps the rest byte for byte under a new root", async () => {
    const { doors, folder, clock, git, listed } = await fleet(where, oldOnes);
    const odd = "not UTF-16 \u{1f600}, not JSON {\r\n";
    const nodes = { [nodeStatePath("a")]: state("a"), [nodeStatePath("b")]: state("b"), [nodeReportPath("gone")]: odd };
    await record(storeIn(folder, clock), put({ ...nodes, "board.md": odd, "incidents/1.json": odd }));
    const before = listed();

    const result = await runCompact(doors, OPTIONS);
    const rollouts = [`role:edge@${digestOf("1").slice(0, 12)}`];
    const paths = [nodeStatePath("b"), nodeReportPath("gone"), `${folderOf(digestOf("1"))}/run-1.jsonl`].sort();
    expect(result).toMatchObject({ exitCode: 0, document: { ok: true, compacted: true, rollouts, paths } });
    const text = result.text(PLAIN);
    for (const said of [...rollouts, nodeStatePath("b"), nodeReportPath("gone")]) expect(text).toContain(said);
    expect(listed()).toEqual(before.filter((line) => !paths.some((path) => line.endsWith(`\t${path}`))));
    expect(before).toHaveLength(listed().length + 3);
    expect(git("rev-list", "--count", "refs/heads/observed")).toBe("1");

    // Once more there is nothing to do, and nothing is written.
    const tip = git("rev-parse", "refs/heads/observed");
    const again = await runCompact(doors, { ...OPTIONS, runId: "compact-2" });
    expect(again).toMatchObject({ exitCode: 0, document: { compacted: false, rollouts: [], paths: [] } });
    expect(git("rev-parse", "refs/heads/observed")).toBe(tip);
  });

  it("does nothing where there is no record yet", async () => {
    const { doors, git } = await fleet(where, []);
    const result = await runCompact(doors, OPTIONS);
    expect(result).toMatchObject({ exitCode: 0, document: { compacted: false, commit: null } });
    expect(git("for-each-ref", "--format=%(refname)", "refs/heads/observed*")).toBe("");
  });

  it("keeps to the retention it was given, to the millisecond", async () => {
    const moments = ["2026-11-29T12:00:00.000Z", "2026-11-30T11:00:00.000Z", "2026-11-30T11:00:00.000Z"];
    const edge = oldOnes.map((one, index) => ({ ...one, at: moments[index] ?? NOW }));
    const { doors } = await fleet(where, edge);
    expect(await runCompact(doors, { ...OPTIONS, keepMs: DAY })).toMatchObject({ document: { rollouts: [] } });
    const shorter = await runCompact(doors, { ...OPTIONS, keepMs: DAY - 1 });
    expect(shorter).toMatchObject({ document: { rollouts: [`role:edge@${digestOf("1").slice(0, 12)}`] } });
  });

  it("is refused while somebody else holds the lock, and frees its own", async () => {
    const { doors, folder, clock, git } = await fleet(where, oldOnes);
    const lock = await held(storeIn(folder, clock), "reconcile-1");
    const tip = git("rev-parse", "refs/heads/observed");
    expect(await runCompact(doors, OPTIONS)).toMatchObject({ exitCode: 2, document: { error: { code: "locked" } } });
    expect(git("rev-parse", "refs/heads/observed")).toBe(tip);
    await lock.release();
    expect((await runCompact(doors, OPTIONS)).exitCode).toBe(0);
    await held(storeIn(folder, clock), "reconcile-2");
    const byHand = await runCompact(doors, { ...OPTIONS, takeOver: "it hangs" });
    expect(byHand.document).toMatchObject({ ok: true, took_over: expect.stringMatching(/reconcile-2.*it hangs/) });
  });

  it("writes nothing once the lock was taken from it", async () => {
    const { doors, folder, clock, git } = await fleet(where, oldOnes);
    const tip = git("rev-parse", "refs/heads/observed");
    const store = storeIn(folder, clock);
    const robbed: typeof store = {
      ...store,
      async reroot(edit, options) {
        await held(storeIn(folder, clock), "thief", { takeOver: "for the test" });
        return store.reroot(edit, options);
      },
    };
    const result = await runCompact({ ...doors, store: () => robbed }, OPTIONS);
    expect(result).toMatchObject({ exitCode: 1, document: { error: { code: "lock-lost" } } });
    expect(git("rev-parse", "refs/heads/observed")).toBe(tip);
  });

  it("keeps a log of which a line cannot be read", async () => {
    const { doors, folder, clock, listed } = await fleet(where, oldOnes);
    const path = `${folderOf(digestOf("1"))}/run-1.jsonl`;
    await record(storeIn(folder, clock), (files) => new Map([[path, `${files.read(path)}{"event":\n`]]));
    const before = listed();
    expect(await runCompact(doors, OPTIONS)).toMatchObject({ document: { compacted: true, rollouts: [], paths: [] } });
    expect(listed()).toEqual(before);
  });
});

describe("a signal that meets a compaction", () => {
  const STOPPED: Logged = { digest: CURRENT, generation: 4, bodies: [STARTED, begin("a", 0), fail("a"), paused()] };
  const word = { unit: "role:edge", nodes: [], reason: "seen to it", acceptAlreadyTrue: false, by: "hubot" };

  it("first loses nothing: its rollout is spoken of again, and stays", async () => {
    const ended = { ...STOPPED, bodies: [STARTED, begin("a", 0), fail("a"), { event: "failed", detail: "" } as const] };
    const newer = { digest: digestOf("f"), generation: 5 };
    const { doors, folder, clock, remote } = await fleet("remote", [...oldOnes, ended, newer]);
    if (remote === null) throw new Error("it has a remote");
    const other = clone(remote);
    const store = storeIn(folder, clock);
    let said: Promise<{ readonly exitCode: number }> | undefined;
    const asked: string[][] = [];
    // The signal lands after the compaction has decided what goes, and before its push.
    const met: typeof store = {
      ...store,
      async reroot(edit, options) {
        const before = remote.git("rev-parse", "observed");
        const doorsOfOther = { repository: gitRepository(other), store: () => storeIn(other, clock), clock };
        said = runRolloutSignal(doorsOfOther, { ...word, say: "retry", runId: "signal-1" });
        expect((await said).exitCode).toBe(0);
        const after = remote.git("rev-parse", "observed");
        remote.git("update-ref", "refs/heads/observed", before);
        return store.reroot((files) => {
          const writes = edit(files);
          if (asked.push([...writes.keys()]) === 1) remote.git("update-ref", "refs/heads/observed", after);
          return writes;
        }, options);
      },
    };
    const result = await runCompact({ ...doors, store: () => met }, OPTIONS);
    expect(result).toMatchObject({ exitCode: 0, document: { compacted: true } });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain(`${folderOf(CURRENT)}/run-${CURRENT[0]}.jsonl`);
    const log = remote.file("observed", `${folderOf(CURRENT)}/signal-1.jsonl`) ?? "";
    expect(JSON.parse(log)).toMatchObject({ event: "signal", signal: "retry", actor: "hubot" });
    expect(remote.file("observed", `${folderOf(CURRENT)}/run-${CURRENT[0]}.jsonl`)).toContain('"created"');
    expect(remote.git("rev-list", "--count", "observed")).toBe("1");
  });

  it("second is said on the new root, by one who knew the old history", async () => {
    const { doors, clock, remote } = await fleet("remote", [...oldOnes, STOPPED]);
    if (remote === null) throw new Error("it has a remote");
    const other = clone(remote);
    const store = storeIn(other, clock);
    await store.read();
    let compacted = false;
    const late: typeof store = {
      ...store,
      async record(edit, options) {
        await store.read();
        if (!compacted) expect((await runCompact(doors, OPTIONS)).exitCode).toBe(0);
        compacted = true;
        return store.record(edit, options);
      },
    };
    const doorsOfOther = { repository: gitRepository(other), store: () => late, clock };
    const result = await runRolloutSignal(doorsOfOther, { ...word, say: "resume", runId: "signal-1" });
    expect(result).toMatchObject({ exitCode: 0, document: { recorded: true, state: "running" } });
    expect(remote.git("rev-list", "--count", "observed")).toBe("2");
    expect(remote.file("observed", `${folderOf(CURRENT)}/signal-1.jsonl`)).toContain('"resume"');
  });
});
