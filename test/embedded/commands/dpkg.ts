import type { ExecResult } from "just-bash";
import type { EffectResult, InstalledPackage, MemoryNode } from "../../../src/adapters/memory/memory-node.ts";
import { installPackage, removePackage } from "../../../src/adapters/memory/packages.ts";
import { DONE, failed, joined, type NodeCommand, printed } from "./command.ts";
import { type GivenOptions, readOptions } from "./options.ts";

/** What `dpkg --print-architecture` says of every node here. */
const NATIVE = "amd64";

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
const DEFAULT_FORMAT = "${binary:Package}\t${Version}\n";

const dpkgQuery: NodeCommand = (args, _shell, { node }) => {
  const options = readOptions(args, { short: "Wf:lsL", long: ["show", "showformat=", "list", "status", "listfiles"] });
  const format = options.value("f", "showformat")?.replace(/^=/, "") ?? DEFAULT_FORMAT;
  const installed = [...node.packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const asked = options.operands;
  const wanted = installed.filter((one) => asked.length === 0 || asked.some((pattern) => matches(one, pattern)));
  const missing = asked.filter((pattern) => !installed.some((one) => matches(one, pattern)));
  return joined([
    printed(wanted.map((one) => formatted(one, format)).join("")),
    ...missing.map((pattern) => failed(`dpkg-query: no packages found matching ${pattern}`)),
  ]);
};

/** `name`, `name:architecture`, either with the wildcards of a shell. */
function matches(one: InstalledPackage, pattern: string): boolean {
  const [name = "", architecture = "*"] = pattern.split(":");
  return globs(name, one.name) && globs(architecture, one.architecture);
}

function globs(pattern: string, text: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`).test(text);
}

/** `${field}`, `${field;width}` and the escapes of dpkg-query(1). */
function formatted(one: InstalledPackage, format: string): string {
  const fields: Readonly<Record<string, string>> = {
    Package: one.name,
    "binary:Package":
      one.architecture === NATIVE || one.architecture === "all" ? one.name : `${one.name}:${one.architecture}`,
    Architecture: one.architecture,
    Version: one.version,
    Status: `${one.want} ${one.flag} ${one.status}`,
    "db:Status-Want": one.want,
    "db:Status-Eflag": one.flag,
    "db:Status-Status": one.status,
    "db:Status-Abbrev": `${one.want[0] ?? ""}${one.status === "installed" ? "i" : (one.status[0] ?? "")} `,
    Provides: one.provides.join(", "),
  };
  const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
  return format
    .replace(/\\(.)/g, (all, letter: string) => escapes[letter] ?? all)
    .replace(/\$\{([^};]+)(;-?[0-9]+)?\}/g, (_all, field: string) => fields[field] ?? "");
}

const dpkg: NodeCommand = async (args, shell, system) => {
  if (args.includes("--print-architecture")) return printed(`${NATIVE}\n`);
  if (args.includes("--print-foreign-architectures")) return DONE;
  if (args.includes("--compare-versions")) return compareVersions(args.slice(args.indexOf("--compare-versions") + 1));
  if (args.includes("--configure")) return configureAll(system.node);
  if (args.includes("-s") || args.includes("-l"))
    return dpkgQuery(["-W", ...args.filter((arg) => !arg.startsWith("-"))], shell, system);
  return failed(`dpkg: error: unknown option ${args[0] ?? ""}`, 2);
};

/** Ends what an earlier run left half done, as `dpkg --configure -a`. */
function configureAll(node: MemoryNode): ExecResult {
  const unfinished = [...node.packages.values()].filter(
    ({ status }) => status === "unpacked" || status === "half-configured",
  );
  return joined(
    unfinished.map(({ name }) =>
      answerTo(installPackage(node, { do: "install-package", name, version: null, repair: true })),
    ),
  );
}

const VERSION_RELATIONS: Readonly<Record<string, (order: number) => boolean>> = {
  lt: (order) => order < 0,
  le: (order) => order <= 0,
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  ge: (order) => order >= 0,
  gt: (order) => order > 0,
};

/** Enough of Debian's order for the packages here: numbers by value, all else as text. */
function compareVersions([left = "", relation = "", right = ""]: readonly string[]): ExecResult {
  const holds = VERSION_RELATIONS[relation];
  if (holds === undefined) return failed(`dpkg: error: --compare-versions bad relation '${relation}'`, 2);
  return holds(left.localeCompare(right, "en", { numeric: true })) ? DONE : { ...DONE, exitCode: 1 };
}

const APT_LONG = [
  ...["yes", "assume-yes", "quiet", "no-install-recommends", "allow-downgrades", "allow-change-held-packages", "purge"],
  ...["no-remove", "simulate", "dry-run", "reinstall", "fix-broken", "option=", "download-only", "no-upgrade"],
];

const aptGet: NodeCommand = async (args, _shell, system) => {
  const options = readOptions(args, { short: "yqfsdo:t:", long: APT_LONG });
  if (options.unknown !== null) return failed(`E: Command line option ${options.unknown} is not understood`, 100);
  const [verb = "", ...names] = options.operands;
  if (verb === "update" || verb === "clean") return DONE;
  if (!["install", "remove", "purge"].includes(verb)) return failed(`E: Invalid operation ${verb}`, 100);
  if (options.has("s", "simulate", "dry-run")) return DONE;
  await system.machine.dawdle();
  return joined(names.map((name) => answerTo(change(system.node, verb, name, options))));
};

function change(node: MemoryNode, verb: string, operand: string, options: GivenOptions): EffectResult {
  const [name = "", version] = operand.split("=");
  if (verb !== "install" || name.endsWith("-")) return removePackage(node, name.replace(/-$/, ""));
  const repair = options.has("reinstall", "f", "fix-broken");
  return installPackage(node, { do: "install-package", name, version: version ?? null, repair });
}

function answerTo(result: EffectResult): ExecResult {
  return result === null ? DONE : failed(`E: ${result.detail}`, 100);
}

const aptCache: NodeCommand = (args, _shell, { node }) => {
  const [verb = "", ...names] = readOptions(args, {
    short: "qno:",
    long: ["quiet", "names-only", "no-all-versions"],
  }).operands;
  const offered = node.repository.filter(({ name, version }) =>
    names.some((asked) => asked === name || asked === `${name}=${version}`),
  );
  switch (verb) {
    case "madison":
      return printed(
        offered
          .map(({ name, version }) => ` ${name} | ${version} | simulated\n`)
          .reverse()
          .join(""),
      );
    case "policy":
      return printed(names.map((name) => policy(node, name)).join(""));
    case "show":
    case "showpkg":
      if (offered.length === 0) return failed("E: No packages found", 100);
      return printed(
        offered
          .map(({ name, version }) => `Package: ${name}\nVersion: ${version}\n`)
          .reverse()
          .join("\n"),
      );
    default:
      return failed(`E: Invalid operation ${verb}`, 100);
  }
};

function policy(node: MemoryNode, name: string): string {
  const candidate = node.repository.findLast((one) => one.name === name)?.version;
  const installed = [...node.packages.values()].find((one) => one.name === name && one.status === "installed")?.version;
  if (candidate === undefined && installed === undefined) return "";
  return `${name}:\n  Installed: ${installed ?? "(none)"}\n  Candidate: ${candidate ?? "(none)"}\n`;
}

const aptMark: NodeCommand = ([verb = "", ...names], _shell, { node }) => {
  const all = [...node.packages].filter(([, one]) => names.length === 0 || names.includes(one.name));
  if (verb === "showhold")
    return printed(
      all
        .filter(([, one]) => one.want === "hold")
        .map(([, one]) => `${one.name}\n`)
        .join(""),
    );
  if (verb !== "hold" && verb !== "unhold") return failed(`E: Invalid operation ${verb}`, 100);
  for (const [key, one] of all) node.packages.set(key, { ...one, want: verb === "hold" ? "hold" : "install" });
  return DONE;
};

export const PACKAGE_COMMANDS = {
  "apt-cache": aptCache,
  "apt-get": aptGet,
  "apt-mark": aptMark,
  dpkg,
  "dpkg-query": dpkgQuery,
};
