import type { FileContent } from "../../model/file-content.ts";

/** A package as apt offers it, and what happens when it is configured. */
export interface RepositoryPackage {
  readonly name: string;
  readonly version: string;
  /** `all`, `amd64`, … */
  readonly architecture: string;
  readonly provides: readonly string[];
  /** Names that must be installed too, in any version. */
  readonly depends: readonly string[];
  /** Names that cannot be installed beside it. */
  readonly conflicts: readonly string[];
  readonly files: readonly PackageFile[];
  readonly groups: readonly string[];
  readonly users: readonly string[];
  /** Units that its maintainer scripts enable and start. */
  readonly starts: readonly string[];
  /** Its configuration fails: dpkg leaves it half-configured. */
  readonly broken: boolean;
}

export interface PackageFile {
  readonly path: string;
  readonly content: FileContent;
  readonly mode: string;
  /** dpkg keeps what was edited on the node, and keeps the file when the package is removed. */
  readonly conffile: boolean;
}

export function repositoryPackage(
  named: Pick<RepositoryPackage, "name" | "version"> & Partial<RepositoryPackage>,
): RepositoryPackage {
  return {
    architecture: "all",
    provides: [],
    depends: [],
    conflicts: [],
    files: [],
    groups: [],
    users: [],
    starts: [],
    broken: false,
    ...named,
  };
}
