import { InvalidArgumentError } from "commander";

/** An option's value that is a generation. */
export function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new InvalidArgumentError("It must be a positive whole number.");
  return Number(text);
}
