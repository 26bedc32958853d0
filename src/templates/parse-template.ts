/**
 * What stands in a template (docs/decisions/005-template-syntax.md):
 *
 *     {{ node.vars.workers }}    the value of a variable
 *     {{ "{{" }}  {{ '}}' }}     the text between the quotes, as it is: how delimiters are written
 *
 * A tag stands on one line. Everything else, `}}` on its own included, is text and is kept byte for byte.
 */
export interface Template {
  readonly parts: readonly Part[];
  readonly problems: readonly TemplateProblem[];
}

export interface TemplateVariable {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

export interface TemplateProblem {
  readonly code: "undefined-variable" | "malformed-tag" | "unclosed-tag" | "not-text";
  /** 1-based; columns count UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
}

const TAG = /\{\{[ \t]*(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)|"([^"\r\n]*)"|'([^'\r\n]*)')[ \t]*\}\}/y;

type Part = string | TemplateVariable;
type Fault = Pick<TemplateProblem, "code" | "message" | "hint">;

/** Takes a template apart, in time linear in its length; every malformed tag is a problem, not only the first. */
export function parseTemplate(text: string): Template {
  const parts: Part[] = [];
  const problems: TemplateProblem[] = [];
  for (const [index, line] of text.split(/(?<=\n)/).entries()) parseLine(line, index + 1, parts, problems);
  return { parts, problems };
}

function parseLine(text: string, line: number, parts: Part[], problems: TemplateProblem[]): void {
  let done = 0;
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", done)) {
    const place = { line, column: at + 1 };
    parts.push(text.slice(done, at));
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    if (tag === null) {
      const { end, ...fault } = malformed(text, at);
      problems.push({ ...place, ...fault });
      done = end;
    } else {
      const [, name, double, single] = tag;
      parts.push(name === undefined ? (double ?? single ?? "") : { name, ...place });
      done = TAG.lastIndex;
    }
  }
  parts.push(text.slice(done));
}

const LITERAL_HINT = 'Write {{ "{{" }} where the file itself needs two braces.';

/** What is wrong with the tag at `at` of a line, and where to go on: after the tag, or after a line that never closes it. */
function malformed(line: string, at: number): Fault & { readonly end: number } {
  const close = line.indexOf("}}", at);
  if (close === -1) {
    const message = "{{ is not closed by }} on its line";
    return { code: "unclosed-tag", message, hint: LITERAL_HINT, end: line.length };
  }
  const inside = line.slice(at + 2, close).trim();
  const message =
    inside === "" ? "{{ }} names no variable" : `{{ ${shortened(inside)} }} is not the name of a variable`;
  const hint = `A tag holds one name such as node.vars.workers: no filters, conditions or calls. ${LITERAL_HINT}`;
  return { code: "malformed-tag", message, hint, end: close + 2 };
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
