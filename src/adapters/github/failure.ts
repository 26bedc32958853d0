import { RequestError } from "@octokit/request-error";
import type { ForgeFailure, ForgeFailureCode } from "../../model/forge.ts";

type Headers = Readonly<Record<string, string | number | undefined>>;

/** What an error of the request library means; undefined: it is a bug, to be thrown on. `now` in milliseconds. */
export function failureOf(error: unknown, now: number): ForgeFailure | undefined {
  if (error instanceof RequestError && error.response !== undefined) {
    const { status, headers, data } = error.response;
    return answered(status, headers, messageIn(data), now);
  }
  // Sent, and nothing came back: the library calls it status 500. A time-out arrives as the exception of its signal.
  if (error instanceof RequestError) return failed("network", `no answer: ${error.message}`);
  if (error instanceof DOMException) return failed("network", "no answer in time");
  return undefined;
}

export function failed(code: ForgeFailureCode, message: string, retryAfterMs?: number): ForgeFailure {
  const after = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { kind: "failed", code, message: oneLine(message), hint: HINTS[code], ...after };
}

function answered(status: number, headers: Headers, message: string, now: number): ForgeFailure {
  const said = `${status} ${message}`;
  if (status === 403 || status === 429) return limitOf(headers, message, said, now) ?? failed("forbidden", said);
  if (status === 422 && /too long|too large/i.test(message)) return failed("too-large", said);
  if (status >= 500) return failed("server", said, seconds(headers["retry-after"]));
  return failed(CODES[status] ?? "validation", said);
}

/** Both limits come as 403 or 429; what tells them from a refusal are headers, and for old answers the text. */
function limitOf(headers: Headers, message: string, said: string, now: number): ForgeFailure | undefined {
  const after = seconds(headers["retry-after"]);
  if (after !== undefined) return failed("secondary-limit", said, after);
  if (String(headers["x-ratelimit-remaining"]) === "0") {
    const reset = seconds(headers["x-ratelimit-reset"]);
    return failed("rate-limited", said, reset === undefined ? MINUTE : Math.max(0, reset - now));
  }
  // GitHub asks for at least a minute where it names no time.
  return /secondary rate limit|abuse detection/i.test(message) ? failed("secondary-limit", said, MINUTE) : undefined;
}

const MINUTE = 60_000;

function seconds(header: string | number | undefined): number | undefined {
  const value = Number(header);
  return header === undefined || !Number.isFinite(value) || value < 0 ? undefined : value * 1000;
}

function messageIn(data: unknown): string {
  if (typeof data !== "object" || data === null || !("message" in data)) return "without a message";
  const errors = "errors" in data && Array.isArray(data.errors) ? `: ${JSON.stringify(data.errors)}` : "";
  return `${String(data.message)}${errors}`;
}

/** The forge's text goes to logs, where a line may be a command. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}

const CODES: Readonly<Record<number, ForgeFailureCode>> = {
  401: "unauthorized",
  404: "not-found",
  410: "gone",
  413: "too-large",
};

const HINTS: Readonly<Record<ForgeFailureCode, string>> = {
  "rate-limited": "The hour's requests are used up; run it again after the time named.",
  "secondary-limit": "Too much was written at once; run it again after the time named.",
  unauthorized:
    "The token is missing, wrong or has expired (a job's token lasts an hour at most); run it again with a fresh one in GITHUB_TOKEN.",
  forbidden: "The token may not do this; look at `permissions:` of the job.",
  "not-found": "It is not there, or the token may not see it.",
  gone: "It was deleted, or this part of the repository is switched off.",
  validation: "The forge refused what was sent; this is a fault of rollcall, please report it.",
  server: "The forge has trouble; run it again later.",
  network: "Look whether the forge can be reached from here, and run it again.",
  "too-large": "The text is over the forge's limit; shorten it.",
};
