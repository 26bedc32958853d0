import type { ResourceTypeName } from "./drift-item.ts";
import type { UnitName } from "./node-question.ts";

/**
 * A machine that is only imagined, for plans and simulations: plain Debian with what the manifests take for granted. What a
 * manifest says nothing of is imagined otherwise than the new one wants it, so that whatever might be done is shown.
 */
export interface ImaginedNeeds {
  readonly name: string;
  /** SHA-256 of its /etc/machine-id; null: one of its own. */
  readonly machineId: string | null;
  readonly packages: readonly ImaginedPackage[];
  /** Folders that lead to declared paths, there from the beginning. */
  readonly folders: readonly string[];
  /** Regular files that are there from the beginning, since something is to take them away. */
  readonly files: readonly string[];
  /** Units whose file neither a manifest nor a package of it brings. */
  readonly units: readonly UnitName[];
  /** Of all units, those that are up and enabled from the beginning. */
  readonly running: readonly UnitName[];
  readonly users: readonly string[];
  /** Of them, those whose own service manager runs. */
  readonly managers: readonly string[];
  readonly groups: readonly string[];
}

export interface ImaginedPackage {
  /** As a manifest names it, with its architecture if it does. */
  readonly name: string;
  /** What apt has beside the one that nobody named. */
  readonly versions: readonly string[];
  /** Units that come with it. */
  readonly units: readonly UnitName[];
  readonly installed: boolean;
}

/** Version of an imagined package of which no manifest names one. Older than all, and never shown. */
export const IMAGINED_VERSION = "0~imagined";

/** What goes wrong in a simulation. */
export type ImaginedFault =
  /** The first step about `resource`, or of all, fails. */
  | { readonly kind: "fails"; readonly node: string; readonly resource: string | null }
  | { readonly kind: "unreachable" | "slow" | "drops-link"; readonly node: string };

/** Of a drift item, what was seen; it comes from a report and is not believed. */
export interface SeenItem {
  readonly resource: { readonly type: ResourceTypeName; readonly id: string };
  readonly declared: unknown;
  /** null: it was not there. */
  readonly observed: unknown;
}
