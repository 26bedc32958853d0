import { invalid, listed, notFound, ok, refused } from "./answers.ts";
import { exampleOf } from "./contract.ts";
import type { Route } from "./routes.ts";

const ADMIN = ["administration:read"];

/** Settings, and what a setting of ours switches on: deployments, statuses, dispatches. */
export const settingsRoutes: Readonly<Record<string, Route>> = {
  "repos/get": {
    needs: ["metadata:read"],
    answer: () => {
      const {
        source: _source,
        parent: _parent,
        template_repository: _template,
        ...own
      } = exampleOf("full-repository-default-response");
      return ok({ ...own, language: null, full_name: "acme/fleet", default_branch: "main", private: true });
    },
  },
  "actions/get-github-actions-permissions-repository": {
    needs: ADMIN,
    answer: ({ world }) => ok({ ...exampleOf("actions-repository-permissions"), ...world.actions }),
  },
  "actions/get-github-actions-default-workflow-permissions-repository": {
    needs: ADMIN,
    answer: ({ world }) => ok({ ...exampleOf("actions-default-workflow-permissions"), ...world.workflowToken }),
  },
  "actions/list-repo-secrets": {
    needs: ["secrets:read"],
    answer: ({ world }) => {
      const [example] = exampleOf("actions-secret-paginated").secrets as object[];
      return listed(
        world.secrets.map((name) => ({ ...example, name })),
        "secrets",
      );
    },
  },
  "actions/list-environment-secrets": {
    needs: ["environments:read"],
    answer: ({ world, operation }) => {
      const names = world.environmentSecrets.get(operation.path.environment_name ?? "");
      if (names === undefined) return notFound();
      const [example] = exampleOf("actions-secret-paginated").secrets as object[];
      return listed(
        names.map((name) => ({ ...example, name })),
        "secrets",
      );
    },
  },
  "repos/get-all-environments": {
    needs: ["actions:read"],
    answer: ({ world }) => {
      const [example] = exampleOf("environments").environments as object[];
      return listed(
        world.environments.map((one) => ({ ...example, protection_rules: [], deployment_branch_policy: null, ...one })),
        "environments",
      );
    },
  },
  "repos/get-branch-protection": {
    needs: ADMIN,
    answer: ({ world, operation }) => {
      const protection = world.protections.get(operation.path.branch ?? "");
      return protection === undefined ? refused(404, "Branch not protected") : ok(protection);
    },
  },
  "repos/get-branch-rules": {
    needs: ["metadata:read"],
    answer: ({ world, operation }) => listed(world.rules.get(operation.path.branch ?? "") ?? []),
  },
  "repos/list-deployments": {
    needs: ["deployments:read"],
    answer: ({ world, query }) => {
      const same = (name: string, value: unknown) => query.get(name) === null || query.get(name) === value;
      const found = world.deployments.filter(
        (one) => same("sha", one.sha) && same("environment", one.environment) && same("task", one.task),
      );
      return listed(found.reverse());
    },
  },
  "repos/create-deployment": {
    needs: ["deployments:write"],
    answer: ({ world, body }) => {
      if (body.auto_merge !== false) return ok({ message: "Auto-merged main into topic on deployment." }, 202);
      if (body.required_contexts === undefined) return refused(409, "Conflict: Commit status checks failed for main.");
      const { ref, environment = "production", task = "deploy", description = null } = body;
      const made = {
        ...exampleOf("deployment-simple-example"),
        id: world.id(),
        sha: ref,
        ref,
        environment,
        task,
        description,
      };
      world.deployments.push(made);
      return ok(made, 201);
    },
  },
  "repos/create-deployment-status": {
    needs: ["deployments:write"],
    answer: ({ world, operation, body }) => {
      const id = Number(operation.path.deployment_id);
      if (!world.deployments.some((one) => one.id === id)) return notFound();
      if ((body.description ?? "").length > 140)
        return invalid(
          "DeploymentStatus",
          "description",
          "custom",
          "description is too long (maximum is 140 characters)",
        );
      world.deploymentStatuses.push({ deployment: id, ...body });
      return ok({ ...exampleOf("deployment-status"), state: body.state, description: body.description ?? "" }, 201);
    },
  },
  "repos/create-commit-status": {
    needs: ["statuses:write"],
    answer: ({ world, operation, body }) => {
      if ((body.description ?? "").length > 140)
        return invalid("Status", "description", "custom", "description is too long (maximum is 140 characters)");
      world.statuses.push({ sha: operation.path.sha, ...body });
      return ok(
        { ...exampleOf("status"), state: body.state, context: body.context, description: body.description ?? null },
        201,
      );
    },
  },
  "actions/create-workflow-dispatch": {
    needs: ["actions:write"],
    answer: ({ world, operation, body }) => {
      const run = world.id();
      world.dispatches.push({ workflow: operation.path.workflow_id, ...body });
      if (body.return_run_details !== true) return { status: 204 };
      return ok({ ...exampleOf("workflow-dispatch-response"), workflow_run_id: run });
    },
  },
};
