import type { FileContent } from "./file-content.ts";
import type { NodeFence, RunRecord } from "./node-facts.ts";
import type { NodeQuestions, UnitName } from "./node-question.ts";
import type { OwnedChange } from "./owned-resource.ts";

/**
 * What is done to a node, as values. Each is idempotent (host-state §5): doing it twice leaves what doing it once leaves.
 * The ssh adapter renders them as shell, the in-memory adapter interprets them.
 */
export type NodeEffect =
  | { readonly do: "install-package"; readonly name: string; readonly version: string | null; readonly repair: boolean }
  | { readonly do: "remove-package"; readonly name: string }
  | {
      readonly do: "write-file";
      readonly path: string;
      readonly content: FileContent;
      readonly mode: string;
      readonly owner: string;
      readonly group: string;
    }
  | {
      readonly do: "make-directory";
      readonly path: string;
      readonly mode: string;
      readonly owner: string;
      readonly group: string;
    }
  | {
      /** Owner first, then mode: chown clears the set-id bits. */
      readonly do: "set-owner";
      readonly path: string;
      readonly owner: string;
      readonly group: string;
      readonly mode: string;
    }
  | { readonly do: "set-mode"; readonly path: string; readonly mode: string }
  | { readonly do: "remove-file"; readonly path: string }
  | { readonly do: "remove-directory"; readonly path: string }
  | { readonly do: "reload-daemon"; readonly user: string | null }
  | { readonly do: "enable-unit" | "disable-unit"; readonly unit: UnitName }
  | { readonly do: "start-unit" | "stop-unit" | "restart-unit" | "reload-unit"; readonly unit: UnitName }
  | {
      /** Written before the file that makes the restart due, so that a killed run never loses it (DESIGN §3.2). */
      readonly do: "note-pending";
      readonly unit: UnitName;
      readonly how: "restart" | "reload";
      readonly because: readonly string[];
    }
  | { readonly do: "clear-pending"; readonly unit: UnitName }
  | { readonly do: "run-command"; readonly run: string; readonly creates: string | null };

/** One drift item's effects. A failed step ends its role on this node, and the roles that require it. */
export interface Step {
  readonly role: string;
  readonly resource: string;
  /** Roles of which a failed step forbids this one: its own and, transitively, those it requires. */
  readonly needs: readonly string[];
  readonly effects: readonly NodeEffect[];
}

export interface ChangeRequest {
  readonly runId: string;
  readonly fence: {
    readonly epoch: number;
    /** The fence seen when the steps were decided; another one on the node means the steps are stale. */
    readonly seen: NodeFence | null;
    /**
     * What the last run had recorded when the steps were decided: a run that was still at work then and has gone on since
     * makes them stale too, although the fence is the same. Left out: not compared.
     */
    readonly lastRun?: RunRecord | null;
  };
  readonly steps: readonly Step[];
  /** What becomes of the record of what is rollcall's; left out: it stays as it is. */
  readonly owned?: OwnedChange;
  /** Secrets of the node are known to its steps: what they print is recorded nowhere on it. */
  readonly confidential?: boolean;
  /** Asked again after the steps, in the same round trip. */
  readonly questions: NodeQuestions;
  /** How long one external program may run, milliseconds. */
  readonly stepTimeoutMs: number;
  /** How long to wait after the last start before looking, milliseconds (cases.md 4). */
  readonly settleMs: number;
}
