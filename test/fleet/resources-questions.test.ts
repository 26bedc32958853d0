import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NO_QUESTIONS, type NodeQuestions } from "../../src/model/node-question.ts";
import { compareDebianVersions } from "../../src/resources/debian-version.ts";
import { frameReader } from "../../src/shell/framing.ts";
import { type AnsweredFacts, parseQuestions, renderQuestions } from "../../src/shell/questions/index.ts";
import { wholeScript } from "../../src/shell/script.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { compareSnapshots, snapshot } from "./snapshot.ts";

let fleet: Fleet;
let node: FleetNode;

beforeAll(async () => {
  fleet = await startFleet({ id: "resources-questions", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  await node.exec(`mkdir -p /srv/q/empty /srv/q/full/x; cd /srv/q; mkfifo pipe; ln -s full link; echo x >file; touch 'a\\b'
    printf '[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/q.service
    systemctl daemon-reload; systemctl enable -q --now q`);
});
afterAll(() => fleet?.stop());

async function ask(questions: Partial<NodeQuestions>, before = ""): Promise<AnsweredFacts> {
  const all = { ...NO_QUESTIONS, ...questions };
  const boundary = randomBytes(16).toString("hex");
  const script = wholeScript(`${before}\n${renderQuestions(all)}`, { boundary });
  const { stdout, stderr } = await node.exec("exec /bin/sh -s", { stdin: script });
  const reader = frameReader(boundary);
  reader.push(Buffer.from(stdout, "utf8").toString("latin1"));
  expect(reader.frame().status, stderr).toBe(0);
  return parseQuestions(reader.frame().sections, all);
}

const PATHS = ["empty", "full", "pipe", "link", "file", "a\\b", "none"].map((name) => ({
  path: `/srv/q/${name}`,
  hash: true,
  entries: true,
}));
const UNITS = ["q.service", "ssh.service", "no-such.service", "-.mount"].map((name) => ({ name, user: null }));
const PACKAGES = ["dpkg", "libc6:amd64", "demo-mta", "no-such-package", "demo-tool"];
const EVERYTHING = { paths: PATHS, packages: PACKAGES, units: [...UNITS, { name: "q.service", user: "deploy" }] };

test("asking changes nothing on the node", async () => {
  const before = await snapshot(node);
  await ask(EVERYTHING);
  expect(compareSnapshots(before, await snapshot(node))).toEqual([]);
});

test("busybox's tools give the same answers", async () => {
  await node.exec(`mkdir -p /srv/busybox; for tool in stat sha256sum find grep id env; do
    ln -sf /bin/busybox /srv/busybox/$tool; done`);
  const own = await ask(EVERYTHING);
  const busybox = await ask(EVERYTHING, "PATH=/srv/busybox:$PATH");
  expect(busybox.paths).toEqual(own.paths);
  expect(busybox.packages).toEqual(own.packages);
  expect([...busybox.units.values()].map((unit) => ({ ...unit, activeForMs: null }))).toEqual(
    [...own.units.values()].map((unit) => ({ ...unit, activeForMs: null })),
  );
  expect(own.paths.get("/srv/q/file")?.found?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(own.units.get("q.service")).toMatchObject({ activeState: "active", unitFileState: "enabled" });
  expect(own.packages.get("libc6:amd64")?.instances).toHaveLength(1);
});

test("many names cost the processes of one, on systemd and dpkg too", async () => {
  const tools = ["stat", "sha256sum", "find", "dpkg-query", "grep", "systemctl", "id", "setpriv"];
  await node.exec(`mkdir -p /srv/counting; for tool in ${tools.join(" ")}; do
    printf '#!/bin/sh\\necho %s >>/run/calls\\nexec %s "$@"\\n' $tool "$(command -v $tool)" >/srv/counting/$tool
    chmod 755 /srv/counting/$tool; done
    for i in $(seq 1 200); do printf '[Service]\\nExecStart=/bin/true\\n' >/etc/systemd/system/many-$i.service; touch /srv/q/$i; done`);
  const counted = async (questions: Partial<NodeQuestions>): Promise<string> => {
    await node.exec("rm -f /run/calls");
    await ask(questions, "PATH=/srv/counting:$PATH");
    return (await node.exec("sort /run/calls")).stdout;
  };
  const one = {
    paths: [{ path: "/srv/q/1", hash: true, entries: true }],
    packages: ["no-such-0"],
    units: [{ name: "many-1.service", user: null }],
  };
  const numbers = Array.from({ length: 200 }, (_all, index) => index + 1);
  const many = {
    paths: numbers.map((index) => ({ path: `/srv/q/${index}`, hash: true, entries: true })),
    packages: numbers.map((index) => `no-such-${index}`),
    units: numbers.map((index) => ({ name: `many-${index}.service`, user: null })),
  };
  const cost = ["dpkg-query", "dpkg-query", "find", "grep", "sha256sum", "stat", "systemctl", "systemctl"];
  expect(await counted(one)).toBe(`${cost.join("\n")}\n`);
  expect(await counted(many)).toBe(`${cost.join("\n")}\n`);
});

test("versions sort as dpkg sorts them", async () => {
  const part = fc.stringMatching(/^[0-9a-z.+~]{0,4}$/);
  const version = fc
    .tuple(fc.constantFrom("", "0:", "1:", "2:"), fc.nat(20), part, fc.option(part))
    .map(([epoch, number, rest, revision]) => `${epoch}${number}${rest}${revision ? `-${revision}` : ""}`);
  const seed = Date.now() & 0x7fffffff;
  const pairs = fc.sample(fc.tuple(version, version), { numRuns: 400, seed });
  const commands = pairs.map(
    ([a, b]) =>
      `dpkg --compare-versions '${a}' lt '${b}' && echo -1 || { dpkg --compare-versions '${a}' eq '${b}' && echo 0 || echo 1; }`,
  );
  const { stdout } = await node.exec("exec sh -s", { stdin: `${commands.join("\n")}\n` });
  const ours = pairs.map(([a, b]) => Math.sign(compareDebianVersions(a, b)));
  const theirs = stdout.trim().split("\n").map(Number);
  const different = pairs.filter((_pair, index) => ours[index] !== theirs[index]);
  expect(different, `seed ${seed}`).toEqual([]);
});
