import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitObservedStore } from "../../src/adapters/observed/git-store.ts";
import { nodeReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";
import type { ObservedWrites, RecordAnswer } from "../../src/ports.ts";
import { gitIn } from "../git-remote/git-in.ts";
import {
  liveFiles,
  liveHeartbeats,
  nodeNames,
  observedFiles,
  reportText,
  stateText,
} from "../observed/large-record.ts";

// DESIGN §4's budget, measured: 10,000 nodes, a day of hourly audits, in each of which one node in a hundred says something new.
const [count = 10_000, hours = 24] = process.argv.slice(2).map(Number);
const nodes = nodeNames(count);
const top = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
try {
  gitIn(top, "init", "--quiet", "--bare", "remote.git");
  const checkout = (name: string) => {
    gitIn(top, "init", "--quiet", name);
    gitIn(join(top, name), "remote", "add", "origin", `file://${top}/remote.git`);
    return gitObservedStore(join(top, name), { branch: "observed", clock: { now: () => new Date() } });
  };
  const remote = join(top, "remote.git");
  const store = checkout("runner");
  const record = (writes: ObservedWrites) => store.record(() => writes, { message: "observe: bench", lock: null });
  await timed("first record of all nodes", () => recorded(record(observedFiles(nodes))));
  await timed("first audit published", () => recorded(store.publish(() => liveFiles(nodes, new Date()))));
  const before = packed(remote);
  const [flushes, audits]: [Cost[], Cost[]] = [[], []];
  for (let hour = 1; hour <= hours; hour++) {
    const at = new Date(Date.now() + hour * 3_600_000);
    const heartbeats = new Map([["heartbeats.json", liveHeartbeats(nodes, at)]]);
    audits.push(await measured(() => recorded(store.publish(() => heartbeats))));
    flushes.push(await measured(() => recorded(record(someChanges(hour, at)))));
  }
  line("one audit published (median, worst)", summary(audits));
  line("one flush of 1 % of nodes (median, worst; limit 5 s)", summary(flushes));
  line(`history growth in ${hours} audits (limit 5 MB)`, `${((packed(remote) - before) / 1e6).toFixed(2)} MB`);
  await timed("first fetch by a new checkout (limit 10 s)", () => checkout("second").read());
  await timed("fetch of what is known", () => store.read());
} finally {
  rmSync(top, { recursive: true, force: true });
}

function someChanges(hour: number, at: Date): ObservedWrites {
  const changed = nodes.filter((_, index) => index % 100 === hour % 100);
  return new Map(
    changed.flatMap((node) => [
      [nodeStatePath(node), stateText(node, at.toISOString())],
      [nodeReportPath(node), reportText(node, `${hour}`)],
    ]),
  );
}

/** Bytes of all that the remote can reach, packed as its own housekeeping would. */
function packed(remote: string): number {
  gitIn(remote, "gc", "--quiet", "--prune=now");
  const size = /^size-pack: (\d+)$/m.exec(gitIn(remote, "count-objects", "-v"))?.[1];
  return Number(size) * 1024;
}

async function recorded(answer: Promise<RecordAnswer>): Promise<void> {
  const { kind } = await answer;
  if (kind !== "recorded") throw new Error(`the record answered ${kind}`);
}

/** Seconds. `cpu` is of this process and all that it waited for, so that a machine with other work gives the same number. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function measured(work: () => Promise<unknown>): Promise<Cost> {
  const [begin, used] = [performance.now(), cpuSeconds()];
  await work();
  return { wall: (performance.now() - begin) / 1000, cpu: cpuSeconds() - used };
}

/** proc(5): the 16th and 17th field of `stat` are the children's, in hundredths; elsewhere only this process is known. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (!existsSync("/proc/self/stat")) return own;
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return own + (Number(fields[13]) + Number(fields[14])) / 100;
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  line(what, shown(await measured(work)));
}

function shown({ wall, cpu }: Cost): string {
  return `${wall.toFixed(2)} s (${cpu.toFixed(2)} s CPU)`;
}

function summary(costs: readonly Cost[]): string {
  const sorted = [...costs].sort((a, b) => a.wall - b.wall);
  const [middle, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return [middle, worst].map((cost) => (cost === undefined ? "none" : shown(cost))).join(", ");
}

function line(what: string, value: string): void {
  console.log(`${what.padEnd(60)} ${value}`);
}
