import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseEnvironmentFile } from "../../src/kit/environment-file.ts";
import { formatEnvironmentFile } from "../../src/kit/environment-file-format.ts";
import { ENVIRONMENT_CASES } from "../kit/environment-file-cases.ts";
import { environmentValue } from "../kit/environment-values.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";

let fleet: Fleet;
let node: FleetNode;
let systemd: number;

/** `dump@X` writes the environment that the manager gives it out of X.env to X.out. */
const UNIT = `[Service]
Type=oneshot
EnvironmentFile=/srv/env/%i.env
ExecStart=/usr/bin/env -0
StandardOutput=file:/srv/env/%i.out
`;

beforeAll(async () => {
  fleet = await startFleet({ id: "environment-file", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  await node.exec("mkdir /srv/env; cat >/etc/systemd/system/dump@.service; systemctl daemon-reload", { stdin: UNIT });
  systemd = Number((await node.exec("systemctl --version")).stdout.split(" ")[1]);
});
afterAll(() => fleet?.stop());

/**
 * What units get out of these files, without what every unit gets; null for a unit that did not start. All units start
 * in one transaction, and nothing but base64 passes through a shell.
 */
async function environmentsOf(files: readonly Uint8Array[]): Promise<(Record<string, string> | null)[]> {
  const named = [new Uint8Array(), ...files];
  const put = named.map((content, index) => `base64 -d >/srv/env/${index}.env <<'E'\n${base64(content)}\nE\n`);
  await node.exec("rm -f /srv/env/*; sh -s", { stdin: put.join("") });
  await node.exec(`systemctl start ${named.map((_content, index) => `dump@${index}`).join(" ")}`);
  const { stdout } = await node.exec('cd /srv/env; for n in *.out; do echo "$n $(base64 -w 0 <$n)"; done');
  // A unit that could not be executed has its output file all the same, and nothing in it.
  const dumps = new Map(stdout.match(/^\S+ \S+$/gm)?.map(dumpOf));
  const [own = {}, ...environments] = named.map((_content, index) => dumps.get(`${index}.out`) ?? null);
  if (own === null) throw new Error("a unit with an empty file did not start");
  return environments.map((all) => all && Object.fromEntries(Object.entries(all).filter(([name]) => !(name in own))));
}

function base64(content: Uint8Array): string {
  return Buffer.from(content).toString("base64");
}

/** `0.out QT0x…`: a line of base64 for each dump of `env -0`. */
function dumpOf(line: string): [string, Record<string, string>] {
  const [name = "", encoded = ""] = line.split(" ");
  const lines = Buffer.from(encoded, "base64").toString().split("\0").slice(0, -1);
  return [name, Object.fromEntries(lines.map((each) => [each.split("=", 1)[0], each.slice(each.indexOf("=") + 1)]))];
}

function formatted(vars: ReadonlyMap<string, string>): Uint8Array {
  const answer = formatEnvironmentFile(vars);
  if (answer.kind === "problems") throw new Error(JSON.stringify(answer.problems));
  return new TextEncoder().encode(answer.text);
}

test("our reading of a file is systemd's", async () => {
  const environments = await environmentsOf(ENVIRONMENT_CASES.map(({ file }) => file));
  const expected = ENVIRONMENT_CASES.map(({ entries, before254 }) => (systemd < 254 && before254) || entries);
  expect(environments.map((environment, index) => [ENVIRONMENT_CASES[index]?.what, environment])).toEqual(
    expected.map((entries, index) => [ENVIRONMENT_CASES[index]?.what, entries]),
  );
});

test("a unit gets every value that we write", async () => {
  const seed = Date.now() >>> 0;
  const values = fc.sample(environmentValue, { numRuns: 600, seed });
  const vars = new Map(values.map((value, index) => [`V${index}`, value]));
  const [environment] = await environmentsOf([formatted(vars)]);
  expect(environment, `seed ${seed}`).toEqual(Object.fromEntries(vars));
});

test("files of any odd text are read as systemd reads them", async () => {
  const seed = Date.now() >>> 0;
  const odd = fc.string({
    unit: fc.constantFrom(
      "A",
      "B",
      "=",
      "=",
      "'",
      '"',
      "\\",
      " ",
      "\t",
      "\n",
      "\n",
      "\r",
      "$",
      "`",
      "x",
      ";",
      "\ufdd0",
    ),
    maxLength: 40,
  });
  // A backslash in a comment is where versions differ, so there are no comments.
  const files = fc.sample(odd, { numRuns: 200, seed }).map((text) => text.replaceAll(";", ":"));
  const environments = await environmentsOf(files.map((text) => new TextEncoder().encode(text)));
  for (const [index, text] of files.entries()) {
    const reading = parseEnvironmentFile(text);
    const ours = reading.kind === "refused" ? null : Object.fromEntries(reading.entries.map((e) => [e.name, e.value]));
    expect(environments[index], `seed ${seed}, ${JSON.stringify(text)}`).toEqual(ours);
  }
});

test("the longest value that we write reaches a unit, and one byte more would not", async () => {
  const longest = formatted(new Map([["A", "x".repeat(128 * 1024 - 3)]]));
  const longer = new TextEncoder().encode(`A=${"x".repeat(128 * 1024 - 2)}\n`);
  const lengths = (await environmentsOf([longest, longer])).map((environment) => environment?.A?.length ?? null);
  expect(lengths).toEqual([128 * 1024 - 3, null]);
  expect(formatEnvironmentFile(new Map([["A", "x".repeat(128 * 1024 - 2)]])).kind).toBe("problems");
});
