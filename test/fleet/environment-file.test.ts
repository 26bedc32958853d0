import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
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

/** What units get out of these files, without what every unit gets; null for a unit that did not start. */
async function read(files: readonly Uint8Array[]): Promise<(Record<string, string> | null)[]> {
  const named = [new Uint8Array(), ...files];
  const put = named.map((content, index) => `base64 -d >/srv/env/${index}.env <<'E'\n${base64(content)}\nE\n`);
  await node.exec("rm -f /srv/env/*; sh -s", { stdin: put.join("") });
  await node.exec(`systemctl start ${named.map((_content, index) => `dump@${index}`).join(" ")}`);
  const dump = "cd /srv/env; for n in *.out; do echo; echo $n; base64 -w 0 $n; done";
  const [, ...blocks] = (await node.exec(dump)).stdout.split("\n\n");
  const dumps = new Map(`\n${blocks.join("\n\n")}`.split("\n\n").flatMap(block));
  return named.map((_content, index) => dumps.get(index) ?? null).slice(1);
}

function base64(content: Uint8Array): string {
  return Buffer.from(content).toString("base64");
}

/** What systemd itself puts into every unit's environment. */
const OWN = new Set(["LANG", "PATH", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MEMORY_PRESSURE_WATCH"]);
