import type { Finding } from "./contract.ts";

/** What cannot be observed, or can never become as declared: shown with its reasons, never acted on (DESIGN §3.2). */
export function unsatisfiable(...reasons: readonly [string, ...string[]]): Finding {
  return { verb: "noop", severity: "error", reasons, params: {} };
}
