import path from "node:path/posix";
import ts from "typescript";

export interface SourceFile {
  /** Relative to the repository, `/` separated. */
  readonly path: string;
  readonly text: string;
}

/** The map of src/, lowest first; a file imports its own folder and lower rows, never a neighbour in its row. */
const LAYERS: readonly (readonly string[])[] = [
  ["kit"],
  ["model"],
  ["ports"],
  ["shell", "templates"],
  ["resources", "gates", "strategies", "upgrade", "agents"],
  ["desired"],
  ["plan"],
  ["render"],
  ["engine"],
  ["commands"],
  ["main"],
];

/** Where a folder may look less far down than its row would allow, or to another side. */
const NARROWER: Readonly<Record<string, readonly string[]>> = {
  adapters: ["ports", "model", "shell", "kit"],
  ports: ["model", "kit"],
  shell: ["model", "kit"],
  templates: ["model", "kit"],
};

/** Only this folder sees the adapters: everything else goes through ports. */
const SEES_ADAPTERS = "main";

/** Packages of the pure part, each with the folders that may use it; all others only in {@link EFFECTFUL}. */
const PURE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  zod: ["model", "resources", "desired"],
  yaml: ["desired"],
  "@noble/hashes": ["kit"],
  diff: ["render"],
};
const EFFECTFUL = ["adapters", "commands", "main"];

/** Compiled without Node's types, so that the compiler refuses clock, process and console there (tsconfig.pure.json). */
export const PURE_FOLDERS = LAYERS.slice(
  0,
  LAYERS.findIndex((row) => row.includes("engine")),
)
  .flat()
  .filter((folder) => folder !== "ports");

/** Folders whose members are listed in an index.ts and know nothing of each other. */
const CATALOGUES = [
  "src/resources",
  "src/gates",
  "src/strategies",
  "src/upgrade/runtimes",
  "src/shell/questions",
  "src/shell/effects",
];

/** Complaints about imports that go the wrong way, `file: what is wrong`; none when the map of src/README.md holds. */
export function importViolations(files: readonly SourceFile[]): string[] {
  const edges = files.filter((file) => file.path.startsWith("src/")).flatMap(importsOf);
  return [...edges.flatMap((edge) => edgeProblem(edge) ?? []), ...catalogueProblems(edges), ...cycleProblems(edges)];
}

interface Edge {
  readonly from: string;
  /** A path under the repository, or a package or `node:` specifier. */
  readonly to: string;
  readonly local: boolean;
}

/** Every import of a file: types, re-exports, `import()` and `import("…")` types included. */
function importsOf(file: SourceFile): Edge[] {
  return ts.preProcessFile(file.text, true, true).importedFiles.map(({ fileName }) => {
    const local = fileName.startsWith(".");
    return { from: file.path, to: local ? path.join(path.dirname(file.path), fileName) : fileName, local };
  });
}

function edgeProblem(edge: Edge): string | undefined {
  const from = folderOf(edge.from);
  if (!onMap(from)) return `${edge.from}: src/${from} is not on the map; give it a row here and in src/README.md`;
  if (!edge.local) return packageProblem(edge, from);
  if (!edge.to.startsWith("src/")) return `${edge.from}: imports ${edge.to}, which is outside src/`;
  const to = folderOf(edge.to);
  if (from === to || mayImport(from, to)) return undefined;
  return `${edge.from}: ${from} must not import ${to} (${edge.to})`;
}

function mayImport(from: string, to: string): boolean {
  if (to === "adapters") return from === SEES_ADAPTERS;
  const narrower = NARROWER[from];
  if (narrower !== undefined) return narrower.includes(to);
  return rowOf(to) < rowOf(from);
}

const rowOf = (folder: string): number => LAYERS.findIndex((names) => names.includes(folder));
const onMap = (folder: string): boolean => folder === "adapters" || rowOf(folder) !== -1;

function packageProblem(edge: Edge, from: string): string | undefined {
  if (EFFECTFUL.includes(from)) return undefined;
  const name = edge.to
    .split("/")
    .slice(0, edge.to.startsWith("@") ? 2 : 1)
    .join("/");
  if (PURE_PACKAGES[name]?.includes(from) === true) return undefined;
  return `${edge.from}: ${from} must not import ${edge.to}`;
}

/** Members (what index.ts lists, the contract apart) are known to index.ts alone, and do not know it. */
function catalogueProblems(edges: readonly Edge[]): string[] {
  return CATALOGUES.flatMap((folder) => {
    const index = `${folder}/index.ts`;
    const inside = (file: string) => path.dirname(file) === folder && file !== `${folder}/contract.ts`;
    const members = new Set(edges.filter((edge) => edge.from === index && inside(edge.to)).map((edge) => edge.to));
    return edges
      .filter((edge) => (members.has(edge.to) && edge.from !== index) || (members.has(edge.from) && edge.to === index))
      .map((edge) => `${edge.from}: imports ${edge.to}; members of a catalogue are reached through its index only`);
  });
}

function cycleProblems(edges: readonly Edge[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, local } of edges) if (local) targets.set(from, [...(targets.get(from) ?? []), to]);
  const finished = new Set<string>();
  const problems: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file))
      problems.push(`${file}: imports itself by way of ${trail.slice(trail.indexOf(file) + 1).join(", ")}`);
    if (finished.has(file) || trail.includes(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...trail, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return problems;
}

/** `src/model/node.ts` → `model`, `src/ports.ts` → `ports`; the other files beside main.ts are parts of it. */
function folderOf(file: string): string {
  const [first = "", ...below] = file.slice("src/".length).split("/");
  if (below.length > 0) return first;
  return first === "ports.ts" ? "ports" : "main";
}
