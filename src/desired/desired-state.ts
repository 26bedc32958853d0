import type { NodeOs } from "../model/node.ts";
import type { Declared } from "../resources/contract.ts";

/** Everything a fleet repository declares, validated: what `loadDesired` returns when there is no error (DESIGN §3). */
export interface DesiredState {
  readonly fleet: Fleet;
  /** By name, sorted. */
  readonly nodes: readonly Node[];
  /** By name, sorted. */
  readonly roles: ReadonlyMap<string, Role>;
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
    readonly ignore: readonly { host: string; resource: string; reason: string; until: string }[];
  };
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
  readonly resources: readonly Declared[];
  /** Names the rollout: SHA-256 over manifest and shipped files (DESIGN §3.2). */
  readonly digest: string;
}
