import { request } from "@octokit/request";
import type { Endpoints } from "@octokit/types";
import type { ForgeAnswer, ForgeFailure } from "../../model/forge.ts";
import { failed, failureOf } from "./failure.ts";

/** Time and chance, so that tests own them. Milliseconds. */
export interface Pace {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export interface ConnectionOptions {
  /** `https://api.github.com`, or an Enterprise server's. */
  readonly apiUrl: string;
  readonly owner: string;
  readonly repo: string;
  /** Asked again when a token was refused: long runs outlive theirs. */
  readonly token: () => Promise<string | undefined>;
  readonly pace: Pace;
  /** Most milliseconds that one call spends waiting for limits and between tries. */
  readonly patienceMs: number;
  /** For one request. */
  readonly timeoutMs: number;
}

type Route = keyof Endpoints;
export type Response<R extends Route> = Endpoints[R]["response"];
export type Parameters<R extends Route> = Omit<Endpoints[R]["parameters"], "owner" | "repo">;

/**
 * `always`: to do it twice is to do it once. `unless-lost`: when no answer came it may have been done, and the caller must
 * look. A request that a limit refused was not done, and is repeated in both.
 */
export type Repeat = "always" | "unless-lost";

export interface Connection {
  readonly pace: Pace;
  /** `read` makes our shape of the answer; what it cannot read is a failure, not an exception. */
  send<R extends Route, T>(
    route: R,
    parameters: Parameters<R>,
    repeat: Repeat,
    read: (response: Response<R>) => T,
  ): Promise<ForgeAnswer<T>>;
}

const TRIES = 4;

/** Sends requests to GitHub's REST API and turns whatever comes of them into values (DESIGN §6). */
export function connect(options: ConnectionOptions): Connection {
  const { pace } = options;
  const client = request.defaults({
    baseUrl: options.apiUrl,
    headers: { "user-agent": "rollcall", "x-github-api-version": "2022-11-28" },
  });
  let token: string | undefined;

  async function once(route: Route, parameters: object): Promise<ForgeAnswer<unknown>> {
    token ??= await options.token();
    if (token === undefined) return failed("unauthorized", "no token is given");
    const place = route.includes("{owner}") ? { owner: options.owner, repo: options.repo } : {};
    try {
      const response = await client(route, {
        ...place,
        ...parameters,
        headers: { authorization: `Bearer ${token}` },
        request: { signal: AbortSignal.timeout(options.timeoutMs), log: SILENT },
      } as never);
      // The library hands out an answer that was cut off, or is no JSON, as text.
      if (response.status !== 204 && typeof response.data === "string")
        return failed("network", "the answer was cut off");
      return { kind: "ok", value: response };
    } catch (error) {
      const failure = failureOf(error, pace.now());
      if (failure === undefined) throw error;
      return { ...failure, message: `${route}: ${failure.message}`.replaceAll(token, "***") };
    }
  }

  /** A refused token is exchanged once for what its source holds now. */
  async function authorised(route: Route, parameters: object): Promise<ForgeAnswer<unknown>> {
    const answer = await once(route, parameters);
    if (answer.kind === "ok" || answer.code !== "unauthorized") return answer;
    const refused = token;
    token = await options.token();
    return token === undefined || token === refused ? answer : once(route, parameters);
  }

  async function send(route: Route, parameters: object, repeat: Repeat): Promise<ForgeAnswer<unknown>> {
    const until = pace.now() + options.patienceMs;
    for (let attempt = 1; ; attempt++) {
      const answer = await authorised(route, parameters);
      if (answer.kind === "ok") return answer;
      const wait = waitBeforeNext(answer, attempt, repeat, pace.random());
      if (wait === undefined || pace.now() + wait > until) return answer;
      await pace.sleep(wait);
    }
  }

  return {
    pace,
    async send(route, parameters, repeat, read) {
      const answer = await send(route, parameters, repeat);
      return answer.kind === "ok" ? readBy(read, answer.value as never, route) : answer;
    },
  };
}

/** Milliseconds; undefined: another try is of no use. */
function waitBeforeNext(failure: ForgeFailure, attempt: number, repeat: Repeat, chance: number): number | undefined {
  switch (failure.code) {
    case "rate-limited":
    case "secondary-limit":
      // A little late, each by another amount: all that waited would come back in the same second.
      return (failure.retryAfterMs ?? 60_000) + 1000 * (1 + chance);
    case "server":
    case "network":
      if (repeat === "unless-lost" || attempt >= TRIES) return undefined;
      return Math.max(failure.retryAfterMs ?? 0, backoff(attempt, chance));
    default:
      return undefined;
  }
}

/** Milliseconds before try `attempt + 1`: doubling, with jitter. */
export function backoff(attempt: number, chance: number): number {
  return 500 * 2 ** attempt * (0.5 + chance / 2);
}

function readBy<Raw, T>(read: (raw: Raw) => T, raw: Raw, route: string): ForgeAnswer<T> {
  try {
    return { kind: "ok", value: read(raw) };
  } catch (error) {
    return failed("server", `${route}: the answer is not what GitHub describes (${String(error)})`);
  }
}

/** The library warns of deprecations on the console; which would be in the middle of a verb's output. */
const silent = (): void => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
