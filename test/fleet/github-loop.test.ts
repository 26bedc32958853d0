import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpRemote } from "../git-remote/http-remote.ts";
import { startGitHub } from "../github/server.ts";
import { World } from "../github/world.ts";
import { FleetRepository } from "./command-line.ts";
import { type Fleet, startFleet } from "./fleet.ts";

/**
 * The whole loop (DESIGN §6): a pull request and its comment, the merge in waves on real nodes, the record, a change by hand,
 * the audit's issue, the repair, the issue closed. Built program, real git over HTTP, GitHub's API as it is described.
 */
let fleet: Fleet;
let repository: FleetRepository;
const environment: Record<string, string> = {};

beforeAll(async () => {
  fleet = await startFleet({ id: "github", nodes: 3 });
  repository = new FleetRepository(fleet, environment);
});
afterAll(async () => {
  repository?.remove();
  await fleet?.stop();
});

const role = (version: number, content: string): string =>
  `role: site\nversion: ${version}\ndescription: Test.\nresources:\n  - { type: file, path: /etc/site, content: "${content}\\n" }\n`;

test("from a pull request to an issue that is closed again", async () => {
  const remote = await httpRemote();
  remote.hook("post-receive", `while read old new ref; do echo "$ref"; done >>${remote.path}/pushes`);
  const world = new World(Date.now());
  const scopes = ["issues:write", "pull_requests:write", "contents:write", "metadata:read"];
  const token = world.token("job-token", { permissions: scopes });
  const github = await startGitHub(world);
  const outside = join(repository.folder, ".git", "runner");
  mkdirSync(outside);
  const git = (...words: string[]): string =>
    repository.git("-c", "user.name=t", "-c", "user.email=t@example.org", ...words).trim();

  /** As a step of a workflow runs it. */
  async function job(verb: string, event: string, payload: object, ...more: string[]) {
    writeFileSync(join(outside, "event.json"), JSON.stringify(payload));
    for (const file of ["summary.md", "output"]) writeFileSync(join(outside, file), "");
    Object.assign(environment, {
      GITHUB_ACTIONS: "true",
      GITHUB_ACTOR: "octocat",
      GITHUB_API_URL: github.url,
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: join(outside, "event.json"),
      GITHUB_OUTPUT: join(outside, "output"),
      GITHUB_REPOSITORY: "acme/fleet",
      GITHUB_RUN_ID: "17",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_STEP_SUMMARY: join(outside, "summary.md"),
      GITHUB_TOKEN: token,
    });
    const ran = await repository.rollcall("ci", verb, "--output", join(outside, verb), ...more);
    return { ...ran, summary: readFileSync(join(outside, "summary.md"), "utf8") };
  }
  const issues = () => [...world.issues.values()].filter(({ pull }) => pull === null);
  const push = { before: "0".repeat(40), after: "0".repeat(40), ref: "refs/heads/main" };

  repository.writeFleet({ site: role(1, "one") });
  repository.commit();
  git("remote", "add", "origin", remote.url);
  // A server of this very process: a git that is waited for must not speak with it.
  git("push", "--quiet", remote.path, "main");
  const first = await job("reconcile", "push", push, "--budget", "10m");
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("role:site")]);

  const base = git("rev-parse", "main");
  git("checkout", "--quiet", "-b", "topic");
  repository.write({ "host-roles/site.yaml": role(2, "two") });
  const fleetFile = readFileSync(join(repository.folder, "roster/fleet.yaml"), "utf8");
  repository.write({ "roster/fleet.yaml": fleetFile.replace("generation: 1", "generation: 2") });
  repository.commit();
  const head = git("rev-parse", "HEAD");
  const { number } = world.pull("octocat", { headSha: head, baseSha: base, headBranch: "topic" });
  git("checkout", "--quiet", "--detach", "main");
  git("merge", "--quiet", "--no-ff", "--message", "trial", "topic");
  git("push", "--quiet", remote.path, `HEAD:refs/pull/${number}/merge`, `topic:refs/pull/${number}/head`);
  const side = (sha: string, ref: string) => ({ sha, ref, repo: { full_name: "acme/fleet" } });
  const pull = {
    number,
    state: "open",
    draft: false,
    head: side(head, "topic"),
    base: side(base, "main"),
    user: { login: "octocat", type: "User" },
  };
  const proposed = await job("pull-request", "pull_request", { action: "opened", number, pull_request: pull });
  expect([proposed.code, proposed.stdout]).toEqual([0, expect.any(String)]);
  const comments = () => [...world.comments.values()].filter(({ issue }) => issue === number);
  expect(comments()).toHaveLength(1);
  expect(comments()[0]?.body).toMatch(/^<!-- rollcall:plan -->\n[\s\S]*generation 1 → 2/);

  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "--no-ff", "--message", `Merge #${number}`, "topic");
  git("push", "--quiet", remote.path, "main");
  const merge = git("rev-parse", "HEAD");
  const issue = world.issues.get(number);
  if (issue?.pull == null) throw new Error("no pull request");
  issue.state = "closed";
  issue.pull = { ...issue.pull, merged: true, commits: [merge] };
  const merged = await job("reconcile", "push", push, "--budget", "10m");
  expect([merged.code, merged.stdout]).toEqual([0, expect.stringContaining("completed")]);
  expect(merged.summary).toContain(`[#${number}](`);
  const review = JSON.parse(readFileSync(join(outside, "reconcile", "review.json"), "utf8"));
  expect(review).toMatchObject({ kind: "reviewed", escalations: [] });
  for (const node of fleet.nodes) expect((await node.exec("cat /etc/site")).stdout).toBe("two\n");
  const record = remote.git("grep", "-l", '"unit": *"role:site"', "observed", "--", "nodes").split("\n");
  expect(record.filter((line) => line.endsWith("/state.json"))).toHaveLength(fleet.nodes.length);
  const waves = remote.git("grep", "-h", "wave-passed", "observed", "--", "rollouts").split("\n");
  expect(waves.length).toBeGreaterThan(2);
  expect(readFileSync(join(remote.path, "pushes"), "utf8")).toContain("refs/heads/observed\n");
  expect(issues().map(({ title, state }) => [title, state])).toEqual([
    ["Rollout of role:site, generation 1", "closed"],
    ["Rollout of role:site, generation 2", "closed"],
  ]);

  const [node] = fleet.nodes;
  if (node === undefined) throw new Error("no node");
  await node.exec("echo by hand >/etc/site");
  const audit = await job("audit", "schedule", { schedule: "41 5 * * *" });
  expect([audit.code, audit.stdout.trimEnd().split("\n").at(-1)]).toEqual([1, expect.stringContaining("What to do: ")]);
  expect(issues().at(-1)).toMatchObject({ title: "Audit: 1 node changed", state: "open" });
  expect(issues().at(-1)?.body).toContain(node.name);

  const healed = await repository.rollcall("apply", node.name);
  expect([healed.code, healed.stdout]).toEqual([0, expect.any(String)]);
  const after = await job("audit", "schedule", { schedule: "41 5 * * *" });
  expect([after.code, after.stdout]).toEqual([0, expect.any(String)]);
  expect(issues().at(-1)).toMatchObject({ title: "Audit: 1 node changed", state: "closed" });
  await github.close();
}, 300_000);
