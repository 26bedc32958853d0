import { describe, expect, it } from "vitest";
import { START } from "./forge-fixture.ts";
import { type GitHubServer, startGitHub } from "./server.ts";
import { World } from "./world.ts";

/** The server's own conscience: what GitHub's description does not have fails the test, whatever was answered. */
async function violated(
  ask: (
    github: GitHubServer,
    call: (method: string, path: string, body?: unknown) => Promise<Response>,
  ) => Promise<unknown>,
) {
  const world = new World(START);
  world.token("t", { permissions: ["issues:write", "deployments:write"] });
  const github = await startGitHub(world);
  await ask(github, (method, path, body) =>
    fetch(`${github.url}/repos/acme/fleet${path}`, {
      method,
      headers: { authorization: "Bearer t" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return github.close();
}

describe("the server", () => {
  it.each([
    ["an unknown operation", "GET", "/nonsense", undefined, "GET /repos/acme/fleet/nonsense is not described"],
    ["a property misspelt", "POST", "/issues", { title: "x", lables: [] }, "body.lables is not described"],
    ["a property missing", "POST", "/issues", { body: "x" }, "must have required property 'title'"],
    [
      "a wrong enum",
      "POST",
      "/issues/comments/1/reactions",
      { content: "tada" },
      "must be equal to one of the allowed values",
    ],
    ["an unknown query", "GET", "/issues?label=x", undefined, "query label is not described"],
    ["a wrong number", "GET", "/issues?per_page=many", undefined, "per_page: must be integer"],
    ["a body where none belongs", "DELETE", "/issues/comments/1", { x: 1 }, "a body is not described"],
    [
      "26 inputs",
      "POST",
      "/actions/workflows/x/dispatches",
      { ref: "main", inputs: Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`i${n}`, "x"])) },
      "must NOT have more than 25 properties",
    ],
  ])("fails the test at %s", async (_what, method, path, body, message) => {
    await expect(violated((_github, call) => call(method, path, body))).rejects.toThrow(message);
  });

  it("fails the test when its own answer is not as described", async () => {
    const ask = violated((github, call) => {
      github.world.issue("octocat", { title: 7 as never });
      return call("GET", "/issues");
    });
    await expect(ask).rejects.toThrow("title: must be string");
  });

  it("answers as GitHub does where that is known", async () => {
    await violated(async ({ world }, call) => {
      world.issue("octocat");
      expect((await call("POST", "/deployments", { ref: "main" })).status).toBe(202);
      expect((await call("POST", "/deployments", { ref: "main", auto_merge: false })).status).toBe(409);
      expect((await call("POST", "/issues/1/comments", { body: "😀".repeat(65_536) })).status).toBe(201);
      expect((await call("POST", "/issues/1/comments", { body: "x".repeat(65_537) })).status).toBe(422);
      expect((await call("POST", "/statuses/abc", { state: "success" })).status).toBe(403);
      world.now += 3_600_000;
      expect((await call("GET", "/issues")).status).toBe(401);
    });
  });
});
