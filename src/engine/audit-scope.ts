import type { DesiredState } from "../desired/desired-state.ts";
import type { ObservedStore, Recheck } from "../ports.ts";

/** What an audit is about beside its nodes. */
export interface AuditScope {
  readonly state: DesiredState;
  /** null: there is no record to read or to write. */
  readonly store: ObservedStore | null;
  /** Whether the desired state is main's, unchanged: else nothing is published and no line of a verdict is run; and why. */
  readonly main: { readonly is: true; readonly recheck: Recheck } | { readonly is: false; readonly why: string };
}

/** Whether others will learn of it. Codes are stable. */
export type Recorded =
  | { readonly ok: true }
  /** Nothing is recorded from here at all, and that is in order. */
  | { readonly ok: null; readonly why: string }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly hint: string };
