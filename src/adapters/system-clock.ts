import { randomBytes } from "node:crypto";
import type { Clock } from "../ports.ts";

export const systemClock: Clock = { now: () => new Date() };

/** `20261130T182200Z-3f9c2a`: sorts by time, unique between controllers that start within one second. */
export function newRunId(now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, "");
  return `${stamp}-${randomBytes(3).toString("hex")}`;
}
