import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FleetRepository, type Ran } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { BASE_ROLE } from "./loop-run.ts";

/**
 * Any bytes under any name, from the repository to the disk, all in one role; then everything that a disk refuses, a role each:
 * the first that fails keeps back those after it until it is mended.
 */
let fleet: Fleet;
let node: FleetNode;
let repository: FleetRepository;

const utf8 = new TextEncoder();
const SHIPPED: Readonly<Record<string, Uint8Array>> = {
  "empty.txt": new Uint8Array(),
  "no-final-newline": utf8.encode("a\nb"),
  newlines: utf8.encode("\n\n\n"),
  "crlf.sh": utf8.encode("#!/bin/sh\r\necho\r\n"),
  "nul.bin": new Uint8Array([0, 1, 2, 0, 255, 254, 10, 0]),
  bytes: Uint8Array.from({ length: 256 }, (_all, byte) => byte),
  "five megabytes": new Uint8Array(randomBytes(5_000_000)),
};
const NAMES = [
  "with space",
  'it\'s "quoted"',
  "-rf",
  "--help",
  "back\\slash\\n",
  "my\\x2dmount.mount",
  "$(touch pwned)",
  "`id`;*?[a]",
  "ü-日本-\u{1f600}",
  "a|b&c",
  "~",
  "#hash",
  "n".repeat(255),
];
const OBSTACLES = {
  link: "link-in-the-way",
  dangling: "link-in-the-way",
  folder: "directory-in-the-way",
  pipe: "special-in-the-way",
};

const resources = (written: readonly object[]): string =>
  `resources:\n${written.map((one) => `  - ${JSON.stringify(one)}\n`).join("")}`;
const role = (name: string, written: readonly object[]): string =>
  `role: ${name}\nversion: 1\ndescription: Exotic.\n${resources(written)}`;
const file = (path: string, more: object = {}) => ({ type: "file", path, content: "new\n", ...more });

beforeAll(async () => {
  fleet = await startFleet({ id: "exotic-files", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  repository = new FleetRepository(fleet);
  repository.writeFleet({
    host: BASE_ROLE,
    exotic: role("exotic", [
      { type: "directory", path: "/srv/exotic" },
      ...Object.keys(SHIPPED).map((source) => ({ type: "file", path: `/srv/exotic/${source}`, source })),
      ...NAMES.flatMap((name) => [
        { type: "directory", path: `/srv/exotic/${name}`, mode: "0700" },
        file(`/srv/exotic/${name}/${name}`, { content: name, owner: "ops", mode: "4711" }),
      ]),
    ]),
    way: role(
      "way",
      Object.keys(OBSTACLES).map((name) => file(`/srv/way/${name}`)),
    ),
    readonly: role("readonly", [file("/srv/readonly/f")]),
    full: role("full", [file("/srv/full/f", { content: "x".repeat(200_000) })]),
    fixed: role("fixed", [file("/srv/fixed/f")]),
  });
  for (const [name, bytes] of Object.entries(SHIPPED)) repository.write({ [`host-roles/exotic/files/${name}`]: bytes });
  repository.commit();
  await node.exec(`mkdir -p /srv/way/folder /srv/readonly /srv/full /srv/fixed; cd /srv/way
    echo precious >target; ln -s target link; ln -s nowhere dangling; mkfifo pipe
    mount -t tmpfs -o size=64k tmpfs /srv/full; mount -t tmpfs tmpfs /srv/readonly
    for folder in readonly full fixed; do echo old >/srv/$folder/f; done
    mount -o remount,ro /srv/readonly; chattr +i /srv/fixed/f`);
});
afterAll(async () => {
  await node?.exec("chattr -i /srv/fixed/f");
  repository?.remove();
  await fleet?.stop();
});

const sh = async (command: string): Promise<string> => (await node.exec(command)).stdout;
const leftovers = (): Promise<string> => sh("find /srv -name '.rollcall*'");

describe("in order", () => {
  const rollcall = async (...words: string[]): Promise<Ran & { readonly answer: Answer }> => {
    const ran = await repository.rollcall(...words, "--json");
    return { ...ran, answer: JSON.parse(ran.stdout) as Answer };
  };

  test("whatever a repository can hold arrives", async () => {
    const { code, answer } = await rollcall("apply");
    expect(code).toBe(1);
    expect(answer.outcomes[0]?.message).toContain("role:way is held back: after role:fixed");
    for (const [name, bytes] of Object.entries(SHIPPED)) {
      const [sum] = (await sh(`sha256sum <'/srv/exotic/${name}'`)).split(" ");
      expect(sum, name).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
    // One folder for each name, and in it a file of that name that holds it.
    const written = await sh(
      `cd /srv/exotic && find . -mindepth 1 -maxdepth 1 -type d -printf '%P\\0' | xargs -0 -n 1 sh -c 'cd /srv/exotic; set -- "./$1"; set -- "$1" "\${1##*/}"; stat -c "%a %U" "$1/$2"; cat "$1/$2"; echo' sh | LC_ALL=C sort -u`,
    );
    expect(written.trim().split("\n")).toEqual(["4711 ops", ...NAMES].sort(byteOrder));
    expect(await sh("ls -d /pwned /root/pwned /srv/exotic/pwned 2>/dev/null")).toBe("");
    expect(await leftovers()).toBe("");
  });

  test.each([
    ["fixed", "immutable", "chattr -i /srv/fixed/f", "new\n"],
    ["full", "disk-full", "mount -o remount,size=4m /srv/full", "xxxx"],
    ["readonly", "read-only", "mount -o remount,rw /srv/readonly", "new\n"],
  ])(
    "%s: %s, the old file intact and nothing left beside it; then it is written",
    async (folder, code, mend, begins) => {
      const { answer } = await rollcall("apply");
      expect(answer.outcomes[0]?.message).toContain(`file:/srv/${folder}/f: ${code}`);
      expect(await sh(`cat /srv/${folder}/f; ls -A /srv/${folder}`)).toBe("old\nf\n");
      await sh(mend);
      await rollcall("apply");
      expect(await sh(`cat /srv/${folder}/f | head -c 4; ls -A /srv/${folder}`)).toBe(`${begins}f\n`);
    },
  );

  test("what is in the way is named and stays; once nothing is, all of it is as declared", async () => {
    const { code, answer } = await rollcall("apply");
    expect(code).toBe(1);
    const after = answer.reports.find(({ stage }) => stage === "after")?.items ?? [];
    const left = after.map(({ resource, action_to_apply: { verb, params } }) => [resource.id, verb, ...params.reasons]);
    expect(left).toEqual(Object.entries(OBSTACLES).map(([name, reason]) => [`file:/srv/way/${name}`, "noop", reason]));
    expect(await sh("cd /srv/way; cat target; readlink link dangling; stat -c %F folder pipe")).toBe(
      "precious\ntarget\nnowhere\ndirectory\nfifo\n",
    );
    await sh("cd /srv/way; rm link dangling pipe; rmdir folder");
    expect((await rollcall("apply")).code).toBe(0);
    expect((await rollcall("check")).code).toBe(0);
    expect(await leftovers()).toBe("");
  });
});

interface Answer {
  readonly outcomes: readonly { readonly outcome: string; readonly message: string }[];
  readonly reports: readonly {
    readonly stage?: string;
    readonly items: readonly {
      readonly resource: { readonly id: string };
      readonly action_to_apply: { readonly verb: string; readonly params: { readonly reasons: readonly string[] } };
    }[];
  }[];
}

/** As sort(1) orders in the C locale. */
function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
