import { NOT_OBSERVED } from "./path-docs.ts";
import type { ResourceDocs } from "./resource-docs.ts";

const NAME = { name: "as declared" };

/** dpkg's words for a package that is half there (dpkg-query(1)). */
const HALF_THERE = ["half-installed", "unpacked", "half-configured", "triggers-awaited", "triggers-pending"] as const;

export const PACKAGE_DOCS: ResourceDocs = {
  example: `- type: package
  name: caddy
  version: 2.6.2-5`,
  verbs: [
    {
      verb: "install",
      does: "installs it with apt, without questions, waiting for its lock, keeping edited configuration files",
      params: { ...NAME, version: "when one is declared", repair: "true: what was left half done is finished first" },
    },
    {
      verb: "upgrade",
      does: "installs the declared version, also when that is older",
      params: { ...NAME, version: "as declared", from: "what is installed", downgrade: "true: it is older" },
    },
    {
      verb: "remove",
      does: "removes it with apt, of every architecture meant; its configuration files stay",
      params: { ...NAME, from: "what is installed" },
    },
  ],
  reasons: [
    { codes: ["missing"], severity: "drift", means: "dpkg has never heard of it, or only of another architecture" },
    {
      codes: ["config-files", "not-installed"],
      severity: "drift",
      means: "it was removed, and dpkg still knows its name",
    },
    { codes: HALF_THERE, severity: "drift", means: "dpkg was interrupted or failed half-way" },
    { codes: ["version"], severity: "drift", means: "another version is installed" },
    { codes: ["installed"], severity: "drift", means: "it is to be absent" },
    {
      codes: ["package-held"],
      severity: "error",
      means: "it is on hold on the node, and the hold is somebody's decision; what would change comes after it",
    },
    {
      codes: ["virtual-version"],
      severity: "error",
      means: "other packages provide the name; a virtual name has no version",
    },
    { codes: ["no-dpkg"], severity: "error", means: "the node has no dpkg" },
    NOT_OBSERVED,
  ],
};
