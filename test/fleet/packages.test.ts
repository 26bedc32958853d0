import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";

let fleet: Fleet;
let node: FleetNode;

beforeAll(async () => {
  fleet = await startFleet({ id: "packages", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
});
afterAll(() => fleet?.stop());

const APT = "DEBIAN_FRONTEND=noninteractive apt-get -yq";
const install = (packages: string, timeoutMs = 60_000) => node.exec(`${APT} install ${packages}`, { timeoutMs });
const status = async (name: string): Promise<string> =>
  (await node.exec(`dpkg-query -W -f '\${Version} \${Status}\n' ${name}`)).stdout;

test("the local repository is the only source, and needs no update", async () => {
  expect((await node.exec("apt-get indextargets --format '$(REPO_URI)' | sort -u")).stdout).toBe("file:/srv/apt/\n");
  expect((await node.exec("apt-cache madison demo-tool | tr -d ' '")).stdout.split("\n").slice(0, 3)).toEqual(
    ["2:0.9~rc1", "1.10", "1.2"].map((version) => `demo-tool|${version}|file:/srv/apt./Packages`),
  );
});

test("gyrum-prober: brings its group, not its configuration, and does not start by itself", async () => {
  expect((await install("gyrum-prober")).code).toBe(0);
  expect((await node.exec("getent group gyrum | cut -d: -f1; systemctl is-active gyrum-prober")).stdout).toBe(
    "gyrum\ninactive\n",
  );
  expect((await node.exec("test -e /etc/gyrum")).code).toBe(1);
  expect((await node.exec("systemctl enable -q --now gyrum-prober && systemctl is-active gyrum-prober")).stdout).toBe(
    "active\n",
  );
  expect((await node.exec(`systemctl stop gyrum-prober; ${APT} purge gyrum-prober`)).code).toBe(0);
});

test("demo-tool: versions sort with epoch and tilde, and can be pinned", async () => {
  expect((await install("demo-tool=1.2")).code).toBe(0);
  expect((await node.exec("demo-tool")).stdout).toBe("demo-tool 1.2\n");
  expect((await install("demo-depends")).code).toBe(0); // needs 1.10 or newer
  expect(await status("demo-tool")).toBe("2:0.9~rc1 install ok installed\n");
  expect((await install("--allow-downgrades demo-tool=1.10")).code).toBe(0);
  expect((await node.exec("demo-tool")).stdout).toBe("demo-tool 1.10\n");
});

test("demo-conf: an edited conffile stops the upgrade unless apt is told what to do", async () => {
  expect((await install("demo-conf=1.0")).code).toBe(0);
  await node.exec("echo edited >>/etc/demo-conf.conf");
  expect((await install("demo-conf")).stdout).toContain("end of file on stdin at conffile prompt");
  expect((await node.exec(`${APT} -o Dpkg::Options::=--force-confold -f install`)).code).toBe(0);
  expect((await node.exec("tail -n 1 /etc/demo-conf.conf; ls /etc/demo-conf*")).stdout).toBe(
    "edited\n/etc/demo-conf.conf\n/etc/demo-conf.conf.dpkg-dist\n",
  );
  expect((await node.exec(`${APT} remove demo-conf`)).code).toBe(0);
  expect(await status("demo-conf")).toBe("2.0 deinstall ok config-files\n");
});

test("demo-broken: half-configured", async () => {
  expect((await install("demo-broken")).code).toBe(100);
  expect(await status("demo-broken")).toBe("1.0 install ok half-configured\n");
  expect((await node.exec("dpkg --purge demo-broken")).code).toBe(0);
});

test("demo-slow: waits, and can be killed in the middle", async () => {
  const installing = install("demo-slow");
  const waiting = "until pgrep -f '[d]emo-slow.postinst configure'; do sleep 0.02; done";
  await node.exec(`${waiting}; pkill -KILL -x apt-get; pkill -KILL -x dpkg; pkill -KILL -f '[d]emo-slow.postinst'`);
  expect((await installing).code).toBe(137);
  expect(await status("demo-slow")).toBe("1.0 install ok half-configured\n");
  expect((await node.exec("touch /run/demo-slow-go; dpkg --configure -a")).code).toBe(0);
  expect(await status("demo-slow")).toBe("1.0 install ok installed\n");
});

test("demo-asks: takes an answer, and the default at the end of input", async () => {
  expect((await install("demo-asks")).code).toBe(0);
  expect((await node.exec("cat /var/lib/demo-asks/colour")).stdout).toBe("default\n");
  expect((await node.exec(`${APT} install --reinstall demo-asks`, { stdin: "green\n" })).code).toBe(0);
  expect((await node.exec("cat /var/lib/demo-asks/colour")).stdout).toBe("green\n");
  expect((await node.exec(`${APT} install --reinstall demo-asks <&-`)).code).toBe(0);
});

test("demo-noninteractive: fails unless told", async () => {
  const unset = await node.exec("apt-get -yq install demo-noninteractive");
  expect(unset).toMatchObject({ code: 100, stdout: expect.stringContaining("cannot open a dialogue") });
  expect((await node.exec("DEBIAN_FRONTEND=noninteractive dpkg --configure -a")).code).toBe(0);
});

test("demo-mta: a virtual name", async () => {
  expect((await install("demo-mta")).code).toBe(0);
  expect(await node.exec("dpkg-query -W demo-mta")).toMatchObject({ code: 0, stdout: "demo-mta\t\n" });
  expect(await status("demo-mta")).toBe(" unknown ok not-installed\n");
  expect(await status("demo-mta-a")).toBe("1.0 install ok installed\n");
});

test("demo-arch: two architectures of one name", async () => {
  expect((await node.exec("dpkg --add-architecture i386")).code).toBe(0);
  expect((await install("demo-arch demo-arch:i386")).code).toBe(0);
  const native = (await node.exec("dpkg --print-architecture")).stdout;
  const both = `dpkg-query -W -f '\${Architecture}\n' demo-arch | sort`;
  expect((await node.exec(both)).stdout).toBe([native, "i386\n"].sort().join(""));
  expect((await node.exec("ls /usr/lib/demo-arch | wc -l")).stdout).toBe("2\n");
});

test("demo-web: wants its environment file, and serves what it says", async () => {
  expect((await install("demo-web")).code).toBe(0);
  expect((await node.exec("systemctl start demo-web")).code).not.toBe(0);
  await node.exec("mkdir /etc/demo-web; printf 'PORT=8081\nGREETING=moin\n' >/etc/demo-web/env");
  expect((await node.exec("systemctl start demo-web")).code).toBe(0);
  expect((await node.exec("curl -sS --retry 20 --retry-connrefused --retry-delay 1 localhost:8081")).stdout).toBe(
    "moin\n",
  );
});

test("demo-socket: indirect, with exit 0", async () => {
  expect((await install("demo-socket")).code).toBe(0);
  expect(await node.exec("systemctl is-enabled demo-socket.service")).toMatchObject({ code: 0, stdout: "indirect\n" });
  expect(
    (await node.exec("systemctl enable -q --now demo-socket.socket; systemctl is-active demo-socket")).stdout,
  ).toBe("inactive\n");
});
