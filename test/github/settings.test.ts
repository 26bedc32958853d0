import { describe, expect, it } from "vitest";
import { answerOf, closeServers, trial } from "./forge-fixture.ts";

closeServers();
const ADMIN = ["administration:read", "secrets:read", "actions:read", "metadata:read"];
const rule = (type: string, parameters?: object) => ({
  type,
  ruleset_id: 1,
  ruleset_source: "acme/fleet",
  ruleset_source_type: "Repository",
  ...(parameters && { parameters }),
});

describe("settings", () => {
  it("are read part by part", async () => {
    const { forge, world } = await trial({ permissions: ADMIN });
    world.secrets = ["ROLLCALL_SSH_KEY", "ANOTHER"];
    world.environments = [
      { name: "fleet", protection_rules: [{ id: 1, node_id: "x", type: "required_reviewers", reviewers: [] }] },
      { name: "lab", deployment_branch_policy: { protected_branches: true, custom_branch_policies: false } },
    ];
    const settings = await forge.settings();
    expect(answerOf(settings.repository)).toEqual({ name: "acme/fleet", defaultBranch: "main", private: true });
    expect(answerOf(settings.actions)).toEqual({ enabled: true, allowed: "all", pinned: false });
    expect(answerOf(settings.workflowToken)).toEqual({ default: "read", mayApprove: false });
    expect(answerOf(settings.secrets)).toEqual(["ANOTHER", "ROLLCALL_SSH_KEY"]);
    expect(answerOf(settings.environments)).toEqual([
      { name: "fleet", reviewers: true, branches: "all" },
      { name: "lab", reviewers: false, branches: "protected" },
    ]);
  });

  it("that the token may not see are failures of that part alone", async () => {
    const { forge } = await trial();
    const settings = await forge.settings();
    expect(settings).toMatchObject({
      repository: { kind: "ok" },
      actions: { code: "forbidden" },
      secrets: { code: "forbidden" },
    });
    const guard = await forge.guard("main");
    expect(guard).toMatchObject({ protection: { code: "forbidden" }, rules: { kind: "ok" } });
  });
});

describe("the guard of a branch", () => {
  it("is none where there is none", async () => {
    const { forge } = await trial({ permissions: ADMIN });
    const { protection, rules } = await forge.guard("observed");
    expect(answerOf(protection)).toBeNull();
    expect(answerOf(rules)).toMatchObject({ checks: [], mergeQueue: false, noUpdate: false, pullRequest: false });
  });

  it("is classic protection", async () => {
    const { forge, world } = await trial({ permissions: ADMIN });
    const at = "https://api.github.com/repos/acme/fleet/branches/main/protection";
    world.protections.set("main", {
      url: at,
      required_status_checks: {
        url: at,
        contexts_url: at,
        strict: true,
        contexts: ["rollcall"],
        checks: [{ context: "rollcall", app_id: 15_368 }],
      },
      required_pull_request_reviews: {
        url: at,
        dismiss_stale_reviews: true,
        require_code_owner_reviews: false,
        required_approving_review_count: 2,
      },
      enforce_admins: { url: at, enabled: true },
      restrictions: {
        url: at,
        users_url: at,
        teams_url: at,
        apps_url: at,
        users: [{ login: "octocat" }],
        teams: [],
        apps: [{ slug: "github-actions" }],
      },
      allow_force_pushes: { enabled: false },
      allow_deletions: { enabled: true },
    });
    expect(answerOf((await forge.guard("main")).protection)).toEqual({
      checks: ["rollcall"],
      upToDate: true,
      reviews: 2,
      admins: true,
      forcePush: false,
      deletion: true,
      pushers: ["octocat", "app github-actions"],
    });
  });

  it("is all rulesets together", async () => {
    const { forge, world } = await trial({ permissions: ADMIN });
    const checks = (context: string, strict: boolean) =>
      rule("required_status_checks", {
        required_status_checks: [{ context }],
        strict_required_status_checks_policy: strict,
      });
    world.rules.set("main", [
      checks("rollcall", false),
      checks("ci", true),
      rule("deletion"),
      rule("non_fast_forward"),
      rule("merge_queue", {
        check_response_timeout_minutes: 60,
        grouping_strategy: "ALLGREEN",
        max_entries_to_build: 5,
        max_entries_to_merge: 5,
        merge_method: "MERGE",
        min_entries_to_merge: 1,
        min_entries_to_merge_wait_minutes: 5,
      }),
    ]);
    expect(answerOf((await forge.guard("main")).rules)).toEqual({
      checks: ["ci", "rollcall"],
      upToDate: true,
      pullRequest: false,
      reviews: 0,
      mergeQueue: true,
      noUpdate: false,
      noCreation: false,
      noDeletion: true,
      noForcePush: true,
    });
  });
});
