import { parseDuration } from "../../kit/duration.ts";
import { duration } from "../../model/scalar.ts";

/** Milliseconds, from `least` to `most`: a time-out of nothing fails everything, one of weeks is none. */
export function durationWithin(least: string, most: string) {
  const [from, to] = [parseDuration(least) ?? 0, parseDuration(most) ?? Number.POSITIVE_INFINITY];
  return duration.refine(
    (milliseconds) => milliseconds >= from && milliseconds <= to,
    `must be from ${least} to ${most}`,
  );
}
