import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/ports.ts";
import { givenSecrets } from "../engine/given-secrets.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { applyFleet, checkFleet, fleetWorks, itemLines } from "./loop-run.ts";
import { compareSnapshots, snapshot } from "./snapshot.ts";
import { openTransport } from "./ssh-trial.ts";

/** What leaves desired state, what is taken in as it stands, and what must wait for what it requires, on real nodes. */
const UNIT =
  "[Unit]\\nDescription=app\\n[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n";
const UNIT_FILE = "/etc/systemd/system/app.service";
const role = (name: string, top: string, resources: string): string =>
  `role: ${name}\nversion: 1\ndescription: Test.\n${top}resources:\n${resources}`;
const HOST = role("host", "", '  - { type: file, path: /etc/fleet.conf, content: "base\\n" }\n');
const APP = `  - { type: package, name: demo-tool }
  - { type: directory, path: /etc/app }
  - { type: directory, path: /etc/app/conf.d }
  - { type: file, path: "/etc/app/conf.d/it's 1.conf", content: "one\\n" }
  - { type: env, path: /etc/app/env, vars: { LOG: info } }
  - { type: file, path: ${UNIT_FILE}, content: "${UNIT}" }
  - { type: command, run: touch /var/lib/app-index, creates: /var/lib/app-index }
  - { type: systemd_unit, name: app.service, state: started, enabled: true, unit_file: ${UNIT_FILE} }
`;

let fleet: Fleet;
let transport: Transport;
let nodes: readonly FleetNode[];

beforeAll(async () => {
  fleet = await startFleet({ id: "released", nodes: 3 });
  nodes = fleet.nodes;
  transport = await openTransport(fleet);
});
afterAll(async () => {
  await transport?.close();
  await fleet?.stop();
});

const at = (index: number): FleetNode => {
  const node = nodes[index];
  if (node === undefined) throw new Error(`no node ${index}`);
  return node;
};
const works = (node: FleetNode, roles: Readonly<Record<string, string>>, listed?: readonly string[]) =>
  fleetWorks([node], roles, givenSecrets(), listed);

describe("a node set up by hand exactly as declared", () => {
  test("is taken in without a change to it, and without a record", async () => {
    const node = at(0);
    const byHand = [
      "printf 'base\\n' >/etc/fleet.conf",
      "DEBIAN_FRONTEND=noninteractive apt-get -qq -y install demo-tool",
      "mkdir -p /etc/app/conf.d",
      'printf "one\\n" >"/etc/app/conf.d/it\'s 1.conf"',
      "printf 'LOG=info\\n' >/etc/app/env",
      "chmod 0640 /etc/app/env",
      `printf '${UNIT}' >${UNIT_FILE}`,
      "touch /var/lib/app-index",
      "systemctl daemon-reload",
      "systemctl -q enable --now app.service",
    ];
    expect((await node.exec(byHand.join(" && "))).code).toBe(0);
    const before = await snapshot(node);
    const declared = works(node, { host: HOST, app: role("app", "on_release: remove\n", APP) });
    const applied = await applyFleet(declared, transport);
    expect(applied.outcomes).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
    expect(applied.reports.map(({ items }) => items)).toEqual([[], []]);
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
  });

  test("is kept in all that rollcall has never acted on, whatever its role says", async () => {
    const node = at(0);
    const before = await snapshot(node);
    const left = works(node, { host: HOST, app: role("app", "on_release: remove\n", APP) }, []);
    expect(await applyFleet(left, transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
  });
});

describe("a role that leaves its node", () => {
  const kept = { host: HOST, app: role("app", "", APP) };
  const removed = { host: HOST, app: role("app", "on_release: remove\n", APP) };

  test("is recorded while it is there, for root alone", async () => {
    expect(await applyFleet(works(at(1), kept), transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    const said = await at(1).exec("stat -c '%a %U' /var/lib/rollcall/owned; wc -l </var/lib/rollcall/owned");
    expect(said.stdout).toBe("600 root\n9\n");
  });

  test("is shown by check and kept by apply, which hands it over", async () => {
    const node = at(1);
    const left = works(node, kept, []);
    const before = await snapshot(node);
    const checked = await checkFleet(left, transport);
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
    expect(checked.outcomes).toMatchObject([{ outcome: "converged" }]);
    expect(itemLines(checked.reports[0]?.items ?? [])).toHaveLength(8);
    expect(checked.reports[0]?.items.every(({ severity }) => severity === "warn")).toBe(true);
    const applied = await applyFleet(left, transport);
    expect(applied.outcomes).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
    const written = compareSnapshots(before, await snapshot(node));
    expect(written.filter((line) => !line.includes(" /var/lib/rollcall"))).toEqual([]);
    expect(await checkFleet(left, transport)).toMatchObject({ reports: [{ items: [] }] });
  });

  test("is removed with on_release: remove, and nothing is left of it", async () => {
    const node = at(1);
    // Something to do, so that the role is rollcall's again.
    await node.exec("echo tampered >/etc/app/env; echo theirs >/etc/app/conf.d/theirs");
    expect(await applyFleet(works(node, removed), transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    const left = works(node, removed, []);
    const first = await applyFleet(left, transport);
    expect(first.outcomes).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
    expect(itemLines(first.reports[1]?.items ?? [])).toEqual([
      "app noop directory:/etc/app/conf.d",
      "app noop directory:/etc/app",
    ]);
    const look =
      "ls -d /etc/app/conf.d/* /etc/app/env /etc/systemd/system/app.service /var/lib/app-index 2>/dev/null; " +
      "systemctl is-active app; dpkg -s demo-tool | grep '^Status'; ls /etc/systemd/system/multi-user.target.wants";
    const said = (await node.exec(look)).stdout.split("\n");
    expect(said.slice(0, 3)).toEqual(["/etc/app/conf.d/theirs", "/var/lib/app-index", "inactive"]);
    expect(said).not.toContain("Status: install ok installed");
    expect(said).not.toContain("app.service");
    await node.exec("rm /etc/app/conf.d/theirs");
    const second = await applyFleet(left, transport);
    expect(second.outcomes).toEqual([{ node: node.name, outcome: "converged", message: "" }]);
    expect(second.reports[1]?.items).toEqual([]);
    expect((await node.exec("ls -d /etc/app 2>&1; cat /var/lib/rollcall/owned | wc -l")).stdout).toMatch(
      /No such file.*\n1\n$/,
    );
    const before = await snapshot(node);
    expect(await applyFleet(left, transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
  });

  test("is removed by the next apply when the one before was killed in the middle", async () => {
    const node = at(1);
    const slow = removed.app.replace("ExecStart=/bin/sleep infinity", "$&\\nExecStop=/bin/sleep 2");
    const roles = { host: HOST, app: slow };
    expect(await applyFleet(works(node, roles), transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    const left = works(node, roles, []);
    const cut = applyFleet(left, transport);
    // Whoever holds the lock is the run; its steps do not.
    const kill =
      "until systemctl is-active app | grep -q deactivating; do :; done; " +
      "for p in /proc/[0-9]*; do ls -l $p/fd 2>/dev/null | grep -q rollcall/lock && kill -9 $(basename $p); done; :";
    expect((await node.exec(kill)).code).toBe(0);
    expect(await cut).toMatchObject({ outcomes: [{ outcome: "unknown" }] });
    expect((await node.exec("grep -c . /var/lib/rollcall/owned; ls /etc/app/env")).stdout).toBe("9\n/etc/app/env\n");
    expect(await applyFleet(left, transport)).toMatchObject({ outcomes: [{ outcome: "converged" }] });
    expect((await node.exec("ls -d /etc/app 2>/dev/null; grep -c . /var/lib/rollcall/owned")).stdout).toBe("1\n");
    expect(await checkFleet(left, transport)).toMatchObject({ reports: [{ items: [] }] });
  });

  test("is not removed on the word of a record that somebody else wrote", async () => {
    const node = at(1);
    const lines = [
      { role: "app", type: "file", id: "x", removal: { path: "/var/lib/rollcall/fence", state: "absent" } },
      { role: "app", type: "command", id: "x", removal: { run: "touch /root/evil" } },
      { role: "app", type: "file", id: "x", removal: { path: "/root/evil", content: "x" } },
      "junk",
    ].map((line) => `own ${JSON.stringify(line)}`);
    await node.exec(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} >>/var/lib/rollcall/owned`);
    const before = await snapshot(node);
    const { outcomes } = await applyFleet(works(node, removed, []), transport);
    expect(outcomes).toEqual([
      { node: node.name, outcome: "converged", message: expect.stringContaining("4 entries are not rollcall's") },
    ]);
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
  });
});

describe("a role whose requirement failed", () => {
  const prober = (mode: string) =>
    role("prober", mode, "  - { type: package, name: demo-broken }\n  - { type: file, path: /etc/late, content: x }\n");
  const edge = role("edge", "requires: [prober]\n", "  - { type: file, path: /etc/edge, content: x }\n");
  const other = role("other", "", "  - { type: file, path: /etc/other, content: x }\n");

  test("is blocked, with the reason, and what does not require it goes on", async () => {
    const node = at(2);
    const { outcomes } = await applyFleet(works(node, { edge, prober: prober(""), other }), transport);
    expect(outcomes).toEqual([
      {
        node: node.name,
        outcome: "failed",
        message: expect.stringMatching(
          /^package:demo-broken: package-failed.*; 1 later step of the role left out; blocked: role edge, because prober failed$/,
        ),
      },
    ]);
    expect((await node.exec("ls /etc/late /etc/edge /etc/other 2>/dev/null")).stdout).toBe("/etc/other\n");
    expect((await node.exec("grep -c . /var/lib/rollcall/owned")).stdout).toBe("1\n");
  });

  test("is blocked as long as what it requires differs and is only observed", async () => {
    const node = at(2);
    const before = await snapshot(node);
    const { outcomes } = await applyFleet(works(node, { edge, prober: prober("mode: observe\n"), other }), transport);
    expect(outcomes).toEqual([
      {
        node: node.name,
        outcome: "not-converged",
        message: "blocked: role edge, because prober differs and is only observed",
      },
    ]);
    expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
  });
});
