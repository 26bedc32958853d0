import { z } from "zod";
import type { Node } from "../../src/desired/desired-state.ts";
import type { Marker } from "../../src/model/marker.ts";
import type { Heartbeat } from "../../src/model/node-record.ts";
import type { Rollout, RolloutNode } from "../../src/plan/rollout.ts";
import type { StatusContext } from "../../src/plan/status.ts";
import type { Unit } from "../../src/plan/unit.ts";
import { digestOf, heartbeat, item, MACHINE, marker, NO_RECORD, report } from "./recorded.ts";

const NODE: Node = {
  name: "web-01",
  class: "server",
  os: "linux",
  address: "192.0.2.1",
  port: 22,
  user: "deploy",
  become: "sudo",
  jump: null,
  aliases: [],
  roles: ["edge"],
  profiles: [],
  labels: {},
  vars: {},
  machineId: null,
  enabled: true,
  state: "active",
  agents: [],
  declines: [],
  claims: [],
  down: null,
};

const over = z.record(z.string(), z.unknown());

/** A case is data (test/cases/status/*.yaml): what is known of `role:edge` on web-01, and the cell that follows. */
export const statusCase = z.strictObject({
  name: z.string(),
  provable: z.boolean().default(true),
  enforced: z.boolean().default(true),
  heal: z.boolean().default(false),
  release: z.boolean().default(false),
  node: over.default({}),
  /** Left out: the node proved nothing. */
  marker: over.optional(),
  /** null: there is none. */
  report: z
    .strictObject({
      machine_id: z.string().nullable().optional(),
      digests: z.record(z.string(), z.string()).optional(),
      items: z
        .array(
          z.strictObject({
            id: z.string(),
            role: z.string().optional(),
            severity: z.string().optional(),
            at: z.string().optional(),
          }),
        )
        .default([]),
    })
    .nullable()
    .prefault({}),
  heartbeat: over.nullable().default({}),
  rollout: over.optional(),
  /** Part of the cell. */
  cell: over,
});
export type StatusCase = z.output<typeof statusCase>;

export function unitOf({ provable, enforced, release }: Pick<StatusCase, "provable" | "enforced" | "release">): Unit {
  return {
    id: "role:edge",
    kind: "role",
    title: "Edge.",
    version: 3,
    digest: digestOf("2"),
    enforced,
    risk: "risky",
    strategy: "waves",
    policy: { canary: null, concurrent: false },
    provable,
    targets: [
      { node: "web-01", action: release ? "release" : "converge", digest: digestOf("1"), class: "server", os: "linux" },
    ],
    requires: [],
  };
}

export function contextOf(given: StatusCase): StatusContext {
  const digits = spelled(given.node);
  const markers = given.marker === undefined ? [] : [marker(spelled(given.marker) as Partial<Marker>)];
  const beat = given.heartbeat === null ? [] : [["web-01", heartbeat(given.heartbeat as Partial<Heartbeat>)] as const];
  const seen = reportOf(given.report);
  return {
    nodes: new Map([["web-01", { ...NODE, ...digits } as Node]]),
    record: {
      ...NO_RECORD,
      states: new Map([["web-01", { v: 1, node: "web-01", machine_id: MACHINE, markers }]]),
      reports: new Map(seen === null ? [] : [["web-01", seen]]),
      heartbeats: new Map(beat),
    },
    rollout: given.rollout === undefined ? null : rolloutOf(given.rollout),
    damage: null,
    ignores: () => undefined,
    now: new Date("2026-11-30T10:00:00Z"),
    staleMs: 24 * 3_600_000,
    heal: given.heal,
    generation: 42,
  };
}

function reportOf(given: StatusCase["report"]) {
  if (given === null) return null;
  const items = given.items.map(({ id, role, severity, at }) =>
    item({
      resource: { type: "file", id },
      ...(role === undefined ? {} : { role }),
      ...(severity === undefined ? {} : { severity: severity as "warn" }),
      ...(at === undefined ? {} : { discovered_at: at }),
    }),
  );
  const { machine_id, digests } = spelled(given) as { machine_id?: string | null; digests?: Record<string, string> };
  const spelledDigests = digests === undefined ? {} : { digests: spelled(digests) as Record<string, string> };
  return report({ items, ...(machine_id === undefined ? {} : { machine_id }), ...spelledDigests });
}

function rolloutOf({ node, ...given }: Record<string, unknown>): Rollout {
  const own: RolloutNode = {
    node: "web-01",
    state: "pending",
    wave: 0,
    attempts: 1,
    grade: null,
    outcome: null,
    message: "",
    skipped: null,
    at: null,
    ...(node as Partial<RolloutNode>),
  };
  return {
    id: "role:edge@222222222222",
    unit: "role:edge",
    digest: digestOf("2"),
    round: 1,
    state: "running",
    reason: null,
    generation: 42,
    commit: "c".repeat(40),
    createdBy: "octocat",
    createdAt: "2026-11-30T07:00:00Z",
    strategy: "waves",
    waves: [["db-01"], ["db-02"], ["web-01"]],
    reasons: { canary: "", second_look: { missing: false, why: "" }, warnings: [] },
    targets: [],
    leftOut: [],
    nodes: new Map(node === undefined ? [] : [["web-01", own]]),
    wave: 0,
    forced: new Set(),
    acceptedAlreadyTrue: false,
    restartRequested: false,
    escapes: [],
    ignored: [],
    lastSeq: 9,
    lastAt: "2026-11-30T09:30:00Z",
    ...given,
  };
}

/** One hex digit stands for a whole digest. */
function spelled(given: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      typeof value === "string" && /^[0-9a-f]$/.test(value) ? digestOf(value) : value,
    ]),
  );
}
