import { z } from "zod";
import type { NodeEffect } from "../model/node-effect.ts";
import type { NodeFacts, PackageFact, PackageInstance } from "../model/node-facts.ts";
import { NO_QUESTIONS } from "../model/node-question.ts";
import type { Declared, Finding, Observed, Problem, ResourceType } from "./contract.ts";
import { compareDebianVersions } from "./debian-version.ts";
import { PACKAGE_DOCS } from "./package-docs.ts";
import { presence, resourceId } from "./resource-id.ts";
import { unsatisfiable } from "./unsatisfiable.ts";

export interface PackageRecord {
  readonly type: "package";
  readonly id: string;
  /** `curl`, or `libc6:i386` for one architecture. */
  readonly name: string;
  /** An exact Debian version, or `present` for any. */
  readonly version: string;
  readonly state: "present" | "absent";
}

const schema = z
  .strictObject({
    type: z.literal("package"),
    id: resourceId,
    name: z
      .string()
      .max(200)
      .regex(
        /^[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9][a-z0-9-]*)?$/,
        "must be a Debian package name, :architecture allowed",
      )
      .describe("`curl`, or `libc6:i386` for one architecture."),
    version: z
      .string()
      .max(200)
      .regex(/^(present|([0-9]+:)?[0-9][A-Za-z0-9.+~-]*)$/, "must be an exact Debian version, or present for any")
      .default("present")
      .describe("An exact Debian version, epoch and revision included, or `present` for any."),
    state: presence,
  })
  .transform((written): PackageRecord => ({ ...written, id: written.id ?? `package:${written.name}` }));

/** An apt package (host-state §2, §3; DESIGN §3.2). */
export const packageType: ResourceType<PackageRecord> = {
  type: "package",
  summary: "A Debian package: any version or an exact one, installed or not.",
  query: "dpkg-query -W of all names; of all packages, for who provides a name, when one is unknown",
  docs: PACKAGE_DOCS,
  schema,
  problems,
  claims: (record) => [`package:${record.name}`],
  removal: ({ name, state }) => (state === "absent" ? null : { name, state: "absent" }),
  questions: (record) => ({ ...NO_QUESTIONS, packages: [record.name] }),
  observe: ({ record }, facts) => observe(record, facts),
  compare,
  effects,
};

function problems({ record }: Declared<PackageRecord>): readonly Problem[] {
  if (record.state === "present" || record.version === "present") return [];
  return [
    {
      code: "version-of-absent",
      severity: "error",
      key: "version",
      message: `${record.name} is to be absent, so it has no version`,
      hint: "leave version out; absent means no version of it is installed",
    },
  ];
}

function observe(record: PackageRecord, facts: NodeFacts): Observed | null {
  const fact = facts.packages.get(record.name);
  if (fact === undefined) return { installed: null, version: "" };
  const instance = representative(record, fact);
  if (instance === undefined) {
    if (fact.providedBy.length === 0) return null;
    return { installed: true, version: "", virtual: true, provided_by: fact.providedBy };
  }
  const others = present(matching(record, fact)).filter((other) => other !== instance);
  return {
    installed: instance.status === "installed",
    version: isPresent(instance) ? instance.version : "",
    status: instance.status,
    architecture: instance.architecture,
    ...(instance.want === "hold" ? { hold: true } : {}),
    ...(others.length > 0 ? { other_architectures: others.map((other) => other.architecture) } : {}),
  };
}

function compare({ record }: Declared<PackageRecord>, facts: NodeFacts): Finding | null {
  if (!facts.identity.has.has("dpkg")) return unsatisfiable("no-dpkg");
  const fact = facts.packages.get(record.name);
  if (fact === undefined) return unsatisfiable("not-observed");
  return record.state === "absent" ? compareAbsent(record, fact) : comparePresent(record, fact);
}

function compareAbsent(record: PackageRecord, fact: PackageFact): Finding | null {
  const there = present(matching(record, fact));
  if (there.length === 0) return null;
  if (there.some((instance) => instance.want === "hold")) return unsatisfiable("package-held");
  return {
    verb: "remove",
    severity: "drift",
    reasons: [...new Set(there.map((instance) => instance.status))],
    params: { name: record.name, from: there.map((instance) => instance.version)[0] ?? "" },
  };
}

function comparePresent(record: PackageRecord, fact: PackageFact): Finding | null {
  const pinned = record.version === "present" ? null : record.version;
  const instance = representative(record, fact);
  if (instance === undefined || !isPresent(instance)) {
    if (fact.providedBy.length > 0 && instance === undefined) {
      // apt refuses `virtual=version` (cases.md 21); without a version the provider is what was asked for.
      return pinned === null ? null : unsatisfiable("virtual-version");
    }
    return install(record, [instance === undefined ? "missing" : instance.status], {});
  }
  if (instance.status !== "installed") {
    // Interrupted or failed half-way (cases.md 25): every later apt call fails until it is configured.
    return install(record, [instance.status], { repair: true });
  }
  if (pinned === null || pinned === instance.version) return null;
  if (instance.want === "hold") return unsatisfiable("package-held", "version");
  const downgrade = compareDebianVersions(pinned, instance.version) < 0;
  return {
    verb: "upgrade",
    severity: "drift",
    reasons: ["version"],
    params: { name: record.name, version: pinned, from: instance.version, ...(downgrade ? { downgrade } : {}) },
  };
}

function install(record: PackageRecord, reasons: readonly string[], more: Readonly<Record<string, unknown>>): Finding {
  const version = record.version === "present" ? {} : { version: record.version };
  return { verb: "install", severity: "drift", reasons, params: { name: record.name, ...version, ...more } };
}

function effects({ record }: Declared<PackageRecord>, finding: Finding, facts: NodeFacts): readonly NodeEffect[] {
  if (finding.verb !== "remove") {
    const version = record.version === "present" ? null : record.version;
    return [{ do: "install-package", name: record.name, version, repair: finding.params.repair === true }];
  }
  const fact = facts.packages.get(record.name) ?? { instances: [], providedBy: [] };
  return present(matching(record, fact)).map((instance) => ({ do: "remove-package", name: nameOf(record, instance) }));
}

/** A name alone means the node's own architecture to apt, so another one must be named. */
function nameOf(record: PackageRecord, instance: PackageInstance): string {
  const { name } = split(record.name);
  return instance.native ? name : `${name}:${instance.architecture}`;
}

/** The instance that answers for the record: an installed one, else one that is half there, else what was left over. */
function representative(record: PackageRecord, fact: PackageFact): PackageInstance | undefined {
  const candidates = matching(record, fact).filter(
    (instance) => record.state === "absent" || split(record.name).architecture !== null || instance.native,
  );
  return (
    candidates.find((instance) => instance.status === "installed") ??
    candidates.find(isPresent) ??
    candidates.find((instance) => instance.status === "config-files")
  );
}

/** A package for all architectures answers for each of them (cases.md 19). */
function matching(record: PackageRecord, fact: PackageFact): readonly PackageInstance[] {
  const { architecture } = split(record.name);
  return fact.instances.filter(
    (instance) => architecture === null || instance.architecture === architecture || instance.architecture === "all",
  );
}

function split(name: string): { name: string; architecture: string | null } {
  const [plain = name, architecture = null] = name.split(":");
  return { name: plain, architecture };
}

function present(instances: readonly PackageInstance[]): readonly PackageInstance[] {
  return instances.filter(isPresent);
}

/** Removed is absent, although dpkg still knows the name and prints a version (cases.md 17). */
function isPresent(instance: PackageInstance): boolean {
  return instance.status !== "not-installed" && instance.status !== "config-files";
}
