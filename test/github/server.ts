import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Answer, refused } from "./answers.ts";
import { type Operation, operationOf, requestProblems, responseProblems } from "./contract.ts";
import { type Call, ROUTES } from "./routes.ts";
import type { Token, World } from "./world.ts";

/** Trouble on the next requests of an operation (its id in GitHub's description, `issues/create-comment`). */
export interface Fault {
  readonly on: string;
  /** How many requests; 1 unless said. */
  readonly times?: number;
  /** `reset`: cut before it is done · `lost`: cut after · `truncated`: half of the answer · `silent`: no answer at all. */
  readonly kind: "reset" | "lost" | "truncated" | "silent" | "answer";
  /** Of `answer`: what is said; with `done` after it was done. */
  readonly status?: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly done?: boolean;
}

export interface GitHubServer {
  readonly url: string;
  readonly world: World;
  /** `operation id` of each request, in order. */
  readonly requests: readonly string[];
  fault(fault: Fault): void;
  /** Ends it; throws when anything was not as GitHub's description says. */
  close(): Promise<void>;
}

const WRITES_A_MINUTE = 80;

/** GitHub's REST API for one repository on a port of its own. Nothing in it waits, and time is `world.now`. */
export async function startGitHub(world: World): Promise<GitHubServer> {
  const violations: string[] = [];
  const requests: string[] = [];
  const faults: { fault: Fault; left: number }[] = [];
  const limits = new Limits(world);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://local");
    const operation = operationOf(request.method ?? "", pathname);
    if (operation === undefined) {
      violations.push(`${request.method} ${pathname} is not described`);
      return send(response, refused(404, "Not Found"), {});
    }
    requests.push(operation.id);
    const raw = await text(request);
    const due = faults.find((one) => one.fault.on === operation.id && one.left > 0);
    if (due !== undefined) due.left -= 1;
    const fault = due?.fault;
    if (fault?.kind === "silent") return undefined;
    if (fault?.kind === "reset") return void request.socket.destroy();
    if (fault?.kind === "answer" && fault.done !== true) return troubled(response, fault);

    const { answer, headers } = answered(operation, query, raw, request.headers.authorization);
    if (fault?.kind === "lost") return void request.socket.destroy();
    if (fault?.kind === "answer") return troubled(response, fault);
    if (fault?.kind === "truncated") return half(response, answer);
    send(response, answer, headers);
  }

  function answered(operation: Operation, query: URLSearchParams, raw: string, authorization: string | undefined) {
    const token = tokenOf(world, authorization);
    if (token === undefined) return { answer: refused(401, "Bad credentials"), headers: {} };
    const limited = limits.refusal(operation.method);
    if (limited !== undefined) return limited;
    const body = raw === "" ? undefined : JSON.parse(raw);
    const problems = requestProblems(operation, query, body);
    violations.push(...problems.map((one) => `request ${operation.id}: ${one}`));
    if (problems.length > 0) return { answer: refused(422, problems.join("; ")), headers: {} };
    const whole = perform({ world, operation, query, body, token });
    const { answer, headers } = paged(whole, query, `http://local${operation.template}`);
    if (answer.status !== 204) {
      violations.push(
        ...responseProblems(operation, answer.status, answer.data).map((one) => `answer ${operation.id}: ${one}`),
      );
    }
    return { answer, headers: { ...limits.headers(), ...headers } };
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`the server broke: ${String(error)}`);
      request.socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    world,
    requests,
    fault: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      if (violations.length > 0) throw new Error(`not as GitHub describes it:\n${[...new Set(violations)].join("\n")}`);
    },
  };
}

function perform(call: Call): Answer {
  if (call.operation.id !== "users/get-authenticated" && call.operation.path.owner !== call.world.owner)
    return refused(404, "Not Found");
  const route = ROUTES[call.operation.id];
  if (route === undefined) throw new Error(`${call.operation.id} is described, but the server does not play it`);
  if (route.needs.length > 0 && !route.needs.some((need) => allows(call.token, need))) {
    return refused(403, "Resource not accessible by integration");
  }
  return route.answer(call);
}

function allows(token: Token, need: string): boolean {
  return token.permissions.includes(need) || token.permissions.includes(need.replace(/:read$/, ":write"));
}

function tokenOf(world: World, authorization: string | undefined): Token | undefined {
  const token = world.tokens.get(/^(?:Bearer|token) (\S+)$/.exec(authorization ?? "")?.[1] ?? "");
  return token !== undefined && token.expiresAt > world.now ? token : undefined;
}

function paged(
  answer: Answer,
  query: URLSearchParams,
  url: string,
): { answer: Answer; headers: Record<string, string> } {
  if (answer.list === undefined) return { answer, headers: {} };
  const size = Math.min(100, Number(query.get("per_page") ?? 30));
  const page = Number(query.get("page") ?? 1);
  const last = Math.max(1, Math.ceil(answer.list.length / size));
  const part = answer.list.slice((page - 1) * size, page * size);
  const data = answer.key === undefined ? part : { total_count: answer.list.length, [answer.key]: part };
  const link = (to: number, rel: string) => `<${url}?per_page=${size}&page=${to}>; rel="${rel}"`;
  const links = page < last ? [link(page + 1, "next"), link(last, "last")] : page > 1 ? [link(page - 1, "prev")] : [];
  return { answer: { status: answer.status, data }, headers: links.length > 0 ? { link: links.join(", ") } : {} };
}

/** A thousand requests an hour, and eighty writes a minute, as GitHub counts a workflow's token. */
class Limits {
  private used = 0;
  private resetAt: number;
  private writes: number[] = [];
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
    this.resetAt = world.now + 3_600_000;
  }

  headers(): Record<string, string> {
    return {
      "x-ratelimit-limit": String(this.world.hourLimit),
      "x-ratelimit-remaining": String(Math.max(0, this.world.hourLimit - this.used)),
      "x-ratelimit-reset": String(Math.ceil(this.resetAt / 1000)),
    };
  }

  refusal(method: string): { answer: Answer; headers: Record<string, string> } | undefined {
    const { now } = this.world;
    if (now >= this.resetAt) {
      this.used = 0;
      this.resetAt = now + 3_600_000;
    }
    if (this.used >= this.world.hourLimit)
      return { answer: refused(403, "API rate limit exceeded for installation."), headers: this.headers() };
    this.used += 1;
    if (method === "GET") return undefined;
    this.writes = this.writes.filter((at) => at > now - 60_000);
    if (this.writes.length >= WRITES_A_MINUTE) {
      const answer = refused(
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
      );
      return { answer, headers: { ...this.headers(), "retry-after": "60" } };
    }
    this.writes.push(now);
    return undefined;
  }
}

function send(response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>>): void {
  const type = answer.data === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
  response.writeHead(answer.status, { ...type, ...headers });
  response.end(answer.data === undefined ? undefined : JSON.stringify(answer.data));
}

function troubled(response: ServerResponse, fault: Fault): void {
  send(response, refused(fault.status ?? 502, fault.message ?? "Server Error"), fault.headers ?? {});
}

function half(response: ServerResponse, answer: Answer): void {
  const whole = JSON.stringify(answer.data);
  response.writeHead(answer.status, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
  response.write(whole.slice(0, whole.length / 2), () => response.destroy());
}
