import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FleetRepository } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { BASE_ROLE, GYRUM_PROBER } from "./loop-run.ts";

/** Nodes as fleets really have them, through the built command line: the right outcome of each, and of each beside the others. */
let fleet: Fleet;
let repository: FleetRepository;
let poor: FleetNode;
let fishy: FleetNode;
let asks: FleetNode;
let late: FleetNode;

const ODD_ROLE = `role: odd
version: 1
description: A resource of each kind that the worked example leaves out.
requires: [gyrum-prober]
resources:
  - { type: directory, path: /srv/odd, mode: "2750", owner: ops, group: deploy }
  - { type: file, path: "/srv/odd/-rf it's \\\\x", content: "#!/bin/sh\\n\\n", mode: "4750", owner: ops }
  - { type: env, path: /srv/odd/env, vars: { A: "it's $HOME", B: "" } }
  - { type: command, creates: /srv/odd/ran, run: "echo ran >/srv/odd/ran" }
  - { type: file, path: /srv/odd/old, state: absent }
  - { type: package, name: demo-noninteractive }
`;

/**
 * Everything that busybox has a word for is busybox, the shell included, except what belongs to systemd, dpkg and PAM and
 * would not be there on such a node.
 */
const ONLY_BUSYBOX = `for applet in $(busybox --list); do
  path=$(command -v "$applet") || continue
  case $applet in
    init | login | su | mount | umount | getty | ip | ar | tar | dpkg* | run-parts | start-stop-daemon | nsenter | unshare) continue ;;
    which | tempfile | clear | reset | gunzip | zcat | halt | poweroff | reboot | hostname | sysctl | modprobe) continue ;;
  esac
  [ -f "$path" ] && ln -sf /bin/busybox "$path"
done`;

beforeAll(async () => {
  fleet = await startFleet({ id: "odd-nodes", nodes: 4 });
  [poor, fishy, asks, late] = fleet.nodes as [FleetNode, FleetNode, FleetNode, FleetNode];
  repository = new FleetRepository(fleet);
  repository.writeFleet({ host: BASE_ROLE, "gyrum-prober": GYRUM_PROBER, odd: ODD_ROLE }, (node) => ({
    user: node === fishy ? "fishy" : node === asks ? "asks" : "ops",
  }));
  // Without history there are no waves: a node that refuses keeps nobody back.
  await Promise.all([
    poor.exec(ONLY_BUSYBOX),
    fishy.exec("echo 'echo profile speaks; echo and complains >&2; false' >/etc/profile.d/noisy.sh"),
    // Of this machine's kernel there is one clock only, so that every program of the node is told another time.
    late.exec(
      "echo -8h >/etc/faketimerc; dpkg -L libfaketime | grep '/libfaketime.so.1$' >/etc/ld.so.preload; systemctl restart ssh",
    ),
  ]);
});
afterAll(async () => {
  repository?.remove();
  await fleet?.stop();
});

const apply = (...words: string[]) =>
  repository.rollcall("apply", "--allow-unmerged", "--reason", "a test of nodes", ...words);

test("the nodes are as odd as they should be", async () => {
  expect((await poor.exec("for tool in stat sha256sum mv sh; do readlink /usr/bin/$tool; done")).stdout).toBe(
    "/bin/busybox\n".repeat(4),
  );
  expect((await fishy.ssh("ls", { user: "fishy" })).stdout).toContain("fishy: not the real ls");
  expect((await asks.ssh("sudo -n true", { user: "asks" })).code).not.toBe(0);
  const clock = Number((await late.ssh("sudo -n date +%s")).stdout) * 1000;
  expect(Math.abs(Date.now() - 8 * 3_600_000 - clock)).toBeLessThan(60_000);
});

describe("in order", () => {
  test("check reads each, and says which one it could not read, and why", async () => {
    const check = await repository.rollcall("check", "--json");
    expect(check.code).toBe(4);
    const { reports, outcomes } = JSON.parse(check.stdout);
    expect(outcomes).toMatchObject([
      { node: poor.name, outcome: "drift" },
      { node: fishy.name, outcome: "drift" },
      { node: asks.name, outcome: "sudo-refused", message: expect.stringContaining("NOPASSWD") },
      { node: late.name, outcome: "drift" },
    ]);
    expect(reports.map(({ items }: { items: unknown[] }) => items.length)).toEqual([11, 11, 11]);
    for (const report of reports) {
      // The controller's clock, not the node's.
      expect(Math.abs(Date.parse(report.started_at) - Date.now())).toBeLessThan(600_000);
    }
  });

  test("apply converges all that it reaches, and does nothing to the one that refuses", async () => {
    const applied = await apply("--json");
    expect(applied.code).toBe(1);
    const { reports, outcomes } = JSON.parse(applied.stdout);
    expect(outcomes).toMatchObject([
      { node: poor.name, outcome: "converged" },
      { node: fishy.name, outcome: "converged" },
      { node: asks.name, outcome: "sudo-refused" },
      { node: late.name, outcome: "converged" },
    ]);
    expect(reports.filter(({ stage }: { stage: string }) => stage === "after")).toMatchObject(
      Array.from({ length: 3 }, () => ({ items: [] })),
    );
    expect((await asks.exec("ls -d /srv/odd /var/lib/rollcall 2>/dev/null; dpkg -s gyrum-prober")).code).not.toBe(0);
  });

  test.each(["poor", "fishy", "late"])(
    "%s is as declared for others too, and its drift is found and healed",
    async (which) => {
      const node = { poor, fishy, late }[which] as FleetNode;
      const said = await node.exec(
        "systemctl is-active gyrum-prober; stat -c '%a %U %G' /srv/odd /srv/odd/-rf*; . /srv/odd/env; echo \"$A\"; cat /srv/odd/ran",
      );
      expect(said.stdout).toBe("active\n2750 ops deploy\n4750 ops root\nit's $HOME\nran\n");
      expect((await repository.rollcall("check", node.name)).code).toBe(0);
      await node.exec(
        "systemctl stop gyrum-prober; echo x >/etc/gyrum/prober.yaml; chmod 700 /srv/odd; touch /srv/odd/old",
      );
      const check = await repository.rollcall("check", node.name, "--json");
      expect(JSON.parse(check.stdout).reports[0].items).toHaveLength(4);
      expect((await apply(node.name)).code).toBe(0);
      expect((await repository.rollcall("check", node.name)).code).toBe(0);
    },
  );

  test("sudo that wants a terminal refuses as well; once it wants nothing, the node converges", async () => {
    const sudo = "echo 'asks ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/asks";
    await asks.exec(`${sudo}; echo 'Defaults:asks requiretty' >>/etc/sudoers.d/asks`);
    const refused = await repository.rollcall("check", asks.name, "--json");
    expect(refused.code).toBe(4);
    expect(JSON.parse(refused.stdout).outcomes).toEqual([
      { node: asks.name, outcome: "sudo-refused", message: expect.stringContaining("tty") },
    ]);
    await asks.exec(sudo);
    expect((await apply(asks.name)).code).toBe(0);
    expect((await repository.rollcall("check", asks.name)).code).toBe(0);
  });

  test("the clock of a node may jump: what was written in its past is as declared", async () => {
    await late.exec("rm /etc/ld.so.preload");
    expect((await repository.rollcall("check", late.name)).code).toBe(0);
    await late.exec("systemctl stop gyrum-prober");
    expect((await apply(late.name)).code).toBe(0);
  });
});
