import { isAlias, isMap, isScalar, isSeq, Scalar, type YAMLMap } from "yaml";
import type { YamlPath } from "./place.ts";

/** Text exactly as written, lists, and maps without prototype. */
export type YamlValue = string | readonly YamlValue[] | { readonly [key: string]: YamlValue };

export interface ValueFinding {
  readonly code:
    | "complex-key"
    | "cut-by-comment"
    | "duplicate-key"
    | "reserved-key"
    | "unquoted-mode"
    | "yaml-merge-key";
  readonly path: YamlPath;
  readonly offset: number;
}

/** Keys whose values are shell lines: there YAML's own meaning of characters does damage without a word (cases.md 53). */
const SHELL_KEYS = new Set(["apply", "command", "recheck", "rollback", "run", "verify"]);

/** A composed tree → plain values, with what the library lets pass and we do not. */
export function toValue(root: unknown): { value: YamlValue; findings: readonly ValueFinding[] } {
  const findings: ValueFinding[] = [];
  const value = convert(root, [], findings);
  return { value, findings };
}

function convert(node: unknown, path: YamlPath, findings: ValueFinding[]): YamlValue {
  if (isScalar(node)) return convertScalar(node, path, findings);
  if (isSeq(node)) return node.items.map((item, index) => convert(item, [...path, index], findings));
  if (isMap(node)) return convertMap(node, path, findings);
  // `{ a }` has a key without a value; what an alias stands for is not read, and the alias itself is a finding.
  if (node === null || isAlias(node)) return "";
  throw new Error("a YAML tree held neither scalar, list, map nor alias");
}

function convertScalar(scalar: Scalar, path: YamlPath, findings: ValueFinding[]): string {
  const value = String(scalar.value);
  const key = path.at(-1);
  const plain = scalar.type === Scalar.PLAIN;
  const offset = scalar.range?.[0] ?? 0;
  if (plain && key === "mode" && /^0?o?[0-7]{3,4}$/.test(value)) findings.push({ code: "unquoted-mode", path, offset });
  if (plain && scalar.comment && typeof key === "string" && SHELL_KEYS.has(key)) {
    findings.push({ code: "cut-by-comment", path, offset });
  }
  return value;
}

function convertMap(map: YAMLMap, path: YamlPath, findings: ValueFinding[]): YamlValue {
  const value: Record<string, YamlValue> = Object.create(null);
  for (const pair of map.items) {
    const offset = (pair.key as { range?: [number, number, number] } | null)?.range?.[0] ?? 0;
    if (!isScalar(pair.key)) {
      findings.push({ code: "complex-key", path, offset });
      continue;
    }
    const key = String(pair.key.value);
    const at = [...path, key];
    if (key === "__proto__") findings.push({ code: "reserved-key", path: at, offset });
    else if (key === "<<" && pair.key.type === Scalar.PLAIN)
      findings.push({ code: "yaml-merge-key", path: at, offset });
    else if (key in value) findings.push({ code: "duplicate-key", path: at, offset });
    else value[key] = convert(pair.value, at, findings);
  }
  return value;
}
