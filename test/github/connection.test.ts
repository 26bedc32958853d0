import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forgeFromEnvironment } from "../../src/adapters/github/environment.ts";
import { answerOf, closeServers, trial } from "./forge-fixture.ts";

closeServers();
const GET = "pulls/get";

describe("trouble of the forge", () => {
  it.each([
    ["500", { kind: "answer", status: 500 } as const],
    ["503 with retry-after", { kind: "answer", status: 503, headers: { "retry-after": "7" } } as const],
    ["a reset", { kind: "reset" } as const],
    ["half of an answer", { kind: "truncated" } as const],
  ])("is waited out: %s", async (_what, fault) => {
    const { forge, world, github, slept } = await trial();
    const { number } = world.pull("octocat");
    github.fault({ on: GET, times: 3, ...fault });
    expect(answerOf(await forge.pullRequest(number)).number).toBe(number);
    expect(slept).toHaveLength(3);
    if ("headers" in fault) expect(Math.min(...slept)).toBeGreaterThanOrEqual(7000);
  });

  it("ends after four tries", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    github.fault({ on: GET, times: 99, kind: "answer", status: 502 });
    expect(await forge.pullRequest(number)).toMatchObject({ kind: "failed", code: "server" });
    expect(github.requests).toHaveLength(4);
  });

  it("is a network failure when there is no answer in time, or nobody at all", async () => {
    const { forge, world, github } = await trial({ timeoutMs: 50 });
    const { number } = world.pull("octocat");
    github.fault({ on: GET, times: 99, kind: "silent" });
    expect(await forge.pullRequest(number)).toMatchObject({ code: "network" });
    await github.close();
    expect(await forge.pullRequest(number)).toMatchObject({ code: "network" });
  });

  it("keeps words of an answer on one line, and the token out of it", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    github.fault({ on: GET, kind: "answer", status: 404, message: "first-token\n::add-mask::x" });
    const answer = await forge.pullRequest(number);
    expect(answer).toMatchObject({ code: "not-found", message: expect.stringContaining("404 *** ::add-mask::x") });
  });
});

describe("limits", () => {
  it("waits for the secondary one", async () => {
    const { forge, world, github, slept } = await trial();
    const { id } = world.comment(world.pull("octocat").number, "github-actions[bot]", "x");
    for (let index = 0; index < 80; index++) answerOf(await forge.updateComment(id, `edit ${index}`));
    expect(slept).toEqual([]);
    answerOf(await forge.updateComment(id, "one more"));
    expect(slept).toEqual([61_500]);
    expect(github.requests.filter((one) => one === "issues/update-comment")).toHaveLength(82);
  });

  it("repeats a write that a limit refused, since it was not done", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    github.fault({
      on: "issues/create-comment",
      kind: "answer",
      status: 429,
      message: "You have exceeded a secondary rate limit.",
    });
    answerOf(await forge.createComment(number, "x"));
    expect(world.comments.size).toBe(1);
  });

  it("does not wait for an hour, but says how long", async () => {
    const { forge, world, slept } = await trial();
    const { number } = world.pull("octocat");
    world.hourLimit = 20;
    world.token("first-token", { expiresAt: world.now * 2 });
    for (let index = 0; index < 20; index++) answerOf(await forge.pullRequest(number));
    world.now += 600_000;
    expect(await forge.pullRequest(number)).toMatchObject({ code: "rate-limited", retryAfterMs: 3_000_000 });
    expect(slept).toEqual([]);
    world.now += 2_950_000;
    answerOf(await forge.pullRequest(number));
    expect(slept).toEqual([51_500]);
  });
});

describe("tokens", () => {
  it("that expired are read anew once", async () => {
    const trying = await trial();
    const { number } = trying.world.pull("octocat");
    answerOf(await trying.forge.pullRequest(number));
    trying.world.now += 3_600_000;
    trying.world.token("second-token");
    trying.tokens = ["second-token"];
    answerOf(await trying.forge.pullRequest(number));
    expect(trying.github.requests).toHaveLength(3);
  });

  it("that expired and have no successor fail with what to do", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    world.now += 3_600_000;
    expect(await forge.pullRequest(number)).toMatchObject({
      code: "unauthorized",
      hint: expect.stringContaining("GITHUB_TOKEN"),
    });
    expect(github.requests).toHaveLength(1);
  });

  it("that may not write are forbidden, which is no limit", async () => {
    const { forge, world, slept } = await trial({ permissions: ["issues:read", "pull_requests:read"] });
    const { number } = world.pull("octocat");
    expect(await forge.createComment(number, "x")).toMatchObject({ code: "forbidden" });
    expect(slept).toEqual([]);
  });
});

describe("the environment", () => {
  const given = { GITHUB_REPOSITORY: "acme/fleet", GITHUB_TOKEN: "first-token" };

  it.each([
    ["no-repository", { ...given, GITHUB_REPOSITORY: "acme" }],
    ["no-repository", { ...given, GITHUB_REPOSITORY: "acme/../x" }],
    ["no-token", { ...given, GITHUB_TOKEN: "" }],
    ["api-url", { ...given, GITHUB_API_URL: "http://forge.example.org" }],
    ["api-url", { ...given, GITHUB_API_URL: "nonsense" }],
  ])("is refused: %s", (code, environment) => {
    expect(forgeFromEnvironment(environment)).toMatchObject({ kind: "problem", code });
  });

  it("reads the token's file again", async () => {
    const { github, world } = await trial();
    const { number } = world.pull("octocat");
    const folder = await mkdtemp(join(tmpdir(), "token-"));
    const file = join(folder, "token");
    await writeFile(file, "first-token\n");
    const setup = forgeFromEnvironment({
      GITHUB_REPOSITORY: "acme/fleet",
      GITHUB_API_URL: github.url,
      GITHUB_TOKEN_FILE: file,
    });
    if (setup.kind === "problem") throw new Error(setup.message);
    answerOf(await setup.forge.pullRequest(number));
    world.now += 3_600_000;
    world.token("second-token");
    await writeFile(file, "second-token\n");
    answerOf(await setup.forge.pullRequest(number));
    await rm(folder, { recursive: true });
  });
});
