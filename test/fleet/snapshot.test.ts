import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { compareSnapshots, snapshot } from "./snapshot.ts";

let fleet: Fleet;
let node: FleetNode;

beforeAll(async () => {
  fleet = await startFleet({ id: "snapshot", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
});
afterAll(() => fleet?.stop());

async function changesOf(command: string): Promise<string[]> {
  const before = await snapshot(node);
  const { code, stderr } = await node.exec(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return compareSnapshots(before, await snapshot(node));
}

test("logging in and looking around leaves no trace, for any account", async () => {
  const before = await snapshot(node);
  for (const user of ["root", "ops", "deploy", "fishy", "noisy"]) {
    const look = "sudo -n sh -c 'cat /etc/shadow; ls -lR /etc; systemctl status; dpkg-query -W; apt-cache policy bash'";
    expect((await node.ssh(look, { user })).code).toBe(0);
  }
  expect((await node.ssh("sudo -n true", { user: "asks" })).code).toBe(1);
  await node.exec("apt-get -s install demo-tool; systemctl is-active ssh; sha256sum /etc/passwd; tmux -V");
  expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
});

test("opening for writing what the image has is no change, though overlayfs copies it up", async () => {
  expect(await changesOf("exec 3>>/etc/debian_version; flock 3; exec 4>>/usr/share/doc/bash/copyright")).toEqual([]);
  expect(await changesOf("exec 3>>/etc/issue; exec 4>>/usr/share/doc/dash/copyright")).toEqual([]);
});

test("sees one byte, even with the old size and time", async () => {
  const [line, ...rest] = await changesOf(
    "touch -r /etc/issue.net /run/t; printf X | dd of=/etc/issue.net conv=notrunc status=none; touch -r /run/t /etc/issue.net",
  );
  expect(line).toMatch(/^changed \/etc\/issue\.net: sha256 \w{12} → \w{12}$/);
  expect(rest).toEqual([]);
});

test("sees a mode, an owner, a link, a new and a removed path, and a touch that was taken back", async () => {
  expect(await changesOf("chmod 600 /etc/motd; chown ops: /etc/motd")).toEqual([
    expect.stringMatching(/^changed \/etc\/motd: mode 0644 → 0600, uid 0 → 1000, gid 0 → 1000$/),
  ]);
  expect(await changesOf("chmod 644 /etc/motd; chmod 600 /etc/motd")).toEqual([
    expect.stringMatching(/^changed \/etc\/motd: ctime /),
  ]);
  const etc = expect.stringMatching(/^changed \/etc: mtime /);
  expect(await changesOf("ln -sfn /dev/null /etc/mtab")).toEqual([
    etc,
    expect.stringMatching(/^changed \/etc\/mtab: .*target \S+ → \/dev\/null, /),
  ]);
  expect(await changesOf("rm /etc/debian_version")).toEqual([etc, "removed /etc/debian_version"]);
  expect(await changesOf("echo 12.0 >/etc/debian_version")).toEqual([etc, "added /etc/debian_version: file 0644 0:0"]);
  expect(await changesOf("mkfifo -m 640 '/tmp/a\nb'")).toEqual([
    expect.stringMatching(/^changed \/tmp: mtime /),
    "added /tmp/a\nb: fifo 0640 0:0",
  ]);
});

test("does not look at what lives in memory or in logs", async () => {
  expect(await changesOf("touch /run/x /dev/shm/x /var/log/x; logger hello")).toEqual([]);
});

test("is quick after a package was installed", async () => {
  await node.exec("apt-get -yq install demo-tool demo-conf");
  const begin = performance.now();
  expect((await snapshot(node)).has("/etc/demo-conf.conf")).toBe(true);
  expect(performance.now() - begin).toBeLessThan(1000);
});
