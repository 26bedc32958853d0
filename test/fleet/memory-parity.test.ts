import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { contentText, textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import type { NodeFacts } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS, type NodeQuestions } from "../../src/model/node-question.ts";
import type { ChangeResult, Transport } from "../../src/ports.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import type { FleetNode } from "./fleet-node.ts";
import { openTransport, targetOf } from "./ssh-trial.ts";

/**
 * The same effects on a real node and on one in memory: the same outcome of each, the same facts after it. Nodes in memory
 * are what the engine's properties stand on, so that what they say must be true.
 */
const PATHS = [
  "/etc/p",
  "/etc/p/a.conf",
  "/etc/p/link",
  "/etc/p/dir",
  "/etc/p/dir/b",
  "/etc/demo-conf.conf",
  "/etc/systemd/system/par.service",
  "/etc/systemd/system/par.service.d",
  "/etc/systemd/system/par.service.d/x.conf",
  "/etc/systemd/system/one.service",
];
const UNITS = ["par.service", "one.service", "gyrum-prober.service", "parry.service"].map((name) => ({
  name,
  user: null,
}));
const PACKAGES = [
  "demo-tool",
  "demo-conf",
  "demo-depends",
  "demo-broken",
  "demo-mta",
  "demo-mta-a",
  "gyrum-prober",
  "nowhere",
];
const QUESTIONS: NodeQuestions = {
  ...NO_QUESTIONS,
  packages: PACKAGES,
  paths: PATHS.map((path) => ({ path, hash: true, entries: true })),
  units: UNITS,
  texts: [],
};

const unitText = (type: string, command: string, install = "[Install]\nWantedBy=multi-user.target\n") =>
  `[Service]\nType=${type}\nExecStart=${command}\n${install}`;
const UNIT_TEXTS = [
  unitText("simple", "/bin/sleep infinity"),
  unitText("simple", "/bin/sleep 4000", "[Install]\nWantedBy=multi-user.target\nAlias=parry.service\n"),
  unitText("simple", "/bin/false"),
  unitText("oneshot", "/bin/true"),
  unitText("oneshot", "/bin/true", ""),
  unitText("oneshot", "/bin/true\nRemainAfterExit=yes"),
  unitText("oneshot", "/bin/false"),
  unitText("simple", "/bin/sleep infinity\nEnvironmentFile=/etc/p/a.conf"),
  "[Unit]\nDescription=Nothing to start\n",
  "[Unit]\nConditionPathExists=/etc/p/dir\n[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/true\n",
];
const DROP_IN = "[Service]\nEnvironment=A=1\n";

const owner = fc.constantFrom("root", "ops", "nobody-here");
const group = fc.constantFrom("root", "ops", "nobody-here");
const mode = fc.constantFrom("0644", "0600", "0755");
const file = (path: fc.Arbitrary<string>, texts: readonly string[]) =>
  fc.record({
    do: fc.constant("write-file" as const),
    path,
    content: fc.constantFrom(...texts).map(textContent),
    mode,
    owner,
    group,
  });
const path = fc.constantFrom(...PATHS.filter((one) => !one.endsWith(".service.d")));
const unit = fc.constantFrom(...UNITS.slice(0, 3));
const effect: fc.Arbitrary<NodeEffect> = fc.oneof(
  file(fc.constantFrom("/etc/p/a.conf", "/etc/p/dir/b", "/etc/p/link", "/etc/p/dir"), ["A=1\n", "", "B=2\n"]),
  {
    arbitrary: file(fc.constantFrom("/etc/systemd/system/par.service", "/etc/systemd/system/one.service"), UNIT_TEXTS),
    weight: 3,
  },
  fc.constant({
    do: "write-file",
    path: "/etc/systemd/system/par.service.d/x.conf",
    content: textContent(DROP_IN),
    mode: "0644",
    owner: "root",
    group: "root",
  } as const),
  fc.record({
    do: fc.constant("make-directory" as const),
    path: fc.constantFrom("/etc/p", "/etc/p/dir", "/etc/p/a.conf", "/etc/p/link", "/etc/systemd/system/par.service.d"),
    mode,
    owner,
    group,
  }),
  fc.record({ do: fc.constant("set-mode" as const), path, mode }),
  fc.record({ do: fc.constant("set-owner" as const), path, mode, owner, group }),
  fc.record({ do: fc.constantFrom("remove-file" as const, "remove-directory" as const), path }),
  {
    arbitrary: fc.record({
      do: fc.constantFrom(
        "enable-unit" as const,
        "disable-unit" as const,
        "start-unit" as const,
        "stop-unit" as const,
        "restart-unit" as const,
        "reload-unit" as const,
      ),
      unit,
    }),
    weight: 5,
  },
  fc.constant({ do: "reload-daemon", user: null } as const),
  fc.record({
    do: fc.constant("install-package" as const),
    name: fc.constantFrom("demo-tool", "gyrum-prober", "demo-mta", "nowhere"),
    version: fc.constant(null),
    repair: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("install-package" as const),
    name: fc.constantFrom("demo-tool", "demo-conf"),
    version: fc.constantFrom("1.0", "2.0", "1.2", "1.10"),
    repair: fc.constant(false),
  }),
  fc.record({ do: fc.constant("remove-package" as const), name: fc.constantFrom(...PACKAGES) }),
);

const shipped = (at: string, text: string, conffile = false) => ({
  path: at,
  content: textContent(text),
  mode: "0644",
  conffile,
});
const REPOSITORY = [
  repositoryPackage({
    name: "gyrum-prober",
    version: "1.0",
    groups: ["gyrum"],
    files: [shipped("/lib/systemd/system/gyrum-prober.service", unitText("simple", "/usr/bin/gyrum-prober"))],
  }),
  ...["1.2", "1.10", "2:0.9~rc1"].map((version) => repositoryPackage({ name: "demo-tool", version })),
  repositoryPackage({
    name: "demo-conf",
    version: "1.0",
    files: [shipped("/etc/demo-conf.conf", "# demo-conf 1.0\nlevel = 1\n", true)],
  }),
  repositoryPackage({
    name: "demo-conf",
    version: "2.0",
    files: [shipped("/etc/demo-conf.conf", "# demo-conf 2.0\nlevel = 2\n", true)],
  }),
  repositoryPackage({ name: "demo-broken", version: "1.0", broken: true }),
  repositoryPackage({ name: "demo-mta-a", version: "1.0", provides: ["demo-mta"] }),
];

let fleet: Fleet;
let real: Transport;
let node: FleetNode;

beforeAll(async () => {
  fleet = await startFleet({ id: "parity", nodes: 1 });
  [node] = fleet.nodes as [FleetNode];
  real = await openTransport(fleet);
});
afterAll(async () => {
  await real?.close();
  await fleet?.stop();
});

/** What of the facts a node in memory answers for: no time, no size of a folder, no version of systemd. */
function comparable(facts: NodeFacts) {
  return {
    packages: Object.fromEntries(facts.packages),
    paths: Object.fromEntries(
      [...facts.paths].map(([at, { found }]) => [
        at,
        found && { ...found, uid: 0, gid: 0, size: found.type === "file" ? found.size : 0 },
      ]),
    ),
    units: Object.fromEntries(
      [...facts.units].map(([key, one]) => [key, { ...one, activeForMs: one.activeForMs !== null, restarts: 0 }]),
    ),
    pending: Object.fromEntries(facts.pending),
  };
}

/** One step with these effects, on either. */
async function both(effects: readonly NodeEffect[], memory: MemoryTransport) {
  const ask = async (transport: Transport): Promise<ChangeResult> => {
    const seen = await transport.observe(targetOf(node), QUESTIONS);
    if (seen.kind !== "observed") throw new Error(seen.message);
    const { fence } = seen.facts;
    const request = {
      runId: "parity",
      fence: { epoch: (fence?.epoch ?? 0) + 1, seen: fence },
      steps: [{ role: "parity", resource: "parity", needs: ["parity"], effects }],
      questions: QUESTIONS,
      stepTimeoutMs: 30_000,
      settleMs: 400,
    };
    return transport.change(targetOf(node), request, () => {});
  };
  return Promise.all([ask(real), ask(memory)]);
}

const RUNS = Number(process.env.ROLLCALL_PARITY_RUNS ?? 60);
const SEED = Number(process.env.ROLLCALL_PARITY_SEED ?? 16);

describe("a node in memory and a real one", () => {
  test(`agree on ${RUNS} random effects, seed ${SEED}`, { timeout: 60_000 + RUNS * 10_000 }, async () => {
    const seed = { name: node.name, repository: REPOSITORY, users: ["ops"] };
    const memory = new MemoryTransport(new Map([[node.name, debianNode(seed)]]));
    const trail: string[] = [];
    for (const one of fc.sample(effect, { numRuns: RUNS, seed: SEED })) {
      trail.push(JSON.stringify(one, (key, value) => (key === "content" ? contentText(value) : value)));
      const [left, right] = await both([one], memory);
      if (left.kind !== "changed" || right.kind !== "changed") throw new Error(`${left.kind} ${right.kind}`);
      const told = (result: typeof left) => result.steps.map(({ state, code }) => ({ state, code }));
      const where = `after\n${trail.slice(-12).join("\n")}\n`;
      expect(told(right), `${where}${left.steps[0]?.detail}`).toEqual(told(left));
      expect(comparable(right.facts), where).toEqual(comparable(left.facts));
    }
  });
});
