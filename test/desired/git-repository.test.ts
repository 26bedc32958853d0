import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import type { DesiredFiles } from "../../src/ports.ts";
import { countGit } from "./count-git.ts";
import { gitFleet, temporaryFolder } from "./git-fleet.ts";

const text = (files: DesiredFiles | undefined, path: string) => {
  const bytes = files?.read(path)?.bytes();
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("latin1");
};

describe("desired files", () => {
  it("are the same in the working tree and in the commit made from it", async () => {
    const fleet = gitFleet();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    fleet.commit({
      "roster/fleet.yaml": "version: 2\n",
      "roster/nodes/ä b'\"\n.yaml": "odd\n",
      "host-roles/a/files/bin": bytes,
      "host-roles/a/files/empty": "",
      "host-roles/a/files/-dash": "x",
      "parcels/x/parcel.yaml": "y",
      "README.md": "not desired",
      "roster.yaml": "not desired",
    });
    const repository = gitRepository(fleet.root);
    const [tree, commit] = [await repository.workingTree(), await repository.at("HEAD")];
    expect(commit?.paths).toEqual(tree.paths);
    expect(tree.paths).toHaveLength(6);
    for (const path of tree.paths) {
      expect(commit?.read(path)?.sha256, path).toBe(tree.read(path)?.sha256);
      expect(commit?.read(path)?.size, path).toBe(tree.read(path)?.size);
      expect(text(commit, path), path).toBe(text(tree, path));
    }
    expect(text(commit, "host-roles/a/files/bin")).toBe(Buffer.from(bytes).toString("latin1"));
    expect(commit?.read("README.md")).toBeUndefined();
  });

  it("of a folder inside a repository are named from that folder", async () => {
    const fleet = gitFleet("fleets/one");
    fleet.commit({ "roster/fleet.yaml": "a" });
    fleet.write({ "roster/nodes/a.yaml": "new" });
    const repository = gitRepository(fleet.root);
    expect((await repository.at("HEAD"))?.paths).toEqual(["roster/fleet.yaml"]);
    expect((await repository.standing()).dirty).toEqual(["roster/nodes/a.yaml"]);
  });

  it("follow links that stay inside, and refuse all others", async () => {
    const fleet = gitFleet();
    fleet.write({ "host-roles/a/files/real": "x", "host-roles/b/files/y": "y", secret: "s" });
    const link = (target: string, path: string) => symlinkSync(target, join(fleet.root, path));
    link("real", "host-roles/a/files/near");
    link("near", "host-roles/a/files/chain");
    link("../../a/files/real", "host-roles/b/files/far");
    link("../../../secret", "host-roles/b/files/out");
    link("/etc/hostname", "host-roles/b/files/absolute");
    link("../../a", "host-roles/b/files/folder");
    link("loop", "host-roles/b/files/loop");
    link("nothing", "host-roles/b/files/dangling");
    fleet.commit();
    for (const files of [await gitRepository(fleet.root).workingTree(), await gitRepository(fleet.root).at("HEAD")]) {
      expect(files?.refused?.map(({ path }) => path.slice("host-roles/b/files/".length))).toEqual([
        "absolute",
        "dangling",
        "folder",
        "loop",
        "out",
      ]);
      for (const path of ["a/files/near", "a/files/chain", "b/files/far"])
        expect(text(files, `host-roles/${path}`)).toBe("x");
      expect(files?.read("host-roles/b/files/out")).toBeUndefined();
    }
  });

  it("have no submodules among them", async () => {
    const fleet = gitFleet();
    const commit = fleet.commit({ "roster/fleet.yaml": "a" });
    fleet.git("update-index", "--add", "--cacheinfo", `160000,${commit},host-roles/a`);
    fleet.git("commit", "--quiet", "--message", "a submodule");
    const files = await gitRepository(fleet.root).at("HEAD");
    expect(files?.refused).toEqual([{ path: "host-roles/a", reason: "is a submodule" }]);
  });

  it("are none where there are none", async () => {
    const empty = temporaryFolder();
    expect((await gitRepository(empty).workingTree()).paths).toEqual([]);
    expect(await gitRepository(empty).at("HEAD")).toBeUndefined();
    const fleet = gitFleet();
    expect(await gitRepository(fleet.root).at("HEAD")).toBeUndefined();
    fleet.commit();
    expect((await gitRepository(fleet.root).at("HEAD"))?.paths).toEqual([]);
    for (const name of ["nope", "", "-h", "--all", "HEAD:roster"])
      expect(await gitRepository(fleet.root).at(name)).toBeUndefined();
  });

  it("of a commit cost three processes, however many there are, and none for the working tree", async () => {
    const fleet = gitFleet();
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`roster/nodes/n${index}.yaml`, `name: n${index}\n`]),
    );
    fleet.commit({ ...many, "host-roles/a/files/large": new Uint8Array(3_000_000).fill(7) });
    const repository = gitRepository(fleet.root);
    const processes = await countGit(async () => {
      const files = await repository.at("HEAD");
      for (const path of files?.paths ?? []) files?.read(path)?.bytes();
    });
    expect(processes).toEqual(["rev-parse", "ls-tree", "cat-file"]);
    expect(await countGit(async () => void (await repository.workingTree()))).toEqual([]);
  });

  it("above four mebibytes are read when somebody asks", async () => {
    const fleet = gitFleet();
    const large = new Uint8Array(5_000_000).map((_, index) => index % 251);
    fleet.commit({ "host-roles/a/files/large": large });
    const files = await gitRepository(fleet.root).at("HEAD");
    const content = files?.read("host-roles/a/files/large");
    expect(content?.size).toBe(5_000_000);
    expect(Buffer.from(content?.bytes() ?? []).equals(Buffer.from(large))).toBe(true);
  });
});

describe("standing", () => {
  it("outside git", async () => {
    const standing = await gitRepository(temporaryFolder()).standing();
    expect(standing).toEqual({ git: false, head: null, dirty: [], mainBranch: null, merged: false, behind: false });
  });

  it("before the first commit, after it, and on a branch", async () => {
    const fleet = gitFleet();
    const repository = gitRepository(fleet.root);
    fleet.write({ "roster/fleet.yaml": "a", "elsewhere.txt": "b" });
    expect(await repository.standing()).toEqual({
      git: true,
      head: null,
      dirty: ["roster/fleet.yaml"],
      mainBranch: null,
      merged: false,
      behind: false,
    });
    const first = fleet.commit();
    expect(await repository.standing()).toEqual({
      git: true,
      head: first,
      dirty: [],
      mainBranch: "main",
      merged: true,
      behind: false,
    });
    fleet.git("switch", "--quiet", "--create", "work");
    expect((await repository.standing()).merged).toBe(true);
    const second = fleet.commit({ "roster/fleet.yaml": "b" });
    expect(await repository.standing()).toMatchObject({ head: second, mainBranch: "main", merged: false });
    fleet.git("switch", "--quiet", "--detach", first);
    expect(await repository.standing()).toMatchObject({ head: first, merged: true });
  });

  it("sees changed, deleted, renamed and untracked files with odd names", async () => {
    const fleet = gitFleet();
    fleet.commit({ "roster/a": "1", "roster/b": "2", "roster/c c": "3", "parcels/p": "4", "README.md": "5" });
    fleet.git("mv", "roster/a", "roster/ä");
    fleet.write({ "roster/b": "changed", "parcels/p": null, 'host-roles/"q"': "new", "README.md": "changed" });
    fleet.git("rm", "--quiet", "--cached", "roster/c c");
    const dirty = ['host-roles/"q"', "parcels/p", "roster/a", "roster/b", "roster/ä"];
    expect((await gitRepository(fleet.root).standing()).dirty).toEqual(dirty);
  });

  it("sees what git status is silent about: ignored files, and those it was told to assume unchanged", async () => {
    const fleet = gitFleet();
    fleet.commit({ "roster/a": "1", "roster/b": "2", ".gitignore": "*.conf\n" });
    fleet.git("update-index", "--assume-unchanged", "roster/a");
    fleet.git("update-index", "--skip-worktree", "roster/b");
    fleet.write({ "roster/a": "x", "roster/b": "y", "host-roles/web/files/s.conf": "z" });
    expect(fleet.git("status", "--porcelain")).toBe("");
    const dirty = ["host-roles/web/files/s.conf", "roster/a", "roster/b"];
    expect((await gitRepository(fleet.root).standing()).dirty).toEqual(dirty);
  });

  it("is behind once the main branch has changed the fleet, and not for anything else", async () => {
    const fleet = gitFleet();
    const first = fleet.commit({ "roster/a": "1" });
    fleet.commit({ "README.md": "2" });
    fleet.git("switch", "--quiet", "--detach", first);
    expect(await gitRepository(fleet.root).standing()).toMatchObject({ merged: true, behind: false });
    fleet.git("switch", "--quiet", "main");
    fleet.commit({ "roster/a": "3" });
    fleet.git("switch", "--quiet", "--detach", first);
    expect(await gitRepository(fleet.root).standing()).toMatchObject({ merged: true, behind: true });
  });

  it("with a remote counts as merged only what the remote has", async () => {
    const upstream = gitFleet();
    upstream.commit({ "roster/fleet.yaml": "a" });
    const fleet = gitFleet();
    fleet.git("remote", "add", "origin", upstream.root);
    const local = fleet.commit({ "roster/fleet.yaml": "b" });
    expect(await gitRepository(fleet.root).standing()).toMatchObject({ head: local, mainBranch: null, merged: false });
    fleet.git("fetch", "--quiet", "origin");
    expect(await gitRepository(fleet.root).standing()).toMatchObject({ mainBranch: "origin/main", merged: false });
    fleet.git("reset", "--quiet", "--hard", "origin/main");
    expect(await gitRepository(fleet.root).standing()).toMatchObject({ mainBranch: "origin/main", merged: true });
  });

  it("follows the remote's own name for its default branch", async () => {
    const upstream = gitFleet();
    upstream.commit({ "roster/fleet.yaml": "a" });
    upstream.git("branch", "--move", "trunk");
    const clone = temporaryFolder();
    upstream.git("clone", "--quiet", upstream.root, clone);
    expect(await gitRepository(clone).standing()).toMatchObject({ mainBranch: "origin/trunk", merged: true });
  });

  it("is not led astray by the variables of a hook", async () => {
    const fleet = gitFleet();
    const other = gitFleet();
    const head = fleet.commit({ "roster/fleet.yaml": "a" });
    other.commit({ "roster/fleet.yaml": "b" });
    const before = { GIT_DIR: process.env.GIT_DIR, GIT_INDEX_FILE: process.env.GIT_INDEX_FILE };
    Object.assign(process.env, { GIT_DIR: join(other.root, ".git"), GIT_INDEX_FILE: join(other.root, ".git/index") });
    try {
      const repository = gitRepository(fleet.root);
      expect(await repository.standing()).toMatchObject({ head, dirty: [] });
      expect(text(await repository.at("HEAD"), "roster/fleet.yaml")).toBe("a");
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});
