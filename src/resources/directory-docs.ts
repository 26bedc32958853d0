import {
  ATTRIBUTE_REASONS,
  ATTRIBUTE_VERBS,
  MISSING_REASON,
  NOT_OBSERVED,
  OWNED_PARAMS,
  PATH_OBSTACLES,
} from "./path-docs.ts";
import type { ResourceDocs } from "./resource-docs.ts";

export const DIRECTORY_DOCS: ResourceDocs = {
  example: `- type: directory
  path: /etc/caddy/sites
  mode: "0750"
  group: caddy`,
  verbs: [
    { verb: "install", does: "makes the directory, with its owner and mode", params: OWNED_PARAMS },
    ...ATTRIBUTE_VERBS,
    { verb: "remove", does: "removes the directory, which must be empty", params: {} },
  ],
  reasons: [
    MISSING_REASON,
    ...ATTRIBUTE_REASONS,
    { codes: ["exists"], severity: "drift", means: "an empty directory is there that is to be absent" },
    {
      codes: ["not-empty"],
      severity: "error",
      means: "it is to be absent and holds something that nothing above removes: never emptied unasked",
    },
    {
      codes: ["unreadable"],
      severity: "error",
      means: "it is to be absent, and whether it is empty could not be seen",
    },
    ...PATH_OBSTACLES,
    NOT_OBSERVED,
  ],
};
