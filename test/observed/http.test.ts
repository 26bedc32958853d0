import { describe, expect, it } from "vitest";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { clone, fleetCheckout } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { httpRemote } from "../git-remote/http-remote.ts";
import { addLine, held, put, record, storeIn } from "./stores.ts";

const withToken = (url: string) => url.replace("//", "//x-access-token:hunter2-secret@");

describe("over HTTP", () => {
  it("four that write from one base lose nothing", async () => {
    const remote = await httpRemote();
    await record(storeIn(fleetCheckout(remote)), put({ log: "begin\n" }));
    const stores = Array.from({ length: 4 }, () => storeIn(clone(remote)));
    await Promise.all(stores.map((store) => store.read()));
    const answers = await Promise.all(stores.map((store, index) => record(store, addLine("log", `line ${index}`))));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(4).fill("recorded"));
    const log = remote.file("observed", "log")?.split("\n") ?? [];
    expect(log.sort()).toEqual(["begin", ...Array.from({ length: 4 }, (_, index) => `line ${index}`)].sort());
  });

  it.each([
    // On a kept connection curl itself asks a second time, so that the remote is asked for what it has done already.
    ["keep-alive", 2],
    ["close", 1],
  ] as const)("a push whose answer was lost (%s) counts as what it is: done, once", async (connection, asked) => {
    const remote = await httpRemote();
    remote.connection = connection;
    const store = storeIn(fleetCheckout(remote));
    const lock = await held(store, "r1");
    const cuts: string[] = [];
    remote.intercept = ({ method, url }) => {
      if (method !== "POST" || !url?.endsWith("git-receive-pack") || cuts.length > 0) return undefined;
      cuts.push(url);
      return "cut";
    };
    remote.requests.length = 0;
    expect((await record(store, addLine("log", "once"), lock)).kind).toBe("recorded");
    expect(cuts).toHaveLength(1);
    expect(remote.requests.filter((request) => /^POST .*git-receive-pack$/.test(request))).toHaveLength(asked);
    expect(remote.file("observed", "log")).toBe("once");
    expect(remote.git("rev-list", "--count", "observed")).toBe("1");
    expect((await record(store, addLine("log", "twice"), lock)).kind).toBe("recorded");
    expect(remote.file("observed", "log")).toBe("once\ntwice");
    expect(remote.git("rev-list", "--count", "observed")).toBe("2");
  });

  it("a push that was lost with the remote is not said to have been for nothing", async () => {
    const remote = await httpRemote();
    remote.connection = "close";
    const store = storeIn(fleetCheckout(remote));
    await store.read();
    let lost = false;
    remote.intercept = ({ method, url }) => {
      if (lost) return 503;
      lost = method === "POST" && url?.endsWith("git-receive-pack") === true;
      return lost ? "cut" : undefined;
    };
    const answer = await record(store, put({ a: "1" }));
    expect(answer).toMatchObject({ kind: "failed", code: "remote-unreachable" });
    expect(answer.kind === "failed" && answer.hint).toMatch(/not certain/);
    // It had arrived.
    expect(remote.file("observed", "a")).toBe("1");
    remote.intercept = () => undefined;
    expect((await record(store, put({ a: "1" }))).kind).toBe("unchanged");
  });

  it.each([
    [401, "remote-unauthorized"],
    [403, "remote-unauthorized"],
    [404, "remote-missing"],
    [502, "remote-unreachable"],
  ])("an answer %i to a push is %s, and no credential is in it", async (status, code) => {
    const remote = await httpRemote();
    const folder = fleetCheckout(remote);
    gitIn(folder, "remote", "set-url", "origin", withToken(remote.url));
    remote.intercept = (request) => (request.url?.includes("git-receive-pack") ? status : undefined);
    const answer = await record(storeIn(folder), put({ a: "1" }));
    expect(answer).toMatchObject({ kind: "failed", code });
    expect(JSON.stringify(answer)).not.toContain("hunter2");
    expect(Object.keys(remote.refs())).toEqual(["refs/heads/main"]);
  });

  it.each([
    [401, "remote-unauthorized"],
    [503, "remote-unreachable"],
  ])("an answer %i to a read is %s, for the main branch too", async (status, code) => {
    const remote = await httpRemote();
    const folder = fleetCheckout(remote);
    gitIn(folder, "remote", "set-url", "origin", withToken(remote.url));
    remote.intercept = () => status;
    const error: unknown = await storeIn(folder)
      .read()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain("hunter2");
    await expect(gitRepository(folder).main()).rejects.toMatchObject({ code });
  });

  it("a server that is gone cannot be reached", async () => {
    const remote = await httpRemote();
    const folder = fleetCheckout(remote);
    await remote.close();
    expect(await record(storeIn(folder), put({ a: "1" }))).toMatchObject({
      kind: "failed",
      code: "remote-unreachable",
    });
  });

  it("the header that the checkout is configured with is what opens the door", async () => {
    const remote = await httpRemote();
    const folder = fleetCheckout(remote);
    const basic = Buffer.from("x-access-token:hunter2-secret").toString("base64");
    remote.intercept = (request) => (request.headers.authorization === `basic ${basic}` ? undefined : 401);
    expect(await record(storeIn(folder), put({ a: "1" }))).toMatchObject({ code: "remote-unauthorized" });
    const { origin } = new URL(remote.url);
    gitIn(folder, "config", "--local", `http.${origin}/.extraheader`, `AUTHORIZATION: basic ${basic}`);
    expect((await record(storeIn(folder), put({ a: "1" }))).kind).toBe("recorded");
    expect(await gitRepository(folder).main()).toMatchObject({ branch: "origin/main" });
  });

  it("a read of what is known is one conversation", async () => {
    const remote = await httpRemote();
    const store = storeIn(fleetCheckout(remote));
    await record(store, put({ a: "1" }));
    remote.requests.length = 0;
    await store.read();
    expect(remote.requests).toHaveLength(2);
  });
});
