import { expect, it } from "vitest";
import { KeptIssues } from "../../src/commands/ci/kept-issues.ts";
import { Reporter } from "../../src/commands/ci/reporter.ts";
import { answerOf, closeServers, trial } from "../github/forge-fixture.ts";

closeServers();

const issue = (text: string, state: "open" | "closed" = "open") => ({
  mark: "<!-- rollcall:x -->",
  title: "X",
  body: `<!-- rollcall:x -->\n${text}`,
  state,
  what: "x",
});

it("edits one issue at most every thirty seconds, but for the last word", async () => {
  const { forge, world, github } = await trial();
  const reporter = new Reporter(forge, "");
  const issues = new KeptIssues(reporter, { now: () => new Date(world.now) });
  const edits = () => github.requests.filter((one) => one === "issues/update").length;
  await issues.keep(issue("one"), false);
  await issues.keep(issue("two"), false);
  expect([edits(), world.issues.size]).toEqual([0, 1]);
  world.now += 30_000;
  await issues.keep(issue("three"), false);
  await issues.keep(issue("four"), false);
  expect([edits(), world.issues.get(1)?.body]).toEqual([1, issue("three").body]);
  await issues.keep(issue("four", "closed"), true);
  expect(world.issues.get(1)).toMatchObject({ body: issue("four").body, state: "closed" });
  expect(reporter.problems()).toEqual([]);
});

it("makes nothing while it cannot know what is there", async () => {
  const { forge, world, github } = await trial();
  github.fault({ on: "issues/list-for-repo", kind: "answer", status: 500, times: 99 });
  const reporter = new Reporter(forge, "");
  const issues = new KeptIssues(reporter, { now: () => new Date(world.now) });
  for (const text of ["one", "two", "three", "four", "five"]) await issues.keep(issue(text), false);
  expect(world.issues.size).toBe(0);
  // Three in a row were enough: a rollout of many waves does not wait for GitHub at each.
  expect(github.requests.length).toBeLessThanOrEqual(13);
  expect(reporter.problems().map(({ code }) => code)).toEqual(["server", "not-tried"]);
  reporter.lastWords();
  expect(answerOf(await forge.permission("octocat"))).toBe("admin");
});
