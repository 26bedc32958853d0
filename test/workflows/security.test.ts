import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENTS, WORKFLOW_EVENTS } from "./events.ts";
import { securityProblems } from "./security-rules.ts";
import { exposures } from "./security-walk.ts";
import { staticProblems } from "./static-checks.ts";
import { workflowOf } from "./workflow-file.ts";

const FILES = ["pull-request", "reconcile", "audit", "comment"] as const;
const textOf = (file: string) => readFileSync(`.github/workflows/${file}.yml`, "utf8");

/** The workspace as jobs have it: the controller beside the fleet, or alone. */
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "workflow-root-"));
  symlinkSync(resolve(".github"), join(root, ".github"));
  symlinkSync(resolve("."), join(root, "controller"));
  symlinkSync(resolve("."), join(root, "fleet"));
});
afterAll(() => rmSync(root, { recursive: true }));

const problemsOf = (file: string, text: string) => securityProblems(workflowOf(`${file}.yml`, text), root);

describe("nothing that a pull request wrote runs with keys before the merge", () => {
  it.each(FILES)("%s.yml holds it over all events", async (file) => {
    expect(await problemsOf(file, textOf(file))).toEqual([]);
  });

  it("is walked over jobs that see the key, and events that start them", async () => {
    const seen = await Promise.all(
      FILES.flatMap((file) =>
        WORKFLOW_EVENTS.map((event) => exposures(workflowOf(`${file}.yml`, textOf(file)), event, root)),
      ),
    );
    const keyed = seen.flat().filter(({ secrets }) => secrets.includes("ROLLCALL_SSH_KEY"));
    expect([...new Set(keyed.map(({ job, event }) => `${job} on ${event}`))].sort()).toEqual([
      "audit on schedule",
      "audit on workflow_dispatch",
      // Its `if` asks for a command that was allowed; the walk does not read conditions.
      "live on issue_comment",
      "live on workflow_run",
      "reconcile on push",
      "reconcile on schedule",
      "reconcile on workflow_dispatch",
    ]);
    for (const { runs } of keyed) expect(runs).not.toContain("pull-request");
  });

  it("gives a fork nothing", async () => {
    const found = await exposures(workflowOf("pr.yml", textOf("pull-request")), EVENTS.forkPullRequest, root);
    expect(found.map(({ job, secrets, writes }) => ({ job, secrets, writes }))).toEqual([
      { job: "plan", secrets: [], writes: [] },
      { job: "rollcall", secrets: [], writes: [] },
    ]);
  });

  const HEAD = `ref: \${{ github.event.pull_request.head.sha }}`;
  const DEFAULT = `ref: \${{ github.event.repository.default_branch }}`;
  const RUN = `run: echo "\${{ github.event.comment.body }}"`;
  it.each([
    ["a job with the key checks out the head", "reconcile", DEFAULT, HEAD],
    ["the live plan runs the pull request's code", "comment", /(live:[\s\S]*?)ref: .*/, "$1ref: refs/pull/7/merge"],
    ["the controller comes from the change", "pull-request", DEFAULT, HEAD],
    ["the controller comes from the event", "pull-request", `          ${DEFAULT}\n`, ""],
    ["the action is the change's", "pull-request", "./controller/.github", "./fleet/.github"],
    ["pull_request_target", "pull-request", "  pull_request:\n", "  pull_request_target:\n"],
    ["the key before the merge", "pull-request", "directory: fleet", `ssh-key: \${{ secrets.ROLLCALL_SSH_KEY }}`],
    ["all secrets", "pull-request", "directory: fleet", `token: \${{ toJSON(secrets) }}`],
    ["another secret beside the key", "reconcile", "command: reconcile", `token: \${{ secrets.ADMIN }}`],
    [
      "the key in the job that hears strangers",
      "comment",
      "command: comment\n",
      `command: comment\n          ssh-key: \${{ secrets.ROLLCALL_SSH_KEY }}\n`,
    ],
    ["a comment in a script", "comment", "- id: comment\n", `- ${RUN}\n      - id: comment\n`],
    [
      "an input in a script",
      "reconcile",
      "- id: reconcile\n",
      `- run: echo \${{ inputs.accept_escalation }}\n      - id: reconcile\n`,
    ],
    ["write-all", "pull-request", "permissions: {}\n\nconcurrency", "permissions: write-all\n\nconcurrency"],
    [
      "write-all in a job",
      "audit",
      /permissions:\n\s+# For.*\n\s+contents: write\n\s+issues: write/,
      "permissions: write-all",
    ],
    ["one permission more", "comment", "actions: write", "actions: write\n      id-token: write"],
    ["contents of the change's own run", "pull-request", "contents: read", "contents: write"],
    ["no permissions said", "pull-request", /( {4}timeout-minutes: 5\n) {4}permissions: \{\}\n/, "$1"],
    ["an action by tag", "audit", /actions\/checkout@[0-9a-f]{40} # v7.0.1/, "actions/checkout@v7"],
    ["the key without the environment", "reconcile", "    environment: rollcall\n", ""],
    ["another environment", "audit", "environment: rollcall", "environment: lab"],
    ["the key on pull requests", "audit", "  workflow_dispatch:\n", "  pull_request:\n"],
  ])("fails with %s", async (_what, file, from, to) => {
    const text = textOf(file);
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    expect(await problemsOf(file, changed)).not.toEqual([]);
  });
});

describe("GitHub's own checks and actionlint", () => {
  it.each([...FILES, "ci"])("accept %s.yml", async (file) => {
    expect(await staticProblems(`.github/workflows/${file}.yml`, textOf(file))).toEqual([]);
  });

  it("accept the action", async () => {
    const path = ".github/actions/rollcall/action.yml";
    expect(await staticProblems(path, readFileSync(path, "utf8"))).toEqual([]);
  });
});
