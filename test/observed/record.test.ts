import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareRemote, clone, fleetCheckout } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { addLine, held, put, record, storeIn } from "./stores.ts";

/** A remote on disk with a checkout of it. */
function pair() {
  const remote = bareRemote();
  return { remote, folder: fleetCheckout(remote) };
}

describe.each([
  ["on a remote", () => pair()],
  ["in the local repository", () => ({ remote: null, folder: fleetCheckout(null) })],
])("the record %s", (_where, make) => {
  it("begins with nothing, and its branch is made by the first record", async () => {
    const { folder } = make();
    const store = storeIn(folder);
    const before = await store.read();
    expect([before.observed.commit, before.live.commit, before.observed.paths]).toEqual([null, null, []]);
    const answer = await record(store, put({ "fleet.json": "{}\n", "nodes/ab/a/state.json": "1\n" }));
    expect(answer.kind).toBe("recorded");
    const { observed } = await storeIn(folder).read();
    expect(observed.paths).toEqual(["fleet.json", "nodes/ab/a/state.json"]);
    expect(observed.read("nodes/ab/a/state.json")).toBe("1\n");
  });

  it("takes changes and removals, and makes no commit when there is nothing new", async () => {
    const { folder } = make();
    const store = storeIn(folder);
    await record(store, put({ "a/b": "1", "a/c": "2", d: "ä\u0000\n" }));
    const second = await record(store, put({ "a/b": null, "a/c": "3", "not/there": null }));
    if (second.kind !== "recorded") throw new Error(second.kind);
    expect(second.files.paths).toEqual(["a/c", "d"]);
    expect([second.files.read("a/c"), second.files.read("d")]).toEqual(["3", "ä\u0000\n"]);
    const third = await record(store, put({ "a/c": "3", "a/b": null }));
    expect(third.kind).toBe("unchanged");
    expect((await store.read()).observed.commit).toBe(second.files.commit);
  });

  it("keeps signs of life in one commit without history", async () => {
    const { folder, remote } = make();
    const store = storeIn(folder);
    await store.publish(put({ "heartbeats.json": "1", "reports/ab/a.json": "r" }));
    await store.publish(put({ "heartbeats.json": "2" }));
    const { live } = await store.read();
    expect([live.read("heartbeats.json"), live.read("reports/ab/a.json")]).toEqual(["2", "r"]);
    expect(gitIn(remote?.path ?? folder, "rev-list", "--count", "refs/heads/observed-live")).toBe("1");
  });

  it("leaves working tree, index and HEAD byte for byte", async () => {
    const { folder } = make();
    writeFileSync(join(folder, "roster/fleet.yaml"), "being edited\n");
    writeFileSync(join(folder, "roster/new.yaml"), "staged\n");
    gitIn(folder, "add", "roster/new.yaml");
    const before = [treeOf(folder), gitIn(folder, "branch", "--list", "main", "--verbose")];
    const store = storeIn(folder);
    const lock = await held(store, "r1");
    await record(store, put({ "roster/fleet.yaml": "not that one\n" }), lock);
    await store.publish(put({ "heartbeats.json": "1" }));
    await lock.release();
    expect([treeOf(folder), gitIn(folder, "branch", "--list", "main", "--verbose")]).toEqual(before);
    expect(gitIn(folder, "for-each-ref", "refs/rollcall/building")).toBe("");
  });

  it("re-roots the branch, keeps its files, and is done when there is nothing to lose", async () => {
    const { folder, remote } = make();
    const store = storeIn(folder);
    for (const line of ["1", "2", "3"]) await record(store, addLine("log", line));
    const lock = await held(store, "r1");
    const options = { message: "chore: compact", lock };
    const answer = await store.reroot(put({ gone: null }), options);
    expect(answer.kind).toBe("recorded");
    expect((await store.read()).observed.read("log")).toBe("1\n2\n3\n");
    expect(gitIn(remote?.path ?? folder, "rev-list", "--count", "refs/heads/observed")).toBe("1");
    expect((await store.reroot(put({}), options)).kind).toBe("unchanged");
    expect((await record(storeIn(folder), addLine("log", "4"))).kind).toBe("recorded");
  });

  it("loses nothing of eight that write from one base", async () => {
    const { folder, remote } = make();
    await record(storeIn(folder), put({ log: "begin\n" }));
    const folders = Array.from({ length: 8 }, () => (remote === null ? folder : clone(remote)));
    const stores = folders.map((each) => storeIn(each));
    await Promise.all(stores.map((store) => store.read()));
    const answers = await Promise.all(stores.map((store, index) => record(store, addLine("log", `line ${index}`))));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(8).fill("recorded"));
    const log = (await storeIn(folder).read()).observed.read("log")?.trim().split("\n") ?? [];
    expect(log.sort()).toEqual(["begin", ...Array.from({ length: 8 }, (_, index) => `line ${index}`)].sort());
    expect(gitIn(remote?.path ?? folder, "rev-list", "--count", "refs/heads/observed")).toBe("9");
  });
});

/** Every file with its bytes, the index among them, and HEAD. */
function treeOf(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("/.git/") || /\/\.git\/(index|HEAD|FETCH_HEAD|ORIG_HEAD)$/.test(path));
  return files.map((path) => `${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`).sort();
}

describe("several processes of one checkout", () => {
  it("that share it and its remote lose nothing", async () => {
    const { remote, folder } = pair();
    const stores = Array.from({ length: 4 }, () => storeIn(folder));
    const answers = await Promise.all(stores.map((store, index) => record(store, addLine("log", `line ${index}`))));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(4).fill("recorded"));
    expect(remote.file("observed", "log")?.split("\n")).toHaveLength(4);
  });
});

describe("a refusal by the remote", () => {
  it("of one ref leaves both as they were", async () => {
    const { remote, folder } = pair();
    const store = storeIn(folder);
    await record(store, put({ a: "1" }));
    const lock = await held(store, "r1");
    for (const refused of ["refs/heads/observed", "refs/rollcall/lock"]) {
      const before = remote.refs();
      remote.hook(
        "update",
        `[ "$1" = ${refused} ] || exit 0; echo "error: GH006: Protected branch update failed" >&2; exit 1`,
      );
      const answer = await record(store, put({ a: "2" }), lock);
      expect(answer).toMatchObject({ kind: "failed", code: "push-protected" });
      expect(answer.kind === "failed" && answer.message).toContain("GH006");
      expect(remote.refs()).toEqual(before);
      remote.hook("update", null);
    }
    expect((await record(store, put({ a: "3" }), lock)).kind).toBe("recorded");
  });

  it("by a hook is not tried again", async () => {
    const { remote, folder } = pair();
    remote.hook("pre-receive", `echo x >> "$PWD/asked"; echo "not on a Friday"; exit 1`);
    const answer = await record(storeIn(folder), put({ a: "1" }));
    expect(answer).toMatchObject({ kind: "failed", code: "push-declined", message: "not on a Friday" });
    expect(readFileSync(join(remote.path, "asked"), "utf8")).toBe("x\n");
    expect(Object.keys(remote.refs())).toEqual(["refs/heads/main"]);
  });

  it("in the local repository is told as well", async () => {
    const folder = fleetCheckout(null);
    const hook = join(folder, ".git/hooks/reference-transaction");
    writeFileSync(hook, '#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/observed && exit 1\nexit 0\n', {
      mode: 0o755,
    });
    expect(await record(storeIn(folder), put({ a: "1" }))).toMatchObject({ kind: "failed", code: "push-declined" });
    writeFileSync(hook, '#!/bin/sh\n[ "$1" = prepared ] && exit 1\nexit 0\n', { mode: 0o755 });
    const failed = await record(storeIn(folder), put({ a: "1" }));
    expect(failed).toMatchObject({ kind: "failed", code: "push-declined" });
    expect(failed.kind === "failed" && failed.message).toMatch(/^git cannot store the record: .*aborted by hook/);
    const unlocked = await storeIn(folder).lock({ holder: "x", runId: "y", leaseMs: 1, takeOver: null });
    expect(unlocked).toMatchObject({ kind: "refused", code: "push-declined" });
    rmSync(hook);
    execFileSync("git", ["branch", "observed"], { cwd: folder });
    execFileSync("git", ["switch", "--quiet", "observed"], { cwd: folder });
    const answer = await record(storeIn(folder), put({ a: "1" }));
    expect(answer).toMatchObject({ kind: "failed", code: "branch-checked-out" });
  });

  it("that went away is said, and nothing else happens", async () => {
    const { remote, folder } = pair();
    const store = storeIn(folder);
    const lock = await held(store, "r1");
    rmSync(remote.path, { recursive: true });
    expect(await record(store, put({ a: "1" }), lock)).toMatchObject({ kind: "failed", code: "remote-missing" });
    await expect(store.read()).rejects.toMatchObject({ code: "remote-missing" });
    expect(await store.lock({ holder: "x", runId: "y", leaseMs: 1, takeOver: null })).toMatchObject({
      kind: "refused",
      code: "remote-missing",
    });
    await lock.release();
  });
});

describe("a person's clone", () => {
  it("is left whole, with all of main, when it takes the record", async () => {
    const { remote, folder } = pair();
    for (const line of ["1", "2", "3"]) await record(storeIn(folder), addLine("log", line));
    const person = clone(remote, "--single-branch");
    const main = gitIn(person, "log", "--format=%H", "main");
    const store = storeIn(person);
    expect((await store.read()).observed.read("log")).toBe("1\n2\n3\n");
    expect((await record(store, addLine("log", "4"))).kind).toBe("recorded");
    expect(gitIn(person, "rev-parse", "--is-shallow-repository")).toBe("false");
    expect(gitIn(person, "log", "--format=%H", "main")).toBe(main);
    expect(gitIn(person, "status", "--porcelain", "--branch")).toBe("## main...origin/main");
    gitIn(person, "fsck", "--strict", "--no-dangling");
    gitIn(person, "push", "--quiet", "origin", "main:refs/heads/topic");
    expect(remote.git("rev-parse", "topic")).toBe(gitIn(person, "rev-parse", "main"));
  });

  it.each([
    ["whole", []],
    ["shallow", ["--depth=2"]],
  ])("(%s) keeps its history where the record was branched off from main", async (_how, options) => {
    const remote = bareRemote();
    const folder = fleetCheckout(remote);
    remote.git("branch", "observed", "main");
    const person = clone(remote, "--single-branch", ...options);
    const main = gitIn(person, "rev-list", "main");
    expect((await storeIn(person).read()).observed.paths).toEqual(["roster/fleet.yaml"]);
    expect(gitIn(person, "rev-list", "main")).toBe(main);
    expect((await record(storeIn(folder), put({ a: "1" }))).kind).toBe("recorded");
    expect((await storeIn(person).read()).observed.read("a")).toBe("1");
    expect(gitIn(person, "rev-list", "main")).toBe(main);
  });
});

describe("a shallow clone", () => {
  it("of the fleet repository records as any other", async () => {
    const { remote, folder } = pair();
    for (const line of ["1", "2", "3"]) await record(storeIn(folder), addLine("log", line));
    const shallow = clone(remote, "--depth=1");
    const store = storeIn(shallow);
    await store.read();
    // It takes no more of the record than of main.
    expect(gitIn(shallow, "rev-list", "--count", "refs/remotes/origin/observed")).toBe("1");
    const answer = await record(store, addLine("log", "4"), await held(store, "r1"));
    expect(answer.kind).toBe("recorded");
    await record(storeIn(folder), addLine("log", "5"));
    await record(store, addLine("log", "6"));
    expect(remote.file("observed", "log")).toBe("1\n2\n3\n4\n5\n6");
    expect(remote.git("rev-list", "--count", "observed")).toBe("6");
    expect(gitIn(shallow, "rev-list", "--count", "refs/remotes/origin/observed")).not.toBe("6");
  });

  it("that is partial reads what it was not given", async () => {
    const { remote, folder } = pair();
    await record(storeIn(folder), put({ a: "1", "b/c": "2" }));
    remote.git("config", "uploadpack.allowFilter", "true");
    const partial = clone(remote, "--filter=blob:none", "--single-branch");
    expect((await storeIn(partial).read()).observed.read("b/c")).toBe("2");
  });
});
