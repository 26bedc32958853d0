import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runDoctorRepo } from "../../src/commands/doctor-repo.ts";
import type { WorkflowFile } from "../../src/commands/workflow-findings.ts";
import type { RepoFinding } from "../../src/model/repo-finding.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { textFiles } from "../desired/text-files.ts";
import { closeServers, type Trial, trial } from "../github/forge-fixture.ts";

closeServers();
const ADMIN = ["administration:read", "secrets:read", "environments:read", "actions:read", "metadata:read"];
const FLEET = textFiles({ "roster/fleet.yaml": "version: 2\ngeneration: 1\nobserved_branch: record\n" });
const OWN = ["pull-request", "reconcile", "audit", "comment"].map((name): WorkflowFile => {
  const text = readFileSync(`docs/github/workflows/${name}.yml`, "utf8");
  return { file: `${name}.yml`, text: text.replaceAll("@COMMIT", `@${"1".repeat(40)}`) };
});
const rule = (type: string, parameters?: object) => ({
  ...{ type, ruleset_id: 1, ruleset_source: "acme/fleet", ruleset_source_type: "Repository" },
  ...(parameters && { parameters }),
});
const checks = (context: string, strict: boolean) =>
  rule("required_status_checks", {
    required_status_checks: [{ context }],
    strict_required_status_checks_policy: strict,
  });
const reviewed = rule("pull_request", {
  ...{ dismiss_stale_reviews_on_push: true, require_code_owner_review: false, require_last_push_approval: false },
  ...{ required_approving_review_count: 1, required_review_thread_resolution: false },
});

/** A repository as it should be; each test breaks one thing. */
async function sound(permissions = ADMIN): Promise<Trial> {
  const made = await trial({ permissions });
  const { world } = made;
  world.rules.set("main", [checks("rollcall", true), reviewed, rule("deletion"), rule("non_fast_forward")]);
  for (const branch of ["record", "record-live"]) world.rules.set(branch, [rule("update"), rule("deletion")]);
  world.environments = [
    { name: "rollcall", deployment_branch_policy: { protected_branches: true, custom_branch_policies: false } },
  ];
  world.environmentSecrets.set("rollcall", ["ROLLCALL_SSH_KEY"]);
  return made;
}

async function diagnosed({ forge }: Trial, files: readonly WorkflowFile[] = OWN) {
  const repository = { workingTree: async () => FLEET };
  const result = await runDoctorRepo({ repository, forge, workflows: async () => files });
  const { findings } = result.document as { findings: readonly RepoFinding[] };
  const at = (level: string) => findings.filter((one) => one.level === level).map(({ code }) => code);
  return {
    result,
    findings,
    problems: at("problem"),
    unknown: at("unknown"),
    advice: at("advice"),
    text: result.text(PLAIN),
  };
}

describe("doctor --repo", () => {
  it("finds nothing to change in a repository as it should be", async () => {
    const { result, problems, unknown, advice } = await diagnosed(await sound());
    expect([problems, unknown]).toEqual([[], []]);
    expect(advice).toEqual(["actions-pinned"]);
    expect(result.exitCode).toBe(0);
  });

  it("says what to change in a new one", async () => {
    const { result, problems, text } = await diagnosed(await trial({ permissions: ADMIN }), []);
    expect(result.exitCode).toBe(1);
    expect(problems).toEqual([
      ...["required-check", "up-to-date", "pull-request-required", "no-force-push"],
      ...["environment", "environment-branches", "ssh-key", "record-protected", "record-protected"],
      ...["workflow-pull-request", "workflow-reconcile", "workflow-audit", "workflow-comment"],
    ]);
    expect(text).toContain("Settings → Environments → New environment → rollcall");
    expect(text.trim().split("\n").at(-1)).toContain("change what is marked problem");
  });

  it("takes what it may not see for unknown, not for fine", async () => {
    const { result, problems, unknown, text } = await diagnosed(await sound(["metadata:read"]));
    expect(problems).toEqual([]);
    expect(unknown).toEqual(expect.arrayContaining(["ssh-key", "ssh-key-everywhere", "token-default", "environment"]));
    // Rulesets can be seen by everybody, and are enough here.
    expect(unknown).not.toContain("required-check");
    expect(result.exitCode).toBe(1);
    expect(text).toContain("ask again with a token that may see the rest");
  });

  type Break = (made: Trial) => void;
  it.each<[string, string, Break]>([
    [
      "another required check",
      "required-check",
      ({ world }) => void world.rules.set("main", [checks("ci", true), reviewed]),
    ],
    [
      "branches that are behind",
      "up-to-date",
      ({ world }) => void world.rules.set("main", [checks("rollcall", false), reviewed]),
    ],
    [
      "an environment for every branch",
      "environment-branches",
      ({ world }) => {
        world.environments = [{ name: "rollcall" }];
      },
    ],
    ["a key elsewhere", "ssh-key", ({ world }) => void world.environmentSecrets.set("rollcall", ["OTHER"])],
    [
      "a key for everybody",
      "ssh-key-everywhere",
      ({ world }) => {
        world.secrets = ["ROLLCALL_SSH_KEY"];
      },
    ],
    [
      "tokens that write",
      "token-default",
      ({ world }) => {
        world.workflowToken = { default_workflow_permissions: "write", can_approve_pull_request_reviews: false };
      },
    ],
    [
      "workflows switched off",
      "actions-enabled",
      ({ world }) => {
        world.actions = { enabled: false };
      },
    ],
    ["a record that people write", "record-protected", ({ world }) => void world.rules.delete("record-live")],
  ])("sees %s", async (_what, code, broken) => {
    const made = await sound();
    broken(made);
    const { problems, result } = await diagnosed(made);
    expect(problems).toContain(code);
    expect(result.exitCode).toBe(1);
  });

  it.each([
    ["an action by tag", "workflow-pins", "audit.yml", /actions\/checkout@\S+/, "actions/checkout@v7"],
    ["a new name", "workflow-name", "pull-request.yml", "name: rollcall pull request", "name: plan"],
    ["pull_request_target", "pull-request-target", "audit.yml", "  workflow_dispatch:", "  pull_request_target:"],
    ["the key on pull requests", "key-before-merge", "audit.yml", "  workflow_dispatch:", "  pull_request:"],
    ["what is no workflow", "workflow-unread", "audit.yml", "jobs:", "jobs: ["],
  ])("sees %s", async (_what, code, file, from, to) => {
    const files = OWN.map((one) => (one.file === file ? { file, text: one.text.replace(from, to) } : one));
    expect(files).not.toEqual(OWN);
    expect((await diagnosed(await sound(), files)).problems).toContain(code);
  });

  it("wants the queue answered where there is one", async () => {
    const made = await sound();
    const queue = rule("merge_queue", {
      ...{
        check_response_timeout_minutes: 60,
        grouping_strategy: "ALLGREEN",
        max_entries_to_build: 5,
        max_entries_to_merge: 5,
      },
      ...{ merge_method: "MERGE", min_entries_to_merge: 1, min_entries_to_merge_wait_minutes: 5 },
    });
    made.world.rules.set("main", [
      checks("rollcall", false),
      reviewed,
      queue,
      rule("deletion"),
      rule("non_fast_forward"),
    ]);
    expect((await diagnosed(made)).problems).toEqual([]);
    const deaf = OWN.map(({ file, text }) => ({ file, text: text.replace("  merge_group:\n", "") }));
    expect((await diagnosed(made, deaf)).problems).toEqual(["merge-group"]);
  });
});
