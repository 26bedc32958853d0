import type { BranchProtection, BranchRules, ForgeAnswer, ForgeEnvironment } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Connection, Response } from "./connection.ts";
import { gather, hasNext, PER_PAGE } from "./paging.ts";

type Settings = Pick<Forge, "settings" | "environmentSecrets" | "guard">;

const PROTECTION = "GET /repos/{owner}/{repo}/branches/{branch}/protection";
const RULES = "GET /repos/{owner}/{repo}/rules/branches/{branch}";
const ENVIRONMENTS = "GET /repos/{owner}/{repo}/environments";
const SECRETS = "GET /repos/{owner}/{repo}/actions/secrets";
const ENVIRONMENT_SECRETS = "GET /repos/{owner}/{repo}/environments/{environment_name}/secrets";

export function settings(connection: Connection): Settings {
  return {
    async settings() {
      return {
        repository: await connection.send("GET /repos/{owner}/{repo}", {}, "always", ({ data }) => ({
          name: data.full_name,
          defaultBranch: data.default_branch,
          private: data.private,
        })),
        actions: await connection.send("GET /repos/{owner}/{repo}/actions/permissions", {}, "always", ({ data }) => ({
          enabled: data.enabled,
          allowed: data.allowed_actions === "local_only" ? "local-only" : (data.allowed_actions ?? null),
          pinned: data.sha_pinning_required ?? null,
        })),
        workflowToken: await connection.send(
          "GET /repos/{owner}/{repo}/actions/permissions/workflow",
          {},
          "always",
          ({ data }) => ({
            default: data.default_workflow_permissions,
            mayApprove: data.can_approve_pull_request_reviews,
          }),
        ),
        secrets: await secrets(connection),
        environments: await environments(connection),
      };
    },

    async environmentSecrets(environment) {
      const all = await gather((page) =>
        connection.send(
          ENVIRONMENT_SECRETS,
          { environment_name: environment, per_page: PER_PAGE, page },
          "always",
          ({ data, headers }) => ({ values: data.secrets.map((one) => one.name), more: hasNext(headers) }),
        ),
      );
      return all.kind === "ok" ? { kind: "ok", value: [...all.value].sort() } : all;
    },

    async guard(branch) {
      const protection = await connection.send(PROTECTION, { branch }, "always", ({ data }) => protectionOf(data));
      // The same status says "may not see it" and "no such branch"; only the text tells them apart.
      const none = protection.kind === "failed" && /Branch not protected/i.test(protection.message);
      const rules = await gather((page) =>
        connection.send(RULES, { branch, per_page: PER_PAGE, page }, "always", ({ data, headers }) => ({
          values: data,
          more: hasNext(headers),
        })),
      );
      return {
        branch,
        protection: none ? { kind: "ok", value: null } : protection,
        rules: rules.kind === "ok" ? { kind: "ok", value: rulesOf(rules.value) } : rules,
      };
    },
  };
}

async function secrets(connection: Connection): Promise<ForgeAnswer<readonly string[]>> {
  const all = await gather((page) =>
    connection.send(SECRETS, { per_page: PER_PAGE, page }, "always", ({ data, headers }) => ({
      values: data.secrets.map((one) => one.name),
      more: hasNext(headers),
    })),
  );
  return all.kind === "ok" ? { kind: "ok", value: [...all.value].sort() } : all;
}

function environments(connection: Connection): Promise<ForgeAnswer<readonly ForgeEnvironment[]>> {
  return gather((page) =>
    connection.send(ENVIRONMENTS, { per_page: PER_PAGE, page }, "always", ({ data, headers }) => ({
      values: (data.environments ?? []).map((one) => ({
        name: one.name,
        reviewers: (one.protection_rules ?? []).some((rule) => rule.type === "required_reviewers"),
        branches: branchesOf(one.deployment_branch_policy ?? null),
      })),
      more: hasNext(headers),
    })),
  );
}

function branchesOf(policy: { protected_branches: boolean } | null): ForgeEnvironment["branches"] {
  if (policy === null) return "all";
  return policy.protected_branches ? "protected" : "named";
}

function protectionOf(raw: Response<typeof PROTECTION>["data"]): BranchProtection {
  const { restrictions } = raw;
  return {
    checks: raw.required_status_checks?.contexts ?? [],
    upToDate: raw.required_status_checks?.strict ?? false,
    reviews: raw.required_pull_request_reviews?.required_approving_review_count ?? 0,
    admins: raw.enforce_admins?.enabled ?? false,
    forcePush: raw.allow_force_pushes?.enabled ?? false,
    deletion: raw.allow_deletions?.enabled ?? false,
    pushers:
      restrictions === undefined
        ? null
        : [
            ...restrictions.users.flatMap((one) => one.login ?? []),
            ...restrictions.teams.map((one) => `team ${one.slug}`),
            ...restrictions.apps.map((one) => `app ${one.slug ?? one.name}`),
          ],
  };
}

type Rule = Response<typeof RULES>["data"][number];

function rulesOf(rules: readonly Rule[]): BranchRules {
  const of = <Type extends string>(type: Type) =>
    rules.filter((rule): rule is Extract<Rule, { type: Type }> => rule.type === type);
  const checks = of("required_status_checks").flatMap((rule) => rule.parameters ?? []);
  const reviews = of("pull_request").map((rule) => rule.parameters?.required_approving_review_count ?? 0);
  const has = (type: Rule["type"]) => rules.some((rule) => rule.type === type);
  return {
    checks: [...new Set(checks.flatMap((one) => one.required_status_checks.map((check) => check.context)))].sort(),
    upToDate: checks.some((one) => one.strict_required_status_checks_policy),
    pullRequest: reviews.length > 0,
    reviews: Math.max(0, ...reviews),
    mergeQueue: has("merge_queue"),
    noUpdate: has("update"),
    noCreation: has("creation"),
    noDeletion: has("deletion"),
    noForcePush: has("non_fast_forward"),
  };
}
