import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** The contexts of one place, `github`, `env`, …, as plain JSON. */
export type Contexts = Readonly<Record<string, unknown>>;

/** Of a job: what it needs; of a step: what came before it. */
export type Standing = "success" | "failure" | "cancelled";

const NO_ARGUMENTS = { minArgs: 0, maxArgs: 0 };
const STATUS = /\b(always|success|failure|cancelled)\s*\(/i;

/** Evaluated by GitHub's own package; throws where that does, an unknown context included. */
function evaluate(source: string, contexts: Contexts, standing: Standing = "success"): unknown {
  const answers = {
    always: true,
    success: standing === "success",
    failure: standing === "failure",
    cancelled: standing === "cancelled",
  };
  const functions = Object.entries(answers).map(([name, answer]) => ({
    name,
    ...NO_ARGUMENTS,
    call: () => new data.BooleanData(answer),
  }));
  const tokens = new Lexer(source).lex().tokens;
  const expression = new Parser(tokens, Object.keys(contexts), functions).parse();
  const known = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  const result = new Evaluator(expression, known, new Map(functions.map((one) => [one.name, one]))).evaluate();
  return JSON.parse(JSON.stringify(result, data.replacer));
}

/** Whether an `if:` lets it run; one that names no status asks for success besides. */
export function holds(condition: unknown, contexts: Contexts, standing: Standing): boolean {
  if (condition === undefined) return standing === "success";
  const text = String(condition).trim();
  const source = /^\$\{\{([\s\S]*)\}\}$/.exec(text)?.[1] ?? text;
  const value = evaluate(source, contexts, standing);
  const asked = STATUS.test(source) || standing === "success";
  return asked && value !== false && value !== 0 && value !== "" && value !== null;
}

/** A value of a workflow file with its expressions put in: a lone one keeps its type, others become text. */
export function filled(value: unknown, contexts: Contexts): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, contexts));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, contexts)]));
  }
  if (typeof value !== "string") return value;
  const parts = expressionsIn(value);
  const [first] = parts;
  if (first !== undefined && parts.length === 1 && first.text === value.trim()) return evaluate(first.source, contexts);
  let text = "";
  let from = 0;
  for (const part of parts) {
    text += value.slice(from, part.at) + asText(evaluate(part.source, contexts));
    from = part.at + part.text.length;
  }
  return text + value.slice(from);
}

export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `${{ … }}`, with quotes minded. */
export function expressionsIn(text: string): { at: number; text: string; source: string }[] {
  return [...text.matchAll(/\$\{\{((?:'(?:[^']|'')*'|[^'])*?)\}\}/g)].map((one) => ({
    at: one.index,
    text: one[0],
    source: one[1] ?? "",
  }));
}
