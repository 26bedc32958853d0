import { World, desiredFleet, file } from "/work/main/test/engine/reconcile-world.ts";
import { MemoryStore } from "/work/main/src/adapters/memory/memory-store.ts";
import { planFleet } from "/work/main/src/plan/planner.ts";
import { boardOf } from "/work/main/src/plan/board.ts";
import { boardMarkdown } from "/work/main/src/render/board-markdown.ts";
import { nodeStatePath, nodeReportPath, liveReportPath, HEARTBEATS } from "/work/main/src/model/observed-layout.ts";
import { nodeStateText, nodeReportText, heartbeatsText } from "/work/main/src/plan/record-files.ts";
import { roleUnits } from "/work/main/src/plan/role-units.ts";
import { NO_RECORD } from "/work/main/src/plan/observed-record.ts";
import { committed } from "/work/main/src/adapters/memory/memory-refs.ts";
import { readRecord } from "/work/main/src/plan/read-record.ts";
import { Ledger } from "/work/main/src/engine/ledger.ts";
import { sha256Hex } from "/work/main/src/kit/digest.ts";
const N = 10000;
const names = Array.from({ length: N }, (_, i) => `node-${String(i).padStart(5, "0")}`);
const mk = (content: string) => desiredFleet({
  nodes: Object.fromEntries(names.map((n, i) => [n, i < 100 ? { roles: ["base", "web"], ...(i % 10 === 9 ? { class: "desktop" } : {}) } : { roles: ["base"] }])),
  roles: { base: { resources: [file("/etc/base", "x\n")] }, web: { resources: [file("/etc/app.conf", content)] } },
});
const state = mk("one\n");
const world = new World(names);
const units = roleUnits(state, NO_RECORD);
const files = new Map<string, string>(); const live = new Map<string, string>();
const machine = (n: string) => sha256Hex(n);
const beats = new Map();
for (const n of names) {
  const own = units.flatMap((u) => u.targets.filter((t) => t.node === n && u.id === "role:base").map((t) => ({ u, t })));
  void own;
}
const base = units.find((u) => u.id === "role:base")!;
for (const t of base.targets) {
  const n = t.node;
  files.set(nodeStatePath(n), nodeStateText({ v: 1, node: n, machine_id: machine(n), markers: [{ unit: "role:base", digest: t.digest, unit_digest: base.digest, version: 1, machine_id: machine(n), at: "2026-11-30T00:00:00Z", run_id: "r0", commit: null, verify_exit: 0, grade: "transition", evidence: "1 of 1", resources: [] }] } as never));
  const rep = nodeReportText({ v: 1, node: n, machine_id: machine(n), digests: { "role:base": t.digest }, items: [] } as never);
  files.set(nodeReportPath(n), rep); live.set(liveReportPath(n), rep);
  beats.set(n, { observed_at: "2026-12-01T09:00:00Z", attempted_at: "2026-12-01T09:00:00Z", outcome: "converged", message: "", failing_since: null, recheck: null });
}
live.set(HEARTBEATS, heartbeatsText(beats));
world.refs.observed = committed(world.refs.observed, files, "seed");
world.refs.live = committed(world.refs.live, live, "seed");
// Board as in the command:
const orig = Ledger.open;
(Ledger as any).open = (store: any, context: any) => orig.call(Ledger, store, { ...context, board: (record: any) => boardMarkdown(boardOf(planFleet((globalThis as any).STATE, record, world.clock.now()), { desired: { source: "main", branch: "main", commit: "c".repeat(40), unmerged: false }, record })) });
const cpu = async (what: string, work: () => Promise<unknown>) => { const b = process.cpuUsage(); const r: any = await work(); const u = process.cpuUsage(b); console.log(what, ((u.user + u.system) / 1e6).toFixed(2), "s CPU", r?.store?.calls("record"), "records", JSON.stringify(r?.result?.units?.map((x: any) => [x.unit, x.state, x.next, x.applied]))); return r; };
const idle = desiredFleet({ nodes: Object.fromEntries(names.map((n) => [n, { roles: ["base"] }])), roles: { base: { resources: [file("/etc/base", "x\n")] } } });
(globalThis as any).STATE = idle;
await cpu("warm-up idle", () => world.reconcile(idle));
await cpu("idle", () => world.reconcile(idle));
(globalThis as any).STATE = state;
await cpu("rollout of 100 in 3 waves", () => world.reconcile(state));
