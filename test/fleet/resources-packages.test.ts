import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { outcomes, ResourcesClient } from "./resources-client.ts";

let fleet: Fleet;
let node: FleetNode;
let client: ResourcesClient;

beforeAll(async () => {
  fleet = await startFleet({ id: "resources-packages", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  client = new ResourcesClient(node);
});
afterAll(() => fleet?.stop());

const sh = async (command: string): Promise<string> => (await node.exec(command)).stdout;
const install = (name: string, version: string | null = null, repair = false): NodeEffect => ({
  do: "install-package",
  name,
  version,
  repair,
});
const remove = (name: string): NodeEffect => ({ do: "remove-package", name });
const act = async (...effects: NodeEffect[]): Promise<string[]> => outcomes(await client.act(...effects));

/** `installed 1.0` of each instance, in words; providers in brackets. */
async function know(...names: string[]): Promise<string[]> {
  const { packages } = await client.observe({ packages: names });
  return names.map((name) => {
    const fact = packages.get(name);
    const instances = fact?.instances.map(
      ({ want, status, version, architecture, native }) =>
        `${want} ${status} ${version} ${architecture}${native ? "" : " foreign"}`,
    );
    return [...(instances ?? ["not asked"]), ...(fact?.providedBy ?? []).map((by) => `[${by}]`)].join(", ");
  });
}

describe("versions", () => {
  test("present takes what apt takes, and never moves what is there", async () => {
    expect(await act(install("demo-tool", "1.2"))).toEqual(["done"]);
    for (let time = 0; time < 2; time++) expect(await act(install("demo-tool"))).toEqual(["done"]);
    expect(await know("demo-tool")).toEqual(["install installed 1.2 all"]);
  });

  test("an exact one is reached upwards and downwards, epochs and tildes too, and twice is once", async () => {
    for (const version of ["1.10", "2:0.9~rc1", "1.2"]) {
      for (let time = 0; time < 2; time++) expect(await act(install("demo-tool", version))).toEqual(["done"]);
      expect(await know("demo-tool")).toEqual([`install installed ${version} all`]);
    }
  });

  test("what no source offers is unknown: a name, a version, a version of a virtual name", async () => {
    const results = await client.act(
      install("no-such-package"),
      install("demo-tool", "9.9"),
      install("demo-mta", "1.0"),
    );
    expect(outcomes(results)).toEqual(["package-unknown", "package-unknown", "package-unknown"]);
    expect(results.map(({ detail }) => detail)).toEqual([
      "no source of the node offers no-such-package",
      "no source of the node offers demo-tool in version 9.9",
      "no source of the node offers demo-mta in version 1.0",
    ]);
    expect(await know("demo-tool")).toEqual(["install installed 1.2 all"]);
  });
});

describe("names", () => {
  test("a virtual one is known by who provides it", async () => {
    expect(await know("demo-mta", "default-mta")).toEqual(["", ""]);
    expect(await act(install("demo-mta"))).toEqual(["done"]);
    expect(await know("demo-mta", "demo-mta-a", "default-mta")).toEqual([
      "[demo-mta-a]",
      "install installed 1.0 all",
      "",
    ]);
  });

  test("one name in two architectures is two instances; each is removed by itself", async () => {
    await sh("dpkg --add-architecture i386; apt-get -q update");
    expect(await act(install("demo-arch"), install("demo-arch:i386"))).toEqual(["done", "done"]);
    const both = "install installed 1.0 amd64, install installed 1.0 i386 foreign";
    expect(await know("demo-arch", "demo-arch:amd64", "demo-arch:i386")).toEqual([both, both, both]);
    for (let time = 0; time < 2; time++) expect(await act(remove("demo-arch:i386"))).toEqual(["done"]);
    expect(await know("demo-arch")).toEqual(["install installed 1.0 amd64"]);
    expect(await act(install("demo-arch:i386"), remove("demo-arch"))).toEqual(["done", "done"]);
    expect(await know("demo-arch")).toEqual(["install installed 1.0 i386 foreign"]);
  });
});

describe("what must not be touched", () => {
  test("a hold stays, and is the reason", async () => {
    await act(install("demo-tool", "1.2"));
    await sh("apt-mark hold demo-tool");
    expect(await act(install("demo-tool", "1.10"), remove("demo-tool"))).toEqual(["package-held", "package-held"]);
    expect(await know("demo-tool")).toEqual(["hold installed 1.2 all"]);
    expect(await act(install("demo-tool"))).toEqual(["done"]);
    await sh("apt-mark unhold demo-tool");
  });

  test("an edited conffile outlives the upgrade, and a removal keeps it", async () => {
    expect(await act(install("demo-conf", "1.0"))).toEqual(["done"]);
    await sh("echo edited >>/etc/demo-conf.conf");
    expect(await act(install("demo-conf", "2.0"))).toEqual(["done"]);
    expect(await sh("tail -n 1 /etc/demo-conf.conf")).toBe("edited\n");
    for (let time = 0; time < 2; time++) expect(await act(remove("demo-conf"))).toEqual(["done"]);
    expect(await know("demo-conf")).toEqual(["deinstall config-files 2.0 all"]);
    expect(await sh("tail -n 1 /etc/demo-conf.conf")).toBe("edited\n");
    expect(await act(install("demo-conf"))).toEqual(["done"]);
    expect(await know("demo-conf")).toEqual(["install installed 2.0 all"]);
  });

  test("others are not removed along", async () => {
    expect(await act(install("demo-depends"))).toEqual(["done"]);
    const [result] = await client.act(remove("demo-tool"));
    expect(result).toMatchObject({
      code: "would-remove-others",
      detail: "removing demo-tool would also change: demo-depends",
    });
    expect(await know("demo-depends", "demo-tool")).toEqual([
      "install installed 1.0 all",
      expect.stringContaining("install installed"),
    ]);
    expect(await act(remove("demo-depends"), remove("demo-tool"))).toEqual(["done", "done"]);
  });

  test("nor by an install; and lists that are too old are fetched again", async () => {
    await act(install("demo-tool"));
    await sh(`mkdir -p /srv/late/tree/DEBIAN; cd /srv/late
      printf 'Package: demo-late\\nVersion: 1.0\\nArchitecture: all\\nMaintainer: x <x@example.org>\\nDescription: x\\n' >one
      { cat one; echo 'Conflicts: demo-tool'; } | sed 's/demo-late/demo-rival/' >two
      for control in one two; do
        cp $control tree/DEBIAN/control; dpkg-deb -Znone --build tree $control.deb
        cat $control; printf 'Filename: ./%s.deb\\nSize: %s\\nSHA256: %s\\n\\n' $control $(stat -c %s $control.deb) $(sha256sum <$control.deb | cut -c-64)
      done >Packages.new; grep -v ^dpkg-deb Packages.new >Packages
      echo 'deb [trusted=yes] file:/srv/late ./' >/etc/apt/sources.list.d/late.list`);
    expect(await act(install("demo-late"))).toEqual(["done"]);
    const [result] = await client.act(install("demo-rival"));
    expect(result).toMatchObject({
      code: "would-remove-others",
      detail: "installing demo-rival would remove: demo-tool",
    });
    expect(await know("demo-late", "demo-rival", "demo-tool")).toEqual([
      "install installed 1.0 all",
      "",
      expect.stringContaining("install installed"),
    ]);
  });

  test("questions are not asked", async () => {
    expect(await act(install("demo-noninteractive"), install("demo-asks"))).toEqual(["done", "done"]);
    expect(await sh("cat /var/lib/demo-asks/colour")).toBe("default\n");
  });
});

describe("dpkg in trouble", () => {
  test("busy is waited for, and named when it takes too long", async () => {
    const slow = node.exec("DEBIAN_FRONTEND=noninteractive apt-get -yq install demo-slow");
    await sh("until pgrep -f '[d]emo-slow.postinst configure'; do sleep 0.02; done");
    const hasty = new ResourcesClient(node, 3_000);
    const [result] = await hasty.act(install("demo-socket"));
    expect(result).toMatchObject({ code: "dpkg-busy" });
    expect(await know("demo-slow", "demo-socket")).toEqual(["install half-configured 1.0 all", ""]);
    const patient = client.act(install("demo-socket"), remove("demo-late"));
    const outcome = '"/var/lib/rollcall/runs/$(cat /var/lib/rollcall/last)/outcome"';
    const begun = `[ "$(tail -n 1 ${outcome})" = "start 0" ]`;
    await sh(`until ${begun}; do sleep 0.02; done; touch /run/demo-slow-go`);
    expect(outcomes(await patient)).toEqual(["done", "done"]);
    expect((await slow).code).toBe(0);
    expect(await know("demo-slow", "demo-socket")).toEqual(["install installed 1.0 all", "install installed 1.0 all"]);
    await act(remove("demo-slow"));
    await sh("rm /run/demo-slow-go");
  });

  test("killed in the middle: the next run finishes it, its own package and any other", async () => {
    for (const [effect, name] of [
      [install("demo-slow", null, true), "demo-slow"],
      [install("demo-web"), "demo-web"],
    ] as const) {
      const slow = node.exec("DEBIAN_FRONTEND=noninteractive apt-get -yq install demo-slow");
      const waiting = "until pgrep -f '[d]emo-slow.postinst configure'; do sleep 0.02; done";
      await sh(`${waiting}; pkill -KILL -x apt-get; pkill -KILL -x dpkg; pkill -KILL -f '[d]emo-slow.postinst'`);
      expect((await slow).code).toBe(137);
      expect(await know("demo-slow")).toEqual(["install half-configured 1.0 all"]);
      await sh("touch /run/demo-slow-go");
      expect(await act(effect)).toEqual(["done"]);
      expect(await know("demo-slow", name)).toEqual(["install installed 1.0 all", "install installed 1.0 all"]);
      await sh("rm /run/demo-slow-go; dpkg --purge demo-slow");
    }
  });

  test("a package that cannot be configured is a failure with its own words, each time", async () => {
    const [first] = await client.act(install("demo-broken"));
    expect(first).toMatchObject({ code: "package-failed" });
    expect(first?.detail).toContain("demo-broken: cannot be configured");
    expect(await know("demo-broken")).toEqual(["install half-configured 1.0 all"]);
    expect(await act(install("demo-broken", null, true))).toEqual(["package-failed"]);
    expect(await act(remove("demo-broken"))).toEqual(["done"]);
  });

  test("asking changes nothing and costs the same for one name and for many", async () => {
    const before = await sh(
      "find /var/lib/dpkg /var/lib/apt /var/cache/apt -newermt 2000-01-01 -printf '%p %T@ %C@\\n' | sort",
    );
    await client.observe({ packages: ["demo-tool", "libc6:amd64", "no-such", "demo-mta"] });
    const after = await sh(
      "find /var/lib/dpkg /var/lib/apt /var/cache/apt -newermt 2000-01-01 -printf '%p %T@ %C@\\n' | sort",
    );
    expect(after).toBe(before);
  });
});
