import { type ResourceField, resourceFields } from "../desired/schema/resource-fields.ts";
import { SEVERITIES, type Severity } from "../model/drift-item.ts";
import type { ResourceType } from "../resources/contract.ts";
import { RESOURCE_CATALOGUE } from "../resources/index.ts";
import type { ReasonDoc, VerbDoc } from "../resources/resource-docs.ts";

const GENERATED = "<!-- Generated from src/resources/ by `npm run docs`; a test keeps it fresh. -->";

/** docs/resources/: file name → Markdown, a page per type of the catalogue and one that lists them (DESIGN §3.2). */
export function resourcePages(): ReadonlyMap<string, string> {
  const types = RESOURCE_CATALOGUE as unknown as readonly ResourceType[];
  return new Map([
    ["resources/README.md", indexPage(types)],
    ...types.map((type) => [`resources/${type.type}.md`, page(type)] as const),
  ]);
}

function indexPage(types: readonly ResourceType[]): string {
  const rows = types.map(({ type, summary, docs }) => [
    `[\`${type}\`](${type}.md)`,
    summary,
    docs.verbs.map(({ verb }) => code(verb)).join(" "),
  ]);
  return `${GENERATED}

# Resource types

What a role may declare of a node, one file each under \`src/resources/\`. Resources are compared and made so in the order of
the role's list.

${table(["type", "what it is", "verbs"], rows)}

A resource that is not as declared is one *drift item*: the one verb that must come first, in \`params\` all that goes with it,
and in \`params.reasons\` why, most important first. How serious it is:

${table(
  ["severity", "means", "converged with it", "exit of check"],
  SEVERITIES.map((severity) => [code(severity), ...SEVERITY_ROWS[severity]]),
)}

What no role of the node declares any more, and rollcall had made, is *released*: a \`warn\` with the reason \`released\` first, kept
unless its role says \`on_release: remove\`.

JSON Schema for editors: [\`schemas/role.json\`](../../schemas/role.json) · drift items:
[\`schemas/drift-item.v1.json\`](../../schemas/drift-item.v1.json)
`;
}

const SEVERITY_ROWS: Readonly<Record<Severity, readonly string[]>> = {
  drift: ["`apply` makes it so", "no", "1"],
  warn: ["you should know; it is shown each time", "yes", "0"],
  error: ["cannot be observed, or can never become so: never acted on, and says why", "no", "1"],
};

function page(type: ResourceType): string {
  return `${GENERATED}

# ${type.type}

${type.summary}

\`\`\`yaml
${type.docs.example}
\`\`\`

## Fields

${table(["key", "kind", "default", "meaning"], resourceFields(type).map(fieldRow))}

## What the node is asked

Of all resources of the type at once, read-only: ${type.query}.

## Verbs

${table(["verb", "what it does", "params"], type.docs.verbs.map(verbRow))}

## What differs

${table(["severity", "reason", "when"], type.docs.reasons.map(reasonRow))}

[All types](README.md)
`;
}

function fieldRow({ key, kind, fallback, required, meaning }: ResourceField): readonly string[] {
  const standing = required ? "**required**" : fallback === null ? "–" : code(fallback);
  return [code(key), kind, standing, meaning];
}

function verbRow({ verb, does, params }: VerbDoc): readonly string[] {
  const list = Object.entries(params).map(([name, meaning]) => `${code(name)}: ${meaning}`);
  return [code(verb), does, list.join("<br>") || "–"];
}

function reasonRow({ codes, severity, means }: ReasonDoc): readonly string[] {
  return [severity, codes.map(code).join(" "), means];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
