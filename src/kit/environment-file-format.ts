import { NOT_SYSTEMD_TEXT } from "./environment-file.ts";
import { ENVIRONMENT_NAME } from "./environment-name.ts";

/** Why a variable cannot stand in an environment file. Messages never hold a value. */
export interface EnvironmentProblem {
  readonly code: "invalid-name" | "nul" | "not-text" | "too-long" | "too-large";
  /** The variable; empty when it is about all of them. */
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

export type EnvironmentFormatting =
  | { readonly kind: "formatted"; readonly text: string }
  | { readonly kind: "problems"; readonly problems: readonly EnvironmentProblem[] };

/**
 * An environment file that systemd, a shell that sources it and our own parser read as exactly these variables
 * (DESIGN §3.2, cases.md 41-44), newlines included. One variable after the other in the order given, no comments: the
 * file is ours as a whole, and the same variables give the same bytes.
 *
 * Double quotes are the one notation on which all readers agree: inside, a backslash takes the meaning from `"`, `\`, `$` and
 * back-quote, for each of them. Single quotes cannot hold a single quote in a shell, and could in older systemd.
 */
export function formatEnvironmentFile(vars: ReadonlyMap<string, string>): EnvironmentFormatting {
  const problems = [...vars].flatMap(([name, value]) => problemOf(name, value) ?? []);
  const total = [...vars].reduce((sum, [name, value]) => sum + assignmentSize(name, value), 0);
  if (total > TOTAL_LIMIT) {
    const message = `the variables have ${total} bytes together; ${TOTAL_LIMIT} are the most that a process surely gets`;
    problems.push({ code: "too-large", name: "", message, hint: FILE_HINT });
  }
  if (problems.length > 0) return { kind: "problems", problems };
  return { kind: "formatted", text: [...vars].map(([name, value]) => `${name}=${quoted(value)}\n`).join("") };
}

/** Bytes that one `NAME=value` may have, its final NUL not counted: MAX_ARG_STRLEN of Linux. */
const ASSIGNMENT_LIMIT = 128 * 1024 - 1;
/** Half of what Linux gives arguments and environment together under the usual stack limit. */
const TOTAL_LIMIT = 1024 * 1024;
const FILE_HINT = "Put large content into a file resource, and its path into the variable.";

function quoted(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,=-]+$/.test(value)) return value;
  return `"${value.replace(/["\\$`]/g, "\\$&")}"`;
}

function problemOf(name: string, value: string): EnvironmentProblem | undefined {
  if (!ENVIRONMENT_NAME.test(name)) {
    const message = "the name of a variable holds only letters, digits and _, and does not begin with a digit";
    return { code: "invalid-name", name, message, hint: "Rename it: systemd would leave it out without failing." };
  }
  if (value.includes("\0")) {
    return { code: "nul", name, message: "no environment variable can hold a NUL character", hint: FILE_HINT };
  }
  if (NOT_SYSTEMD_TEXT.test(value)) {
    const message = "the value holds code points that are no characters, which systemd refuses as broken UTF-8";
    return { code: "not-text", name, message, hint: "Encode it, for example as base64." };
  }
  const size = assignmentSize(name, value);
  if (size <= ASSIGNMENT_LIMIT) return undefined;
  const message = `name and value have ${size} bytes; Linux starts no process with more than ${ASSIGNMENT_LIMIT} in one variable`;
  return { code: "too-long", name, message, hint: FILE_HINT };
}

/** UTF-8 bytes of `NAME=value`. */
function assignmentSize(name: string, value: string): number {
  return new TextEncoder().encode(`${name}=${value}`).length;
}
