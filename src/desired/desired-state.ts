import type { NodeOs } from "../model/node.ts";
import type { SecretRef } from "../model/secret-ref.ts";
import type { Declared } from "../resources/contract.ts";

/** Everything a fleet repository declares, validated: what `loadDesired` returns when there is no error (DESIGN §3). */
export interface DesiredState {
  readonly fleet: Fleet;
  /** By name, sorted. */
  readonly nodes: readonly Node[];
  /** By name, sorted. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Names of the files under roster/profiles/, sorted. */
  readonly profiles: readonly string[];
}

export interface Fleet {
  readonly generation: number;
  readonly observedBranch: string;
  readonly signatures: "required" | "risky" | "off";
  readonly defaults: {
    readonly user: string;
    readonly port: number;
    readonly become: "sudo" | "none";
    readonly connectTimeoutMs: number;
    readonly stepTimeoutMs: number;
  };
  readonly rollout: {
    readonly parallel: number;
    readonly failureThreshold: number;
    readonly healthWaitMs: number;
    readonly heartbeatStaleMs: number;
    readonly maintenanceMaxMs: number;
    readonly onFailure: "print" | "rollback";
  };
  readonly drift: {
    readonly heal: boolean;
    readonly alertAfter: number;
    readonly ignore: readonly IgnoredDrift[];
  };
  readonly agents: {
    readonly socket: string;
    readonly holder: string;
    readonly user: string;
    readonly home: string;
    readonly heartbeatIntervalMs: number;
  };
  /** What the merge run tells GitHub besides issues and comments (DESIGN §6). */
  readonly github: { readonly deployments: boolean; readonly statuses: boolean };
  readonly withdrawn: readonly Withdrawal[];
}

export interface IgnoredDrift {
  readonly host: string;
  readonly resource: string;
  readonly reason: string;
  /** RFC 3339, or a date. */
  readonly until: string;
}

/** A parcel that no node is asked for any more (DESIGN §3.3). */
export interface Withdrawal {
  readonly parcel: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
}

export interface Node {
  readonly name: string;
  readonly class: string;
  readonly os: NodeOs;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly become: "sudo" | "none";
  readonly jump: string | null;
  readonly aliases: readonly string[];
  /** As listed; `host` is not repeated here. */
  readonly roles: readonly string[];
  readonly profiles: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  /** Lower-case hex SHA-256 of /etc/machine-id; null: not pinned. */
  readonly machineId: string | null;
  readonly enabled: boolean;
  readonly state: "active" | "retired";
  readonly agents: readonly Agent[];
  /** Parcels and other units this node refuses, each with its reason. */
  readonly declines: readonly { unit: string; reason: string; by: string; at: string }[];
  /** Units a person says are in place here without proof. */
  readonly claims: readonly { unit: string; note: string; by: string; at: string }[];
  readonly down: DownVerdict | null;
}

export interface Agent {
  readonly name: string;
  readonly class: string;
  readonly runtime: string;
  readonly provider: string;
  readonly model: string;
  readonly enabled: boolean;
  readonly desiredState: "running" | "stopped";
  readonly launch: { readonly command: string; readonly restart: "no" | "on-failure" | "always" };
  readonly env: Readonly<Record<string, string | { readonly secret_ref: SecretRef }>>;
}

/** A node that is known to be down: last in its waves, not attempted, asked again by `recheck`. */
export interface DownVerdict {
  readonly reason: string;
  /** `reachable`, or a shell line for the runner. */
  readonly recheck: string;
  readonly by: string;
  readonly since: string;
}

export interface RoleRollout extends Partial<Fleet["rollout"]> {
  /** The node that goes first; left out: the strategy chooses (DESIGN §3.4). */
  readonly canary?: string;
  /** Two nodes in the first wave: one alone is blind to races (rollout-model §4). */
  readonly concurrent?: boolean;
}

export interface Role {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly requires: readonly string[];
  readonly mutuallyExclusive: readonly string[];
  readonly mode: "enforce" | "observe";
  readonly risk: "risky" | "safe";
  readonly onRelease: "keep" | "remove";
  /** What its rollouts want otherwise than the fleet. */
  readonly rollout: RoleRollout;
  readonly resources: readonly Declared[];
  /** Names the rollout: SHA-256 over manifest and shipped files (DESIGN §3.2). */
  readonly digest: string;
}
