import type { NodeTarget } from "../../model/node.ts";
import type { OutcomeCode } from "../../model/node-outcome.ts";

/** Why there is no connection to a node: nothing was sent, so that trying again is harmless where it may help. */
export interface ConnectFailure {
  readonly kind: "failure";
  readonly outcome: OutcomeCode;
  readonly message: string;
  readonly mayRetry: boolean;
}

/** What a connection is waiting for, in this order; each is told in the message of a time-out. */
export type ConnectPhase = "TCP connection" | "SSH banner" | "key exchange" | "authentication";

export function connectFailure(outcome: OutcomeCode, message: string, mayRetry = false): ConnectFailure {
  return { kind: "failure", outcome, message, mayRetry };
}

/** Silence before TCP stands is an unreachable node; after that the node is there and does not answer. */
export function connectTimedOut(target: NodeTarget, phase: ConnectPhase): ConnectFailure {
  const waited = `${place(target)} did not answer within ${target.connectTimeoutMs / 1000} s (${phase})`;
  if (phase === "TCP connection") {
    return connectFailure("unreachable", `${waited}: it is off, cut off, or its address is wrong`);
  }
  const advice =
    phase === "authentication" ? "; a slow name service on the node delays logins: raise connect_timeout" : "";
  return connectFailure("timed-out", `${waited}${advice}`);
}

export function place(target: NodeTarget): string {
  return target.address.includes(":") ? `[${target.address}]:${target.port}` : `${target.address}:${target.port}`;
}
