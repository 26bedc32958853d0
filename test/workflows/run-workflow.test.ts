import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENTS } from "./events.ts";
import { runWorkflow } from "./run-workflow.ts";
import { workflowOf } from "./workflow-file.ts";

const X = (expression: string) => `\${{ ${expression} }}`;
const HEAD = "on: [push, pull_request]\npermissions: { contents: write, issues: read }\n";
const workflow = (jobs: string, head = HEAD) => workflowOf("trial.yml", `${head}jobs:\n${jobs.replace(/^/gm, "  ")}`);
const play = (jobs: string, trial = {}) => runWorkflow(workflow(jobs), { event: EVENTS.push, ...trial });

let remote: string;
let head: string;
beforeAll(() => {
  remote = mkdtempSync(join(tmpdir(), "workflow-remote-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      cwd: remote,
      encoding: "utf8",
    });
  git("init", "--quiet", "-b", "main");
  mkdirSync(join(remote, ".github/actions/greet"), { recursive: true });
  writeFileSync(
    join(remote, ".github/actions/greet/action.yml"),
    `name: greet
description: greets
inputs: { who: { description: whom, default: world }, token: { description: t } }
outputs: { said: { description: words, value: "${X("steps.say.outputs.said")}" } }
runs:
  using: composite
  steps:
    - { id: say, shell: bash, env: { WHO: "${X("inputs.who")}" }, run: 'echo "said=hello $WHO" >> "$GITHUB_OUTPUT"; cat "$GITHUB_ACTION_PATH/word"' }
`,
  );
  writeFileSync(join(remote, ".github/actions/greet/word"), "a word\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  git("commit", "--quiet", "--allow-empty", "-m", "second");
  head = git("rev-parse", "HEAD").trim();
});
afterAll(() => rmSync(remote, { recursive: true }));

describe("the runner", () => {
  it("hands outputs, environment, path and summary on", async () => {
    const run = await play(`
one:
  runs-on: x
  outputs: { word: "${X("steps.say.outputs.word")}" }
  steps:
    - id: say
      run: |
        echo "word=$GREETING" >> "$GITHUB_OUTPUT"
        printf 'LATER<<E\\na\\nb\\nE\\n' >> "$GITHUB_ENV"
        mkdir bin; printf '#!/bin/sh\\necho tool\\n' > bin/tool; chmod +x bin/tool; echo "$PWD/bin" >> "$GITHUB_PATH"
        echo "## done" >> "$GITHUB_STEP_SUMMARY"
      env: { GREETING: hello }
    - { run: 'echo "$LATER"; tool; echo "\${GREETING-none}"; echo "${X("env.LATER")}"' }
two:
  needs: one
  runs-on: x
  steps: [{ run: 'echo got ${X("needs.one.outputs.word")} ${X("needs.one.result")}' }]
`);
    expect(run.conclusion).toBe("success");
    expect(run.jobs.one).toMatchObject({ summary: "## done\n", outputs: { word: "hello" } });
    expect(run.jobs.one?.log).toBe("a\nb\ntool\nnone\na\nb\n");
    expect(run.jobs.two?.log).toContain("got hello success");
  });

  it("decides by if, after failures too", async () => {
    const run = await play(`
bad: { runs-on: x, steps: [{ run: exit 3 }, { run: echo never }, { if: failure(), run: echo mended }, { if: always(), run: echo always }] }
after: { needs: bad, runs-on: x, steps: [{ run: echo never }] }
further: { needs: after, runs-on: x, steps: [{ run: echo never }] }
gate: { needs: [bad, after], if: always(), runs-on: x, steps: [{ run: 'test "${X("needs.bad.result")}" = failure && test "${X("needs.after.result")}" = skipped' }] }
lenient: { runs-on: x, steps: [{ id: a, continue-on-error: true, run: exit 1 }, { run: 'echo ${X("steps.a.outcome")} ${X("steps.a.conclusion")}' }] }
never: { if: "github.event_name == 'schedule'", runs-on: x, steps: [{ run: echo never }] }
`);
    const conclusions = Object.fromEntries(Object.values(run.jobs).map((one) => [one.id, one.conclusion]));
    expect(conclusions).toEqual({
      bad: "failure",
      after: "skipped",
      further: "skipped",
      gate: "success",
      lenient: "success",
      never: "skipped",
    });
    expect(run.conclusion).toBe("failure");
    expect(run.jobs.bad?.steps.map((one) => one.outcome)).toEqual(["failure", "skipped", "success", "success"]);
    expect(run.jobs.bad?.log).toContain("exit code 3");
    expect(run.jobs.lenient?.log).toContain("failure success");
    expect(
      Object.values(run.jobs)
        .map((one) => one.log)
        .join(),
    ).not.toContain("never");
  });

  it("runs a matrix made by an earlier job", async () => {
    const run = await play(`
plan: { runs-on: x, outputs: { shards: "${X("steps.p.outputs.shards")}" }, steps: [{ id: p, run: 'echo shards=[1,2] >> $GITHUB_OUTPUT' }] }
work: { needs: plan, runs-on: x, strategy: { matrix: { shard: "${X("fromJSON(needs.plan.outputs.shards)")}", os: [a] } }, steps: [{ run: 'echo shard ${X("matrix.shard")}' }] }
`);
    expect(Object.keys(run.jobs)).toEqual(["plan", "work (1, a)", "work (2, a)"]);
    expect(run.jobs["work (2, a)"]?.log).toContain("shard 2");
  });

  it("shows secrets only where the workflow gives them, masked, and to no fork", async () => {
    const jobs = `
one: { runs-on: x, steps: [{ env: { KEY: "${X("secrets.KEY")}" }, run: 'echo "key:$KEY \${#KEY}"' }, { run: 'echo "key:\${KEY-none}"; echo ::add-mask::veiled; echo veiled' }] }
`;
    const trial = { secrets: { KEY: "opensesame" } };
    const own = await play(jobs, trial);
    expect(own.jobs.one?.log).toBe("key:*** 10\nkey:none\n***\n");
    expect(own.jobs.one?.permissions).toEqual({ contents: "write", issues: "read" });
    const fork = await play(jobs, { ...trial, event: EVENTS.forkPullRequest });
    expect(fork.jobs.one?.log).toContain("key: 0");
    expect(fork.jobs.one?.permissions).toEqual({ contents: "read", issues: "read" });
  });

  it("checks out really, shallow or deep, and plays our composite action", async () => {
    const run = await play(
      `
one:
  runs-on: x
  outputs: { said: "${X("steps.g.outputs.said")}" }
  steps:
    - uses: actions/checkout@v1
      with: { fetch-depth: 0, persist-credentials: false }
    - id: g
      uses: ./.github/actions/greet
      with: { who: '${X("github.actor")}' }
    - run: git rev-list --count HEAD; git config rollcall.trial-token || echo kept nothing
    - { uses: actions/upload-artifact@v1, with: { name: plan, path: .github } }
two: { needs: one, runs-on: x, steps: [{ uses: actions/checkout@v1 }, { run: git rev-list --count HEAD }, { uses: actions/download-artifact@v1, with: { name: plan, path: got } }, { run: ls got/.github/actions }] }
`,
      { remote, event: { ...EVENTS.push, sha: head } },
    );
    expect(run.jobs.one?.log).toBe("a word\n2\nkept nothing\n");
    expect(run.jobs.one?.outputs).toEqual({ said: "hello octocat" });
    expect(run.jobs.two?.log).toContain("greet");
    expect(run.jobs.two?.steps[1]?.log).toBe("1\n");
  });

  it("starts for its events only", async () => {
    const one = (on: string) => workflow("a: { runs-on: x, steps: [{ run: 'true' }] }", `on: ${on}\n`);
    const started = async (on: string, event: (typeof EVENTS)[keyof typeof EVENTS]) =>
      (await runWorkflow(one(on), { event })).started;
    expect(await started("{ push: { branches: [main] } }", EVENTS.push)).toBe(true);
    expect(await started("{ push: { branches: ['release/*'] } }", EVENTS.push)).toBe(false);
    expect(await started("{ pull_request: { branches: [main] } }", EVENTS.pullRequest)).toBe(true);
    expect(await started("{ pull_request: { types: [closed] } }", EVENTS.pullRequest)).toBe(false);
    expect(await started("merge_group", EVENTS.mergeGroup)).toBe(true);
    expect(await started("{ issue_comment: { types: [created] } }", EVENTS.issueComment)).toBe(true);
    expect(await started("{ schedule: [{ cron: '17 * * * *' }] }", EVENTS.schedule)).toBe(true);
    expect(await started("workflow_dispatch", EVENTS.schedule)).toBe(false);
    await expect(started("{ push: { paths: [a] } }", EVENTS.push)).rejects.toThrow("filters by path");
  });

  it("refuses what GitHub refuses and what it cannot play", () => {
    expect(() => workflow("a: { runs-on: x, stepps: [] }")).toThrow(/stepps/);
    expect(() => workflow("a: { runs-on: x, container: y, steps: [{ run: z }] }")).toThrow("does not play");
  });

  it("fails a step whose action it does not know, or that gives an unknown input", async () => {
    const run = await play("a: { runs-on: x, steps: [{ uses: other/action@v1 }] }");
    expect(run.jobs.a).toMatchObject({
      conclusion: "failure",
      log: expect.stringContaining("no stand-in for other/action"),
    });
  });
});
