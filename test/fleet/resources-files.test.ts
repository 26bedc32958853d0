import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byteContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { outcomes, ResourcesClient } from "./resources-client.ts";

let fleet: Fleet;
let node: FleetNode;
let client: ResourcesClient;

beforeAll(async () => {
  fleet = await startFleet({ id: "resources-files", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  client = new ResourcesClient(node);
});
afterAll(() => fleet?.stop());

const sh = async (command: string): Promise<string> => (await node.exec(command)).stdout;
const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function write(path: string, bytes: string | Uint8Array = "new\n", more: object = {}): NodeEffect {
  const content = byteContent(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  return { do: "write-file", path, content, mode: "0644", owner: "root", group: "root", ...more };
}

/** Nothing of ours may be left beside the files. */
const leftovers = (folder: string): Promise<string> => sh(`find ${folder} -name '.rollcall*'`);

describe("any bytes, any name", () => {
  const CONTENTS: Record<string, string | Uint8Array> = {
    empty: "",
    "no final newline": "a\nb",
    "only newlines": "\n\n\n",
    CRLF: "#!/bin/sh\r\necho\r\n",
    NUL: new Uint8Array([0, 1, 2, 0, 255, 254, 10, 0]),
    "all bytes": Uint8Array.from({ length: 256 }, (_all, byte) => byte),
    "shell words": "$HOME `id` \\n 'x' \"y\" RC_CONTENT\nRC_CONTENT\n",
    "5 MB": new Uint8Array(randomBytes(5_000_000)),
  };
  const NAMES = [
    "with space",
    'it\'s "quoted"',
    "-rf",
    "--help",
    "back\\slash\\n",
    "$(touch pwned)",
    "ü-日本-\u{1f600}",
    "my\\x2dmount.mount",
    "*",
    "a|b;c&d",
    "n".repeat(255),
  ];

  test("contents arrive as they are, and twice is once", async () => {
    await sh("mkdir -p /srv/contents");
    const entries = Object.entries(CONTENTS).map(([, bytes], index) => ({ path: `/srv/contents/${index}`, bytes }));
    const effects = entries.map(({ path, bytes }) => write(path, bytes));
    for (let time = 0; time < 2; time++) {
      expect(outcomes(await client.act(...effects))).toEqual(effects.map(() => "done"));
      const { paths } = await client.observe({
        paths: entries.map(({ path }) => ({ path, hash: true, entries: false })),
      });
      for (const { path, bytes } of entries) {
        const expected = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
        expect(paths.get(path)?.found, path).toMatchObject({
          sha256: digest(expected),
          size: expected.length,
          mode: "0644",
        });
      }
    }
    expect(await leftovers("/srv")).toBe("");
  });

  test("names are only names", async () => {
    await sh("mkdir -p /srv/names");
    const paths = NAMES.map((name) => `/srv/names/${name}`);
    expect(outcomes(await client.act(...paths.map((path) => write(path, path))))).toEqual(paths.map(() => "done"));
    const questions = paths.map((path) => ({ path, hash: true, entries: true }));
    const facts = await client.observe({ paths: [...questions, { path: "/srv/names", hash: false, entries: true }] });
    for (const path of paths) {
      expect(facts.paths.get(path)?.found, path).toMatchObject({ sha256: digest(new TextEncoder().encode(path)) });
    }
    expect(facts.paths.get("/srv/names")?.found).toMatchObject({ type: "directory", empty: false });
    expect((await sh("ls -A /srv/names | wc -l")).trim()).toBe(String(NAMES.length));
    expect(outcomes(await client.act(...paths.map((path) => ({ do: "remove-file", path }) as const)))).toEqual(
      paths.map(() => "done"),
    );
    expect(await sh("ls -A /srv/names; ls /pwned /root/pwned 2>/dev/null")).toBe("");
  });
});

describe("owner and mode", () => {
  test("come with the content, special bits and numbers too", async () => {
    await sh("mkdir -p /srv/owners");
    await client.act(
      write("/srv/owners/a", "a", { mode: "4750", owner: "ops", group: "deploy" }),
      write("/srv/owners/b", "b", { mode: "0000", owner: "4711", group: "4712" }),
    );
    const questions = ["/srv/owners/a", "/srv/owners/b"].map((path) => ({ path, hash: true, entries: false }));
    const { paths } = await client.observe({ paths: questions });
    expect(paths.get("/srv/owners/a")?.found).toMatchObject({ mode: "4750", owner: "ops", group: "deploy" });
    expect(paths.get("/srv/owners/b")?.found).toMatchObject({ mode: "0000", owner: "4711", uid: 4711, gid: 4712 });
  });

  test("are set by themselves, owner before mode, and twice is once", async () => {
    await sh("mkdir -p /srv/owners; touch /srv/owners/c; chmod 600 /srv/owners/c");
    for (let time = 0; time < 2; time++) {
      const chown = { do: "set-owner", path: "/srv/owners/c", owner: "ops", group: "ops", mode: "6755" } as const;
      expect(outcomes(await client.act(chown))).toEqual(["done"]);
      expect(await sh("stat -c '%a %U %G' /srv/owners/c")).toBe("6755 ops ops\n");
    }
    for (let time = 0; time < 2; time++) {
      const chmod = { do: "set-mode", path: "/srv/owners/c", mode: "0640" } as const;
      expect(outcomes(await client.act(chmod))).toEqual(["done"]);
      expect(await sh("stat -c '%a %U' /srv/owners/c")).toBe("640 ops\n");
    }
  });

  test("an owner or group that is not there is named, and the old file stays", async () => {
    await sh("mkdir -p /srv/owners; echo old >/srv/owners/d");
    const results = await client.act(
      write("/srv/owners/d", "new", { owner: "nobody-here" }),
      write("/srv/owners/d", "new", { group: "nobody-here" }),
      { do: "set-owner", path: "/srv/owners/d", owner: "root", group: "nobody-here", mode: "0644" },
    );
    expect(outcomes(results)).toEqual(["no-such-owner", "no-such-owner", "no-such-owner"]);
    expect(results[0]?.detail).toBe("there is no user nobody-here");
    expect(await sh("cat /srv/owners/d")).toBe("old\n");
    expect(await leftovers("/srv")).toBe("");
  });
});

describe("what stands in the way", () => {
  test("is named, not written through, not replaced", async () => {
    await sh(`mkdir -p /srv/way/dir; cd /srv/way; echo precious >target; ln -s target link; ln -s nowhere dangling
      ln -s /dev/null masked; mkfifo pipe; mknod device c 1 3`);
    const names = ["link", "dangling", "masked", "dir", "pipe", "device"];
    const results = await client.act(
      ...names.map((name) => write(`/srv/way/${name}`)),
      write("/srv/way/target/x"),
      write("/srv/no/x"),
    );
    expect(outcomes(results)).toEqual([
      ...["link-in-the-way", "link-in-the-way", "link-in-the-way", "directory-in-the-way"],
      ...["special-in-the-way", "special-in-the-way", "parent-missing", "parent-missing"],
    ]);
    expect(
      await sh("cd /srv/way; cat target; readlink link dangling masked; stat -c %F dir pipe device; ls -A dir"),
    ).toBe("precious\ntarget\nnowhere\n/dev/null\ndirectory\nfifo\ncharacter special file\n");
    expect(await leftovers("/srv")).toBe("");
  });

  test("when files are removed: a link goes itself, a directory and a device stay", async () => {
    await sh(
      "mkdir -p /srv/gone/dir; cd /srv/gone; echo precious >target; ln -s target link; ln -s nowhere dangling; mkfifo pipe",
    );
    const remove = (name: string): NodeEffect => ({ do: "remove-file", path: `/srv/gone/${name}` });
    for (let time = 0; time < 2; time++) {
      const results = await client.act(...["link", "dangling", "never", "dir", "pipe"].map(remove));
      expect(outcomes(results)).toEqual(["done", "done", "done", "directory-in-the-way", "special-in-the-way"]);
    }
    expect(await sh("ls -A /srv/gone; cat /srv/gone/target")).toBe("dir\npipe\ntarget\nprecious\n");
  });

  test("is what lstat says, and nothing but a file is opened", async () => {
    await sh(
      "mkdir -p /srv/look/empty /srv/look/full/x; cd /srv/look; mkfifo pipe; ln -s /etc/passwd link; ln -s 'a\nb\\ü' odd",
    );
    const names = ["pipe", "link", "odd", "empty", "full", "none"];
    const ask = { paths: names.map((name) => ({ path: `/srv/look/${name}`, hash: true, entries: true })) };
    for (const shell of ["/bin/dash", "/bin/bash", "busybox sh"]) {
      const { paths } = await client.observe(ask, shell);
      const found = Object.fromEntries(names.map((name) => [name, paths.get(`/srv/look/${name}`)?.found ?? null]));
      expect(found, shell).toMatchObject({
        pipe: { type: "other", sha256: null, target: null },
        link: { type: "link", mode: "0777", sha256: null, target: "/etc/passwd" },
        odd: { type: "link", target: "a\nb\\ü" },
        empty: { type: "directory", sha256: null, empty: true },
        full: { type: "directory", empty: false },
        none: null,
      });
    }
  });
});

describe("what the disk refuses", () => {
  test("read-only, full and immutable are named by facts; the old file stays, and nothing is left", async () => {
    await sh(`mkdir -p /mnt/ro /mnt/full /srv/fixed/folder
      mount -t tmpfs tmpfs /mnt/ro && echo old >/mnt/ro/f && mount -o remount,ro /mnt/ro
      mount -t tmpfs -o size=64k tmpfs /mnt/full && echo old >/mnt/full/f
      echo old >/srv/fixed/f; echo old >/srv/fixed/folder/f; chattr +i /srv/fixed/f /srv/fixed/folder`);
    const big = new Uint8Array(200_000).fill(65);
    const results = await client.act(
      write("/mnt/ro/f"),
      { do: "set-mode", path: "/mnt/ro/f", mode: "0600" },
      { do: "remove-file", path: "/mnt/ro/f" },
      write("/mnt/full/f", big),
      write("/srv/fixed/f"),
      { do: "set-owner", path: "/srv/fixed/f", owner: "ops", group: "ops", mode: "0600" },
      { do: "remove-file", path: "/srv/fixed/f" },
      write("/srv/fixed/folder/f"),
      write("/srv/fixed/folder/g"),
    );
    expect(outcomes(results)).toEqual([
      ...["read-only", "read-only", "read-only", "disk-full"],
      ...["immutable", "immutable", "immutable", "immutable", "immutable"],
    ]);
    expect(await sh("cat /mnt/ro/f /mnt/full/f /srv/fixed/f /srv/fixed/folder/f")).toBe("old\nold\nold\nold\n");
    expect(await leftovers("/mnt /srv")).toBe("");
    await sh("chattr -i /srv/fixed/f /srv/fixed/folder; umount /mnt/ro /mnt/full");
  });

  test("a file system without inodes left is full too", async () => {
    await sh(
      "mkdir -p /mnt/inodes; mount -t tmpfs -o nr_inodes=3 tmpfs /mnt/inodes; touch /mnt/inodes/a /mnt/inodes/b",
    );
    expect(outcomes(await client.act(write("/mnt/inodes/c", "")))).toEqual(["disk-full"]);
    await sh("umount /mnt/inodes");
  });

  test("content that does not arrive whole never takes the file's place", async () => {
    await sh("mkdir -p /srv/torn; echo old >/srv/torn/f");
    const { content, ...rest } = write("/srv/torn/f", "whole") as Extract<NodeEffect, { do: "write-file" }>;
    const torn = { ...rest, content: { ...content, bytes: () => new TextEncoder().encode("half") } };
    expect(outcomes(await client.act(torn))).toEqual(["content-mismatch"]);
    expect(await sh("cat /srv/torn/f; ls -A /srv/torn")).toBe("old\nf\n");
  });

  test("what a killed run left is removed by the next write to the path", async () => {
    await sh("mkdir -p /srv/killed");
    const effect = write("/srv/killed/f");
    await client.act(effect);
    // The last thing before the rename: the run is killed there, as by a power cut.
    const lethal = 'case $* in */.rollcall.*) kill -KILL $PPID ;; *) exec /bin/sync.away "$@" ;; esac';
    await sh(`mv /bin/sync /bin/sync.away; printf '#!/bin/sh\\n%s\\n' '${lethal}' >/bin/sync; chmod 755 /bin/sync`);
    expect(await client.act(write("/srv/killed/f", "newer\n"))).toMatchObject([{ state: "failed" }]);
    await sh("mv /bin/sync.away /bin/sync");
    expect(await leftovers("/srv/killed")).toMatch(/^\/srv\/killed\/\.rollcall\.[0-9a-f]{16}\.new\n$/);
    expect(await sh("cat /srv/killed/f")).toBe("new\n");
    expect(outcomes(await client.act(write("/srv/killed/f", "newer\n")))).toEqual(["done"]);
    expect(await sh("cat /srv/killed/f; ls -A /srv/killed")).toBe("newer\nf\n");
  });
});

describe("directories", () => {
  test("are made, adorned and removed, and twice is once", async () => {
    const make = { do: "make-directory", path: "/srv/made", mode: "2775", owner: "ops", group: "deploy" } as const;
    for (let time = 0; time < 2; time++) {
      expect(outcomes(await client.act(make))).toEqual(["done"]);
      expect(await sh("stat -c '%a %U %G' /srv/made")).toBe("2775 ops deploy\n");
    }
    await sh("touch /srv/made/x; ln -s made /srv/made-link; touch /srv/made-file");
    const remove = (path: string): NodeEffect => ({ do: "remove-directory", path });
    const refused = await client.act(remove("/srv/made"), remove("/srv/made-link"), remove("/srv/made-file"));
    expect(outcomes(refused)).toEqual(["not-removable", "link-in-the-way", "special-in-the-way"]);
    expect(outcomes(await client.act({ ...make, path: "/srv/made-link" }, { ...make, path: "/srv/no/made" }))).toEqual([
      "link-in-the-way",
      "parent-missing",
    ]);
    await sh("rm /srv/made/x");
    for (let time = 0; time < 2; time++) expect(outcomes(await client.act(remove("/srv/made")))).toEqual(["done"]);
    expect(await sh("ls -d /srv/made 2>&1; true")).toContain("No such file");
  });
});
