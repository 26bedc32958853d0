import { parseTemplate, type TemplateProblem, type TemplateVariable } from "./parse-template.ts";

/**
 * What a template may name: full names and their values, `node.vars.workers` → `4`. A map and not an object, so that a
 * name reaches what was put in and nothing else, whatever it is called (`__proto__`, `constructor`).
 */
export type TemplateScope = ReadonlyMap<string, string>;

export type Rendered =
  | { readonly kind: "rendered"; readonly text: string }
  /** All of them, in the order of the text. */
  | { readonly kind: "problems"; readonly problems: readonly TemplateProblem[] };

/**
 * The text of a file with `template: true` (DESIGN §3.2): variables replaced by their values, and nothing else done to
 * it. Values are put in as they are, neither escaped nor looked into for tags. Bytes must be UTF-8; line ends, a
 * byte-order mark and the last newline, or its absence, stay.
 */
export function renderTemplate(content: string | Uint8Array, scope: TemplateScope): Rendered {
  const text = typeof content === "string" ? content : utf8(content);
  if (text === undefined) return { kind: "problems", problems: [notText(content as Uint8Array)] };
  const { parts, problems } = parseTemplate(text);
  const undefinedOnes = parts.flatMap((part) =>
    typeof part === "string" || scope.has(part.name) ? [] : undefinedVariable(part, scope),
  );
  if (problems.length + undefinedOnes.length > 0) {
    const all = [...problems, ...undefinedOnes].sort((a, b) => a.line - b.line || a.column - b.column);
    return { kind: "problems", problems: all };
  }
  return {
    kind: "rendered",
    text: parts.map((part) => (typeof part === "string" ? part : (scope.get(part.name) ?? ""))).join(""),
  };
}

/** Every mention of a variable, in the order of the text; malformed tags are left out. */
export function variablesOf(text: string): readonly TemplateVariable[] {
  return parseTemplate(text).parts.filter((part) => typeof part !== "string");
}

function undefinedVariable({ name, line, column }: TemplateVariable, scope: TemplateScope): TemplateProblem {
  const message = `the variable ${name} is not defined`;
  return { code: "undefined-variable", line, column, message, hint: hintFor(name, scope) };
}

/** The names beside the one that is missing; when its group is not known either, the groups. */
function hintFor(name: string, scope: TemplateScope): string {
  const group = name.slice(0, name.lastIndexOf(".") + 1);
  const beside = [...scope.keys()].filter((known) => group !== "" && known.startsWith(group));
  const known = beside.length > 0 ? beside : [...scope.keys()];
  const listed = known.length > 12 ? `${known.slice(0, 12).join(", ")}, …` : known.join(", ");
  const declare = /^node\.(vars|labels)\./.exec(name);
  const first =
    declare === null ? "Correct the name." : `Add it under ${declare[1]}: of the node, or correct the name.`;
  return listed === "" ? first : `${first} Known: ${listed}.`;
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notText(bytes: Uint8Array): TemplateProblem {
  const lines = textBeforeFault(bytes).split("\n");
  return {
    code: "not-text",
    line: lines.length,
    column: (lines.at(-1) ?? "").length + 1,
    message: "the file is not UTF-8 text, so it cannot be a template",
    hint: "Save it as UTF-8, or leave template: out: then not a byte of it is touched.",
  };
}

/** What could be decoded: up to the first replacement character that the bytes do not themselves have. */
function textBeforeFault(bytes: Uint8Array): string {
  const lossy = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let length = 0;
  for (const character of lossy) {
    const replaced =
      character === "\ufffd" && !(bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd);
    if (replaced) break;
    const code = character.codePointAt(0) ?? 0;
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    length += character.length;
  }
  return lossy.slice(0, length);
}
