import { InvalidArgumentError } from "commander";
import { parseDuration } from "./kit/duration.ts";

/** An option's duration, in milliseconds, more than none. */
export function durationOption(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError("It must be a duration such as 30m or 1h.");
}
