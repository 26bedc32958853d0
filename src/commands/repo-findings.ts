import type { BranchGuard, BranchProtection, BranchRules, ForgeAnswer, RepositorySettings } from "../model/forge.ts";
import type { RepoFinding } from "../model/repo-finding.ts";

/** The job of pull-request.yml that must be required. */
const REQUIRED_CHECK = "rollcall";
/** The environment that holds the key to the nodes. */
export const ENVIRONMENT = "rollcall";
export const KEY_SECRET = "ROLLCALL_SSH_KEY";

/** true, false, or why nobody can say. */
type Known = boolean | { readonly unknown: string };

interface Rule {
  readonly code: string;
  readonly about: string;
  readonly change: string;
  /** Of one that can do without. */
  readonly advice?: boolean;
}

/** `found`: in words, when it does not hold. */
export function finding(rule: Rule, holds: Known, found: string, fine: string = "as it should be"): RepoFinding {
  const { code, about, change } = rule;
  if (holds === true) return { code, level: "fine", about, found: fine, change: "" };
  if (holds === false) return { code, level: rule.advice === true ? "advice" : "problem", about, found, change };
  return {
    code,
    level: "unknown",
    about,
    found: holds.unknown,
    change: `ask again with a token that may see it; it should be: ${change}`,
  };
}

function asked<T>(answer: ForgeAnswer<T>, holds: (value: T) => boolean): Known {
  return answer.kind === "ok" ? holds(answer.value) : { unknown: `${answer.code}: ${answer.message}` };
}

/** One of two places is enough; while one of them cannot be seen, the other's no is no answer. */
function either(a: Known, b: Known): Known {
  if (a === true || b === true) return true;
  if (typeof a === "object") return a;
  return b;
}

const PLACE = "Settings → Rules → Rulesets (or Branches)";

/** The branch that people merge into (DESIGN §6). */
export function mainFindings({ branch, protection, rules }: BranchGuard): readonly RepoFinding[] {
  const queue = asked(rules, ({ mergeQueue }) => mergeQueue);
  const inOne = (a: (classic: BranchProtection) => boolean, b: (rulesets: BranchRules) => boolean) =>
    either(
      asked(protection, (value) => value !== null && a(value)),
      asked(rules, b),
    );
  return [
    finding(
      {
        code: "required-check",
        about: `${branch} requires the check ${REQUIRED_CHECK}`,
        change: `${PLACE} → ${branch} → Require status checks to pass → add ${REQUIRED_CHECK}`,
      },
      inOne(
        ({ checks }) => checks.includes(REQUIRED_CHECK),
        ({ checks }) => checks.includes(REQUIRED_CHECK),
      ),
      "a pull request can be merged while its plan is blocked",
    ),
    finding(
      {
        code: "up-to-date",
        about: `what is merged into ${branch} was planned on its tip`,
        change: `${PLACE} → ${branch} → Require branches to be up to date before merging, or Require merge queue`,
      },
      either(
        queue,
        inOne(
          ({ upToDate }) => upToDate,
          ({ upToDate }) => upToDate,
        ),
      ),
      "two pull requests, each fine by itself, can be merged without a plan of both",
    ),
    finding(
      {
        code: "pull-request-required",
        about: `${branch} changes through pull requests`,
        change: `${PLACE} → ${branch} → Require a pull request before merging, with at least one approval`,
      },
      inOne(
        ({ reviews }) => reviews > 0,
        ({ pullRequest }) => pullRequest,
      ),
      "whoever has write permission can push to it what nobody looked at",
    ),
    finding(
      {
        code: "no-force-push",
        about: `the history of ${branch} stays`,
        change: `${PLACE} → ${branch} → Block force pushes, Restrict deletions`,
      },
      inOne(
        ({ forcePush, deletion }) => !forcePush && !deletion,
        ({ noForcePush, noDeletion }) => noForcePush && noDeletion,
      ),
      "it can be overwritten or deleted; the merge run refuses what does not descend from what was reconciled",
    ),
    finding(
      {
        code: "admins-too",
        about: `the rules of ${branch} hold for administrators`,
        change: `${PLACE} → ${branch} → Do not allow bypassing the above settings`,
        advice: true,
      },
      // Rulesets hold for administrators unless they are on the list of who may bypass, which is not told.
      asked(protection, (value) => value === null || value.admins),
      "an administrator can merge what is blocked",
    ),
  ];
}

/** A branch of the record, which runs write and people read (DESIGN §4). */
export function recordFinding({ branch, protection, rules }: BranchGuard): RepoFinding {
  const pushers = protection.kind === "ok" ? (protection.value?.pushers ?? null) : null;
  const people = (pushers ?? []).filter((one) => !one.startsWith("app "));
  const holds = either(
    asked(protection, (value) => value !== null && value.pushers !== null && people.length === 0),
    asked(rules, ({ noUpdate, noDeletion }) => noUpdate && noDeletion),
  );
  const who = people.length > 0 ? `${people.join(", ")} can write it` : "everybody with write permission can write it";
  return finding(
    {
      code: "record-protected",
      about: `${branch} is written by runs alone`,
      change: `Settings → Rules → Rulesets → a ruleset for ${branch} with Restrict updates and Restrict deletions, and on its bypass list only the app whose token the workflows use`,
    },
    holds,
    who,
  );
}

/** Settings of the repository as a whole. */
export function settingsFindings(
  settings: RepositorySettings,
  environmentSecrets: ForgeAnswer<readonly string[]>,
): readonly RepoFinding[] {
  const { actions, workflowToken, secrets, environments } = settings;
  const place = `Settings → Environments → ${ENVIRONMENT}`;
  const environment =
    environments.kind === "ok" ? environments.value.find(({ name }) => name === ENVIRONMENT) : undefined;
  const policy = asked(environments, () => environment !== undefined && environment.branches !== "all");
  return [
    finding(
      {
        code: "actions-enabled",
        about: "workflows run, and may use the actions that they name",
        change: "Settings → Actions → General → allow actions created by GitHub, and the one of rollcall",
      },
      asked(actions, ({ enabled, allowed }) => enabled && allowed !== "local-only"),
      actions.kind === "ok" && actions.value.enabled
        ? "only actions of this repository may be used"
        : "workflows are switched off",
    ),
    finding(
      {
        code: "environment",
        about: `the environment ${ENVIRONMENT} is there`,
        change: `Settings → Environments → New environment → ${ENVIRONMENT}`,
      },
      asked(environments, () => environment !== undefined),
      "there is none: the key to the nodes would be in reach of every workflow",
    ),
    finding(
      {
        code: "environment-branches",
        about: `only the default branch deploys to ${ENVIRONMENT}`,
        change: `${place} → Deployment branches → Selected branches, and only the default branch`,
      },
      policy,
      "any branch can: who can push one can read the key",
      environment?.branches === "named"
        ? "named branches; see that only the default branch is among them"
        : "protected branches",
    ),
    finding(
      {
        code: "ssh-key",
        about: `${KEY_SECRET} is a secret of that environment`,
        change: `${place} → Environment secrets → Add secret ${KEY_SECRET}`,
      },
      environmentSecrets.kind === "failed" &&
        environmentSecrets.code === "not-found" &&
        environments.kind === "ok" &&
        environment === undefined
        ? false
        : asked(environmentSecrets, (names) => names.includes(KEY_SECRET)),
      "it is not: no node can be reached",
    ),
    finding(
      {
        code: "ssh-key-everywhere",
        about: `${KEY_SECRET} is no secret of the whole repository`,
        change: `Settings → Secrets and variables → Actions → Repository secrets → remove ${KEY_SECRET}`,
      },
      asked(secrets, (names) => !names.includes(KEY_SECRET)),
      "it is: a workflow on any branch can read it",
    ),
    finding(
      {
        code: "token-default",
        about: "a workflow that says nothing has a token that reads",
        change: "Settings → Actions → General → Workflow permissions → Read repository contents",
      },
      asked(workflowToken, (value) => value.default === "read"),
      "its token can write",
    ),
    finding(
      {
        code: "token-approves",
        about: "workflows approve no pull requests",
        change:
          "Settings → Actions → General → Workflow permissions → clear Allow GitHub Actions to create and approve pull requests",
        advice: true,
      },
      asked(workflowToken, ({ mayApprove }) => !mayApprove),
      "they can: an approval need not be a person's",
    ),
    finding(
      {
        code: "actions-pinned",
        about: "actions must be pinned by commit",
        change: "Settings → Actions → General → Require actions to be pinned to a full-length commit SHA",
        advice: true,
      },
      asked(actions, ({ pinned }) => pinned === true),
      "nothing demands it",
    ),
  ];
}
