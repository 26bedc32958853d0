import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FleetRepository } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { BASE_ROLE, GYRUM_PROBER } from "./loop-run.ts";

/** The loop as a person types it, on real nodes, with a secret whose value must turn up nowhere. */
const SECRET = "Marked-5ecret/with'quotes\"and $signs";
let fleet: Fleet;
let repository: FleetRepository;

beforeAll(async () => {
  fleet = await startFleet({ id: "command-line", nodes: 2 });
  repository = new FleetRepository(fleet, { APP_KEY: SECRET });
  repository.write({
    "roster/fleet.yaml": "version: 2\ngeneration: 1\ndefaults: { user: ops, step_timeout: 60s }\n",
    "roster/known_hosts": readFileSync(fleet.knownHostsFile, "utf8"),
    "host-roles/host.yaml": BASE_ROLE,
    "host-roles/gyrum-prober.yaml": GYRUM_PROBER,
  });
  for (const [index, node] of fleet.nodes.entries()) {
    repository.write({
      [`roster/nodes/n${index + 1}.yaml`]: `name: n${index + 1}\nclass: test\naddress: ${node.address}\nport: ${node.port}\nroles: [gyrum-prober]\n`,
    });
  }
});
afterAll(async () => {
  repository?.remove();
  await fleet?.stop();
});

describe("the loop, in order", () => {
  test("what nobody reviewed is not applied, unless with a reason, and loudly", async () => {
    expect(await repository.rollcall("apply")).toMatchObject({ code: 2, stdout: expect.stringContaining("unmerged") });
    repository.commit();
    repository.write({
      "roster/nodes/n1.yaml": `${readFileSync(`${repository.folder}/roster/nodes/n1.yaml`, "utf8")}vars: { a: "1" }\n`,
    });
    expect(await repository.rollcall("apply")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("dirty-tree"),
    });
    expect(await repository.rollcall("apply", "--allow-unmerged")).toMatchObject({ code: 64 });
    repository.git("checkout", "-q", "-b", "feature");
    repository.commit();
    expect(await repository.rollcall("apply")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("is not on main"),
    });
    repository.git("checkout", "-q", "main");
  });

  test("validate, check, dry run, apply, check", async () => {
    expect(await repository.rollcall("validate")).toMatchObject({ code: 0, stdout: "valid\n" });
    const check = await repository.rollcall("check");
    expect(check).toMatchObject({ code: 1, stdout: expect.stringMatching(/install +package:gyrum-prober/) });
    expect(await repository.rollcall("apply", "--dry-run")).toMatchObject({ code: 1, stdout: check.stdout });
    const apply = await repository.rollcall("apply", "--json");
    expect(apply.code).toBe(0);
    const { reports, outcomes } = JSON.parse(apply.stdout);
    expect(outcomes).toEqual(["n1", "n2"].map((node) => ({ node, outcome: "converged", message: "" })));
    expect(reports.map((report: { host: string; stage: string }) => [report.host, report.stage])).toEqual([
      ["n1", "before"],
      ["n1", "after"],
      ["n2", "before"],
      ["n2", "after"],
    ]);
    for (const { drift_report_id, run_id, host } of reports) expect(drift_report_id).toBe(`${run_id}/${host}`);
    expect(await repository.rollcall("check")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 as declared"),
    });
  });

  test("an unreachable node is 4, and the others are read all the same", async () => {
    await fleet.nodes[1]?.kill();
    const check = await repository.rollcall("check", "--json");
    expect(check.code).toBe(4);
    expect(JSON.parse(check.stdout).outcomes).toMatchObject([
      { outcome: "converged" },
      { node: "n2", outcome: "unreachable" },
    ]);
    expect(JSON.parse(check.stdout).reports).toHaveLength(1);
    expect((await repository.rollcall("apply")).code).toBe(1);
    await fleet.nodes[1]?.start();
  });
});

describe("a secret", () => {
  test("turns up in no output, no log, no process list, no temporary file and not in git", async () => {
    const [node] = fleet.nodes;
    if (node === undefined) throw new Error("no node");
    repository.write({
      "host-roles/app.yaml": `role: app
version: 1
description: |
  An app with a key; command:tell prints it and fails.
resources:
  - { type: directory, path: /etc/app }
  - { type: env, path: /etc/app/env, vars: { LOG: info, APP_KEY: { secret_ref: "env:APP_KEY" } } }
  - { type: command, id: "command:tell", run: "base64 /etc/app/env; cat /etc/app/env >&2; cat /etc/app/env; exit 3", idempotent: false }
`,
      "host-roles/broken.yaml": `role: broken
version: 1
description: A package whose apt-get fails, and whose log is shown.
resources:
  - { type: package, name: demo-broken }
`,
    });
    // A node each: what fails first would keep the other one back.
    const roster = (name: string, more: string): string =>
      readFileSync(`${repository.folder}/roster/nodes/${name}.yaml`, "utf8").replace("[gyrum-prober]", more);
    repository.write({
      "roster/nodes/n1.yaml": roster("n1", "[gyrum-prober, app]"),
      "roster/nodes/n2.yaml": roster("n2", "[gyrum-prober, broken]"),
      "roster/fleet.yaml": "version: 2\ngeneration: 2\ndefaults: { user: ops, step_timeout: 60s }\n",
    });
    repository.commit();
    const watching = node.exec(
      "rm -f /run/stop /run/seen; while [ ! -e /run/stop ]; do cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ >>/run/seen 2>/dev/null; done",
    );
    const outputs = [
      await repository.rollcall("check", "n1"),
      await repository.rollcall("apply", "n1"),
      await repository.rollcall("apply", "n1", "--json"),
      await repository.rollcall("check", "n1", "--json"),
      await repository.rollcall("apply", "n2"),
    ];
    await node.exec("touch /run/stop");
    await watching;
    // The check after the applies finds the file in place, and of the command only its warning.
    expect(outputs.map(({ code }) => code)).toEqual([1, 1, 1, 0, 1]);
    expect((await node.exec('. /etc/app/env; printf %s "$APP_KEY"')).stdout).toBe(SECRET);
    const marks = ["Marked-5ecret", Buffer.from("Marked-5ecret").toString("base64").slice(0, 14)];
    const said = outputs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    // What the failing step said is shown, with the value masked.
    expect(said).toMatch(/command:tell: command-failed: APP_KEY=.*\*\*\*/);
    expect(said).toContain("package:demo-broken: package-failed");
    for (const mark of marks) {
      expect(said).not.toContain(mark);
      expect((await node.exec(`grep -c '${mark}' /run/seen`)).stdout).toBe("0\n");
      expect(repository.git("log", "-p")).not.toContain(mark);
    }
    const places = await node.exec("grep -rlaF Marked-5ecret /etc /var /root /home /tmp /usr /opt /srv 2>/dev/null");
    expect(places.stdout).toBe("/etc/app/env\n");
  });

  test("that the runner does not have defers its file, and the node converges", async () => {
    await fleet.nodes[0]?.exec("rm -rf /etc/app");
    repository.write({
      "roster/fleet.yaml": "version: 2\ngeneration: 3\ndefaults: { user: ops, step_timeout: 60s }\n",
      "host-roles/app.yaml": `role: app
version: 2
description: An app with a key that is not here.
resources:
  - { type: directory, path: /etc/app }
  - { type: env, path: /etc/app/env, vars: { KEY: { secret_ref: "env:NOT_HERE" } } }
`,
    });
    repository.commit();
    const apply = await repository.rollcall("apply", "n1");
    expect(apply).toMatchObject({ code: 0, stdout: expect.stringContaining("secret-absent") });
    expect((await repository.rollcall("check", "n1")).code).toBe(0);
  });
});
