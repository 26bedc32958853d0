import {
  ATTRIBUTE_REASONS,
  ATTRIBUTE_VERBS,
  DIRECTORY_IN_THE_WAY,
  FILE_REMOVAL_REASONS,
  MISSING_REASON,
  NOT_OBSERVED,
  OWNED_PARAMS,
  PATH_OBSTACLES,
} from "./path-docs.ts";
import type { ResourceDocs } from "./resource-docs.ts";

export const ENV_DOCS: ResourceDocs = {
  example: `- type: env
  path: /etc/api/env
  vars:
    LOG_LEVEL: info
    API_TOKEN: { secret_ref: "env:API_TOKEN" }
  group: api`,
  verbs: [
    {
      verb: "write",
      does: "writes the whole file, as a file resource is written",
      params: { ...OWNED_PARAMS, vars: "names of the variables that differ; never a value" },
    },
    ...ATTRIBUTE_VERBS,
    { verb: "remove", does: "removes the file, or the link", params: {} },
    { verb: "noop", does: "is reported only", params: { secrets: "references that this run does not have" } },
  ],
  reasons: [
    MISSING_REASON,
    { codes: ["vars"], severity: "drift", means: "a variable is missing, too many, or has another value" },
    { codes: ["secret-rotated"], severity: "drift", means: "only values of secrets differ" },
    {
      codes: ["malformed"],
      severity: "drift",
      means: "what is there cannot be read as an environment file, or versions of systemd read it differently",
    },
    ...ATTRIBUTE_REASONS,
    ...FILE_REMOVAL_REASONS,
    {
      codes: ["secret-absent"],
      severity: "warn",
      means: "this run does not have a secret: the file is left as it is, and the node converges without it",
    },
    { codes: ["secret-unfit"], severity: "error", means: "a secret has a value that no environment file can carry" },
    ...PATH_OBSTACLES,
    DIRECTORY_IN_THE_WAY,
    NOT_OBSERVED,
  ],
};
