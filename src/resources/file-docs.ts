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

export const FILE_DOCS: ResourceDocs = {
  example: `- type: file
  path: /etc/motd
  content: |
    {{ node.name }} is looked after by rollcall.
  template: true
  mode: "0644"`,
  verbs: [
    {
      verb: "write",
      does: "writes a temporary file in the same folder, owner, then mode, and renames it into place",
      params: { ...OWNED_PARAMS, sha256: "of what will be there", size: "of what will be there, bytes" },
    },
    ...ATTRIBUTE_VERBS,
    { verb: "remove", does: "removes the file, or the link", params: {} },
  ],
  reasons: [
    MISSING_REASON,
    { codes: ["content"], severity: "drift", means: "the bytes differ" },
    ...ATTRIBUTE_REASONS,
    ...FILE_REMOVAL_REASONS,
    ...PATH_OBSTACLES,
    DIRECTORY_IN_THE_WAY,
    { codes: ["unreadable"], severity: "error", means: "its bytes could not be read" },
    NOT_OBSERVED,
  ],
};
