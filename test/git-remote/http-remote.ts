import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { type BareRemote, bareRemote } from "./bare-remote.ts";
import { BARE_ENVIRONMENT } from "./git-in.ts";

/** A bare repository behind git's own HTTP server side, on loopback. */
export interface HttpRemote extends BareRemote {
  /** Without credentials. */
  readonly url: string;
  /** `METHOD path` of each request, in order. */
  readonly requests: string[];
  /** Answers requests itself when it says a status; "cut" breaks the connection off after git has done its work. */
  intercept: (request: IncomingMessage) => number | "cut" | undefined;
  /** Whether a client may ask again on the same connection. */
  connection: "keep-alive" | "close";
  close(): Promise<void>;
}

export async function httpRemote(): Promise<HttpRemote> {
  const bare = bareRemote();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader("connection", remote.connection);
    const word = remote.intercept(request);
    if (typeof word === "number") return plain(response, word);
    serve(dirname(bare.path), request, response, word === "cut");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fleet.git`;
  const remote: HttpRemote = { ...bare, url, requests, intercept: () => undefined, connection: "keep-alive", close };
  onTestFinished(close);
  return remote;
}

function plain(response: ServerResponse, status: number): void {
  const headers = status === 401 ? { "www-authenticate": 'Basic realm="git"' } : {};
  response.writeHead(status, headers).end("no\n");
}

/** One CGI process a request (RFC 3875), as git-http-backend(1) wants it. */
function serve(root: string, request: IncomingMessage, response: ServerResponse, cut: boolean): void {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const header = (name: string) => [request.headers[name] ?? ""].flat()[0] ?? "";
  const child = spawn("git", ["http-backend"], {
    env: {
      ...BARE_ENVIRONMENT,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      // Somebody must be named, or git serves pushes to nobody.
      REMOTE_USER: "somebody",
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: header("content-type"),
      CONTENT_LENGTH: header("content-length"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      HTTP_GIT_PROTOCOL: header("git-protocol"),
      GIT_PROTOCOL: header("git-protocol"),
    },
  });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("error", () => response.destroy());
  child.on("close", () => {
    if (cut) return request.socket.destroy();
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    const lines = output.toString("latin1", 0, end).split("\r\n");
    const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
    const status = headers.find(([name]) => name.toLowerCase() === "status")?.[1] ?? "200";
    for (const [name, value] of headers) if (name.toLowerCase() !== "status") response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10)).end(output.subarray(end + 4));
  });
}
