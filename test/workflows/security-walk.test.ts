import { describe, expect, it } from "vitest";
import { EVENTS } from "./events.ts";
import { exposures } from "./security-walk.ts";
import { staticProblems } from "./static-checks.ts";
import { readWorkflow, workflowOf } from "./workflow-file.ts";

const X = (expression: string) => `\${{ ${expression} }}`;
const sha = "1".repeat(40);

const BAD = `
name: bad
on: [pull_request_target, issue_comment, pull_request]
permissions: write-all
env: { ALL: "${X("toJSON(secrets)")}" }
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
        with: { ref: "${X("github.event.pull_request.head.sha")}" }
      - run: npm ci && echo "${X("github.event.issue.title")}"
        env: { KEY: "${X("secrets['SSH_KEY']")}" }
`;

describe("the security walk", () => {
  const walk = (event: Parameters<typeof exposures>[1]) => exposures(workflowOf("bad.yml", BAD), event, ".");

  it("sees a pull request's code that runs with keys", async () => {
    const target = { ...EVENTS.forkPullRequest, name: "pull_request_target" as const };
    const [found] = await walk(target);
    expect(found).toMatchObject({
      job: "build",
      trusted: false,
      secrets: ["*", "SSH_KEY"],
      runs: ["base", "pull-request", "unpinned-action"],
      injections: [X("github.event.issue.title")],
    });
    expect(found?.writes).toContain("contents: write");
  });

  it("knows that a fork's pull_request gets neither secrets nor writes", async () => {
    const [found] = await walk(EVENTS.forkPullRequest);
    expect(found).toMatchObject({ secrets: [], writes: [], runs: ["pull-request", "unpinned-action"] });
    const [own] = await walk(EVENTS.pullRequest);
    expect(own?.secrets).toEqual(["*", "SSH_KEY"]);
  });

  it("knows whose code a comment runs", async () => {
    const tame = `
on: issue_comment
permissions: {}
jobs:
  answer:
    permissions: { issues: write }
    runs-on: ubuntu-24.04
    steps:
      - { uses: actions/checkout@${sha}, with: { persist-credentials: false } }
      - { run: 'echo "$BODY" ${X("github.event.issue.number")}', env: { BODY: "${X("github.event.comment.body")}", KEY: "${X("secrets.KEY")}" } }
`;
    expect(await exposures(workflowOf("tame.yml", tame), EVENTS.issueComment, ".")).toEqual([
      {
        workflow: "tame.yml",
        job: "answer",
        event: "issue_comment",
        trusted: true,
        secrets: ["KEY"],
        writes: ["issues: write"],
        runs: ["default-branch", "pinned-action"],
        injections: [],
      },
    ]);
    expect(await exposures(workflowOf("tame.yml", tame), EVENTS.push, ".")).toEqual([]);
  });

  it("finds nothing amiss in our own ci.yml", async () => {
    const ci = await readWorkflow(".github/workflows/ci.yml");
    for (const event of [EVENTS.push, EVENTS.pullRequest, EVENTS.forkPullRequest, EVENTS.workflowDispatch]) {
      const found = await exposures(ci, event, ".");
      expect(found.length).toBeGreaterThan(0);
      for (const one of found) {
        expect(one).toMatchObject({ secrets: [], writes: [], injections: [] });
        expect(one.runs).not.toContain("unpinned-action");
      }
    }
  });
});

describe("static checks", () => {
  it("find what GitHub would refuse and what actionlint warns of", async () => {
    const problems = await staticProblems(
      "bad-one.yml",
      `${BAD}      - run: echo "${X("github.nonsense")} ${X("steps.none.outputs.x")}"\n        shel: bash\n`,
    );
    expect(problems.filter((one) => one.startsWith("github"))).toContainEqual(expect.stringContaining("shel"));
    expect(problems).toContainEqual(expect.stringMatching(/actionlint.*github\.event\.issue\.title.*untrusted/));
  });

  it("check composite actions as actions", async () => {
    const action = (steps: string) => `name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - ${steps}\n`;
    expect(await staticProblems("good/action.yml", action("{ run: 'true', shell: bash }"))).toEqual([]);
    expect(await staticProblems("bad/action.yml", action("{ run: 'true' }"))).not.toEqual([]);
  });
});
