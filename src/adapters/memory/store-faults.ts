import type { ObservedWrites } from "../../ports.ts";

/** What a store is asked. */
export const STORE_CALLS = ["read", "record", "publish", "lock", "keep", "raise", "release"] as const;
export type StoreCall = (typeof STORE_CALLS)[number];

/** Something that goes wrong with the observed refs, as a value. */
export type StoreFault = {
  readonly on: StoreCall;
  /** Counted per kind of call from 0; without it, each. */
  readonly nth?: number;
} & (
  | { readonly fault: "controller-killed"; readonly at: "before" | "after" }
  /** Somebody else writes to the branch between the read and the write of this call. */
  | { readonly fault: "race"; readonly writes: ObservedWrites }
  /** The remote takes nothing; of `read` it cannot be reached at all. */
  | { readonly fault: "refused"; readonly message: string }
  /** Somebody takes the lock over just before. */
  | { readonly fault: "lock-lost"; readonly by: string }
);
