import type { ReasonDoc, VerbDoc } from "./resource-docs.ts";

/** Pages of the types that own a path: what they have in common. */
export const OWNED_PARAMS = {
  mode: "four octal digits",
  owner: "a name or a number",
  group: "a name or a number",
} as const;

export const ATTRIBUTE_VERBS: readonly VerbDoc[] = [
  { verb: "chmod", does: "sets the mode, when nothing else differs", params: { mode: OWNED_PARAMS.mode } },
  { verb: "chown", does: "sets owner and group, then the mode, which chown may clear", params: OWNED_PARAMS },
];

export const ATTRIBUTE_REASONS: readonly ReasonDoc[] = [
  { codes: ["owner", "group", "mode"], severity: "drift", means: "this differs" },
];

export const FILE_REMOVAL_REASONS: readonly ReasonDoc[] = [
  { codes: ["exists"], severity: "drift", means: "a file is there that is to be absent" },
  {
    codes: ["link"],
    severity: "drift",
    means: "a link is there that is to be absent; the link goes, not what it points to",
  },
];

export const MISSING_REASON: ReasonDoc = { codes: ["missing"], severity: "drift", means: "nothing is there" };

export const PATH_OBSTACLES: readonly ReasonDoc[] = [
  {
    codes: ["link-in-the-way"],
    severity: "error",
    means: "a link stands at the path; it is neither written through nor replaced",
  },
  {
    codes: ["special-in-the-way"],
    severity: "error",
    means: "something else stands there: a device, a socket, a pipe",
  },
  {
    codes: ["parent-missing"],
    severity: "error",
    means: "the folder above does not exist, and nothing above in the role or before it makes it",
  },
];

export const DIRECTORY_IN_THE_WAY: ReasonDoc = {
  codes: ["directory-in-the-way"],
  severity: "error",
  means: "a directory stands at the path",
};

export const NOT_OBSERVED: ReasonDoc = {
  codes: ["not-observed"],
  severity: "error",
  means: "the node did not answer the question",
};
