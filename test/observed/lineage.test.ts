import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import type { FileContent } from "../../src/model/file-content.ts";
import { bareRemote, clone, fleetCheckout } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { put, record, storeIn } from "./stores.ts";

const text = (content: FileContent | undefined) => content && new TextDecoder().decode(content.bytes());

function commit(folder: string, path: string, content: string): string {
  writeFileSync(join(folder, path), content);
  gitIn(folder, "add", "--all");
  gitIn(folder, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "--message", path);
  return gitIn(folder, "rev-parse", "HEAD");
}

it("main is fetched anew, and known locally without a remote", async () => {
  const remote = bareRemote();
  const folder = fleetCheckout(remote);
  const other = clone(remote);
  const pushed = commit(other, "README.md", "new");
  gitIn(other, "push", "--quiet", "origin", "main");
  expect(await gitRepository(folder).main()).toEqual({ branch: "origin/main", commit: pushed });
  const alone = fleetCheckout(null);
  const tip = gitIn(alone, "rev-parse", "HEAD");
  expect(await gitRepository(alone).main()).toEqual({ branch: "main", commit: tip });
});

it("lineage names the newest change of desired files and what it came from", async () => {
  const folder = fleetCheckout(null);
  const first = gitIn(folder, "rev-parse", "HEAD~1");
  const second = gitIn(folder, "rev-parse", "HEAD");
  const head = commit(folder, "README.md", "not desired");
  const repository = gitRepository(folder);
  const { newest, ...rest } = await repository.lineage(head, first);
  expect(rest).toEqual({ shallow: false, descends: true, same: false });
  expect(newest?.commit).toBe(second);
  expect([text(newest?.fleetFile), text(newest?.parentFleetFile)]).toEqual([
    "version: 2\ngeneration: 2\n",
    "version: 2\ngeneration: 1\n",
  ]);
  expect(await repository.lineage(head, second)).toMatchObject({ descends: true, same: true, shallow: false });
  expect(await repository.lineage(first, head)).toMatchObject({ descends: false, shallow: false });
  expect(await repository.lineage(head, null)).toMatchObject({ descends: true, same: false });
});

it("a clone that was cut says so, but only of what it lacks", async () => {
  const remote = bareRemote();
  const folder = fleetCheckout(remote);
  const first = gitIn(folder, "rev-parse", "HEAD~1");
  const head = gitIn(folder, "rev-parse", "HEAD");
  const shallow = gitRepository(clone(remote, "--depth=1"));
  expect(await shallow.lineage(head, first)).toMatchObject({ shallow: true, newest: null });
  expect(await shallow.lineage(head, null)).toMatchObject({ shallow: true });
  expect(await shallow.lineage(head, head)).toMatchObject({ shallow: false, descends: true, same: true });
});

it("a clone in which only the record was cut is whole", async () => {
  const remote = bareRemote();
  const folder = fleetCheckout(remote);
  for (const each of ["1", "2"]) await record(storeIn(folder), put({ a: each }));
  const other = clone(remote, "--single-branch");
  // Somebody's own hand: rollcall does not cut where nothing is cut yet.
  gitIn(other, "fetch", "--quiet", "--depth=1", "origin", "observed");
  expect(gitIn(other, "rev-parse", "--is-shallow-repository")).toBe("true");
  const head = gitIn(other, "rev-parse", "HEAD");
  expect(await gitRepository(other).lineage(gitIn(other, "rev-parse", "HEAD~1"), head)).toMatchObject({
    shallow: false,
    descends: false,
  });
});
