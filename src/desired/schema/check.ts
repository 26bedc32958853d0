import { z } from "zod";
import type { Diagnostic } from "../../kit/diagnostic.ts";
import { problemAt } from "../problem-at.ts";
import type { YamlPath } from "../yaml/place.ts";
import type { YamlSource } from "../yaml/read-yaml.ts";
import type { YamlValue } from "../yaml/values.ts";
import { nearest } from "./nearest.ts";

export interface Checked<Value> {
  readonly value: Value | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** What zod says of a value, as diagnostics at the lines that people wrote. `at` is the value's path in the file. */
export function checkAgainst<Value>(
  schema: z.ZodType<Value>,
  value: YamlValue,
  source: YamlSource,
  at: YamlPath = [],
): Checked<Value> {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, diagnostics: [] };
  const diagnostics = result.error.issues
    .flatMap((issue) => findings(issue, schema, value))
    .map(({ path, part, ...problem }) => problemAt(source, [...at, ...path], part, problem));
  return { value: null, diagnostics };
}

interface Finding {
  readonly code: string;
  /** Relative to the checked value. */
  readonly path: YamlPath;
  readonly part: "key" | "value";
  readonly message: string;
  readonly hint: string;
}

function findings(issue: z.core.$ZodIssue, schema: z.ZodType, root: YamlValue): Finding[] {
  const path = issue.path as YamlPath;
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => unknownKey(key, [...path, key], known));
  }
  const written = valueAt(root, path);
  const key = String(path.at(-1) ?? "");
  if (written === undefined) return [missingKey(key, path)];
  if (issue.code === "invalid_key") {
    const message = `the key ${quote(key)} ${issue.issues[0]?.message ?? "is not allowed here"}`;
    return [{ code: "invalid-key", path, part: "key", message, hint: "Rename it." }];
  }
  if (issue.code === "invalid_type") return [wrongType(issue.expected, written, path)];
  if (issue.code === "invalid_union") return [unionFinding(issue, schema, root, path, written)];
  if (issue.code === "invalid_value") return [invalidValue(issue, written, path)];
  // Refinements and formats: the scalars of model/ say it in words. What may be a secret by mistake is not repeated.
  return [
    {
      code: "invalid-value",
      path,
      part: "value",
      message: `${mayBeSecret(path) ? "this" : quoted(written)} ${issue.message}`,
      hint: MEND,
    },
  ];
}

function mayBeSecret(path: YamlPath): boolean {
  return path.some((step) => step === "env" || step === "vars" || step === "secret_ref");
}

const MEND = "Mend the value; schemas/ has its exact form.";

function unknownKey(key: string, path: YamlPath, known: readonly string[]): Finding {
  const meant = nearest(key, known);
  const list = known.length === 0 ? "No keys are known here." : `Known here: ${known.join(", ")}.`;
  const hint = meant === undefined ? list : `Did you mean ${meant}?`;
  return { code: "unknown-key", path, part: "key", message: `there is no key ${quote(key)} here`, hint };
}

function missingKey(key: string, path: YamlPath): Finding {
  return { code: "missing-key", path, part: "key", message: `${key} is missing`, hint: `Add ${key}: and its value.` };
}

const WORDS: Readonly<Record<string, string>> = { string: "text", array: "a list", object: "a map", record: "a map" };

function wrongType(expected: string, written: YamlValue, path: YamlPath): Finding {
  const message = `must be ${WORDS[expected] ?? expected}, not ${describe(written)}`;
  return { code: "wrong-type", path, part: "value", message, hint: typeHint(expected, written) };
}

function typeHint(expected: string, written: YamlValue): string {
  if (expected === "string")
    return "If the brackets or the colon belong to the text, quote it or write it as a block with |.";
  if (written === "")
    return expected === "array" ? "Write [] for an empty list, or remove the key." : "Write {} or remove the key.";
  if (expected === "array") return "Write it as [a, b], or one item a line after a dash.";
  return "Write it as key: value lines.";
}

function invalidValue(issue: z.core.$ZodIssueInvalidValue, written: YamlValue, path: YamlPath): Finding {
  if (typeof written !== "string") return wrongType("string", written, path);
  const words = issue.values.map(String);
  const meant = nearest(written, words);
  const only = words.length < 3 ? `must be ${words.join(" or ")}` : `must be one of ${words.join(", ")}`;
  const hint = meant === undefined ? `Write ${words.join(" or ")}.` : `Did you mean ${meant}?`;
  return { code: "invalid-value", path, part: "value", message: `${quoted(written)} ${only}`, hint };
}

/** Of a union the branch that went furthest speaks: the one that takes a value of this kind at all. */
function unionFinding(
  issue: z.core.$ZodIssueInvalidUnion,
  schema: z.ZodType,
  root: YamlValue,
  path: YamlPath,
  written: YamlValue,
): Finding {
  const branches = issue.errors.filter(
    (errors) => !errors.some((inner) => inner.code === "invalid_type" && inner.path.length === 0),
  );
  const inner = branches[0]?.[0];
  if (inner === undefined) {
    const hint = "See the documentation of this key for what it may be.";
    return { code: "wrong-type", path, part: "value", message: `must not be ${describe(written)}`, hint };
  }
  const deeper = { ...inner, path: [...path, ...inner.path] } as z.core.$ZodIssue;
  const [finding] = findings(deeper, schema, root);
  return finding ?? { code: "invalid-value", path, part: "value", message: inner.message, hint: MEND };
}

/** The keys that a schema knows at a path; empty where any key may stand. */
function knownKeys(schema: unknown, path: YamlPath): readonly string[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => knownKeys(option, path));
  const [step, ...rest] = path;
  if (step === undefined) return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
  if (inner instanceof z.ZodObject) return knownKeys(inner.shape[step], rest);
  if (inner instanceof z.ZodArray) return knownKeys(inner.element, rest);
  return inner instanceof z.ZodRecord ? knownKeys(inner.valueType, rest) : [];
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in);
  const wrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.unwrap()) : schema;
}

function valueAt(root: YamlValue, path: YamlPath): YamlValue | undefined {
  let value: YamlValue | undefined = root;
  for (const step of path) {
    if (value === undefined || typeof value === "string") return undefined;
    value = (value as Record<string | number, YamlValue>)[step];
  }
  return value;
}

function describe(value: YamlValue): string {
  if (value === "") return "empty";
  if (typeof value === "string") return `the text ${quote(value)}`;
  return Array.isArray(value) ? "a list" : "a map";
}

function quoted(value: YamlValue): string {
  return typeof value === "string" ? quote(value) : "it";
}

function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}…` : value);
}
