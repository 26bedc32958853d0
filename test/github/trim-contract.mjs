// Makes contract.json from GitHub's published OpenAPI description (npm @octokit/openapi, file
// generated/api.github.com.json): `node test/github/trim-contract.mjs PATH`. What is kept is what src/adapters/github uses.
import { readFileSync, writeFileSync } from "node:fs";

const repo = "/repos/{owner}/{repo}";
const OPERATIONS = [
  ["get", "/user"],
  ["get", repo],
  ["get", `${repo}/actions/permissions`],
  ["get", `${repo}/actions/permissions/workflow`],
  ["get", `${repo}/actions/secrets`],
  ["post", `${repo}/actions/workflows/{workflow_id}/dispatches`],
  ["get", `${repo}/branches/{branch}/protection`],
  ["get", `${repo}/collaborators/{username}/permission`],
  ["get", `${repo}/commits/{commit_sha}/pulls`],
  ["get", `${repo}/deployments`],
  ["post", `${repo}/deployments`],
  ["post", `${repo}/deployments/{deployment_id}/statuses`],
  ["get", `${repo}/environments`],
  ["get", `${repo}/environments/{environment_name}/secrets`],
  ["get", `${repo}/issues`],
  ["post", `${repo}/issues`],
  ["get", `${repo}/issues/{issue_number}`],
  ["patch", `${repo}/issues/{issue_number}`],
  ["get", `${repo}/issues/{issue_number}/comments`],
  ["post", `${repo}/issues/{issue_number}/comments`],
  ["patch", `${repo}/issues/comments/{comment_id}`],
  ["delete", `${repo}/issues/comments/{comment_id}`],
  ["post", `${repo}/issues/comments/{comment_id}/reactions`],
  ["post", `${repo}/labels`],
  ["get", `${repo}/pulls`],
  ["get", `${repo}/pulls/{pull_number}`],
  ["get", `${repo}/pulls/{pull_number}/files`],
  ["get", `${repo}/rules/branches/{branch}`],
  ["post", `${repo}/statuses/{sha}`],
];
const PROSE = new Set([
  "description",
  "summary",
  "externalDocs",
  "x-github",
  "x-octokit",
  "tags",
  "x-github-breaking-changes",
]);

const full = JSON.parse(readFileSync(process.argv[2], "utf8"));
const trimmed = { paths: {}, components: {} };

/** Without prose. Names of properties and of examples are not keywords, whatever they are called. */
function withoutProse(value, names = false) {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key]) => names || !PROSE.has(key));
  return Object.fromEntries(
    kept.map(([key, one]) => [
      key,
      key === "value" || key === "example" || key === "default" || key === "enum"
        ? one
        : withoutProse(one, !names && key === "properties"),
    ]),
  );
}

function keepReferences(value) {
  if (value === null || typeof value !== "object") return;
  if (typeof value.$ref === "string") keepComponent(value.$ref);
  for (const one of Object.values(value)) keepReferences(one);
}

function keepComponent(reference) {
  const [, , kind, name] = reference.split("/");
  trimmed.components[kind] ??= {};
  if (name in trimmed.components[kind]) return;
  trimmed.components[kind][name] = withoutProse(full.components[kind][name]);
  keepReferences(trimmed.components[kind][name]);
}

for (const [method, path] of OPERATIONS) {
  const operation = withoutProse(full.paths[path][method]);
  trimmed.paths[path] ??= {};
  trimmed.paths[path][method] = operation;
  keepReferences(operation);
}
writeFileSync(new URL("contract.json", import.meta.url), `${JSON.stringify(trimmed)}\n`);
