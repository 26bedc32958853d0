import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FleetRepository } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { compareSnapshots, snapshot } from "./snapshot.ts";

/** `check --diff` and partial runs as a person types them, on real nodes. */
const SECRET = "hunter2-marked";
let fleet: Fleet;
let node: FleetNode;
let repository: FleetRepository;

beforeAll(async () => {
  fleet = await startFleet({ id: "check-diff", nodes: 2 });
  [node] = fleet.nodes as [FleetNode];
  repository = new FleetRepository(fleet, { APP_KEY: SECRET });
  repository.write({
    "roster/fleet.yaml": "version: 2\ngeneration: 1\ndefaults: { user: ops, step_timeout: 60s }\n",
    "roster/known_hosts": readFileSync(fleet.knownHostsFile, "utf8"),
    "host-roles/host.yaml": `role: host
version: 1
description: Files of every kind.
resources:
  - { type: directory, path: /etc/demo }
  - { type: file, path: /etc/demo/plain, content: "one\\ntwo \\u00e4\\nthree\\n" }
  - { type: file, path: /etc/demo/name, content: "I am {{ node.name }}\\n", template: true }
  - { type: file, path: /etc/demo/binary, source: binary }
  - { type: file, path: /etc/demo/new, content: "new\\n" }
  - { type: file, path: /etc/demo/key, content: "public\\n", mode: "0600" }
  - { type: file, path: "/etc/demo/it's \\"odd\\"", content: "odd\\n" }
  - { type: file, path: /etc/demo/gone, state: absent }
  - { type: env, path: /etc/demo/env, vars: { APP_KEY: { secret_ref: "env:APP_KEY" } } }
`,
    "host-roles/host/files/binary": "a\0b",
    "host-roles/other.yaml":
      "role: other\nversion: 1\ndescription: Nothing of interest.\nresources: [{ type: file, path: /etc/other, content: x }]\n",
  });
  for (const [index, one] of fleet.nodes.entries()) {
    repository.write({
      [`roster/nodes/n${index + 1}.yaml`]: `name: n${index + 1}\nclass: c${index + 1}\naddress: ${one.address}\nport: ${one.port}\nroles: [other]\nlabels: { region: eu }\n`,
    });
  }
  repository.commit();
  await node.exec(
    `mkdir /etc/demo; cd /etc/demo; printf 'one\\ntwo\\033[2J\\nthree' >plain; echo 'I am n2' >name; printf 'a\\0bcd' >binary
echo private >key; echo even >"it's \\"odd\\""; echo "going ${SECRET}" >gone; echo APP_KEY=${SECRET}-before >env`,
  );
});
afterAll(async () => {
  repository?.remove();
  await fleet?.stop();
});

const DIFFS = [
  "  drift  write    file:/etc/demo/plain       host · content",
  "    │ --- /etc/demo/plain\ton the node",
  "    │ +++ /etc/demo/plain\tdeclared",
  "    │ @@ -1,3 +1,3 @@",
  "    │  one",
  "    │ -two\\x1b[2J",
  "    │ -three",
  "    │ \\ No newline at end of file",
  "    │ +two ä",
  "    │ +three",
];

describe("check --diff", () => {
  test("shows what text becomes, sizes of bytes, and nothing of secrets; the node stays as it is", async () => {
    const before = await snapshot(node);
    const { code, stdout } = await repository.rollcall("check", "n1", "--diff");
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
    expect(code).toBe(1);
    const lines = stdout.split("\n").map((line) => line.replace(/ {2,}/g, "  "));
    const at = lines.findIndex((line) => line.includes("file:/etc/demo/plain"));
    expect(lines.slice(at, at + DIFFS.length)).toEqual(DIFFS.map((line) => line.replace(/ {2,}/g, "  ")));
    for (const line of ["-I am n2", "+I am n1", "binary, 5 bytes → 3 bytes", "+new", "-even", "+odd"]) {
      expect(stdout).toContain(`│ ${line}\n`);
    }
    // A secret that this run knows is masked wherever somebody copied it to.
    expect(stdout).toMatch(/│ -going \S+\n/);
    expect(stdout).toContain("content not shown: only its owner may read it");
    for (const hidden of ["private", "public", SECRET]) expect(stdout).not.toContain(hidden);
    expect(stdout).toMatch(/left out, as asked: 1 node \(n2\)\n$/);
  });

  test("is the same of a dry run, in the document too, and nothing that a run that changes may be asked", async () => {
    const check = await repository.rollcall("check", "n1", "--diff");
    expect(await repository.rollcall("apply", "n1", "--dry-run", "--diff")).toMatchObject({
      code: 1,
      stdout: check.stdout,
    });
    const document = JSON.parse((await repository.rollcall("check", "n1", "--diff", "--json")).stdout);
    expect(document.diffs.map(({ status }: { status: string }) => status).sort()).toEqual(
      ["binary", "text", "text", "text", "text", "text", "text", "withheld"].sort(),
    );
    expect(document.left_out).toEqual({ nodes: ["n2"], roles: [] });
    expect(JSON.stringify(document)).not.toContain(SECRET);
    expect(JSON.parse((await repository.rollcall("check", "n1", "--json")).stdout)).not.toHaveProperty("diffs");
    expect(await repository.rollcall("apply", "n1", "--diff")).toMatchObject({
      code: 64,
      stdout: expect.stringContaining("diff-of-apply"),
    });
  });
});

describe("a partial run", () => {
  test.each([
    [["--node", "n?", "--class", "c1", "--role", "other"], { nodes: ["n2"], roles: ["host"] }, ["n1"]],
    [["--label", "region=eu", "--unit", "role:host"], { nodes: [], roles: ["other"] }, ["n1", "n2"]],
  ])("%j", async (words, leftOut, nodes) => {
    const { code, stdout } = await repository.rollcall("check", "--json", ...words);
    const { left_out, outcomes } = JSON.parse(stdout);
    expect([code, left_out, outcomes.map((one: { node: string }) => one.node)]).toEqual([1, leftOut, nodes]);
  });

  test("that fits nothing is a usage error with a hint", async () => {
    const { code, stdout } = await repository.rollcall("check", "--node", "x*");
    expect([code, stdout]).toEqual([
      64,
      expect.stringContaining("--node x* fits no node\n  * and ? are the wildcards"),
    ]);
  });

  test("apply changes what was asked for, and says what it left out", async () => {
    const { code, stdout } = await repository.rollcall("apply", "--node", "*1", "--role", "other");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /left out, as asked: 1 node \(n2\), 1 role \(host\)\nrole:other@[0-9a-f]{12} +running · 1 of 2 applied\n$/,
      ),
    ]);
    expect((await node.exec("cat /etc/other; cat /etc/demo/name")).stdout).toBe("xI am n2\n");
    expect((await fleet.nodes[1]?.exec("ls /etc/other 2>&1"))?.stdout).toContain("No such file");
  });
});
