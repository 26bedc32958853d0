import { formatEnvironmentFile } from "../kit/environment-file-format.ts";
import { secretReason } from "../model/secret.ts";
import type { Problem } from "./contract.ts";
import { pathProblems } from "./path-problems.ts";

interface EnvDeclaration {
  readonly path: string;
  readonly vars: Readonly<Record<string, string | { readonly secret_ref: string }>>;
  readonly state: "present" | "absent";
}

/** What the schema of an environment file cannot say: secrets in clear, and what no such file can carry (DESIGN §3.2). */
export function envProblems({ path, vars, state }: EnvDeclaration): readonly Problem[] {
  const plain = Object.entries(vars).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return [...pathProblems(path), ...absentProblems(state, vars), ...plain.flatMap(inlineSecret), ...unfit(vars)];
}

function absentProblems(state: EnvDeclaration["state"], vars: EnvDeclaration["vars"]): readonly Problem[] {
  if (state === "present" || Object.keys(vars).length === 0) return [];
  const hint = "leave vars out, or set state: present";
  return [
    { code: "content-of-absent", severity: "error", key: "vars", message: "an absent file has no variables", hint },
  ];
}

function inlineSecret([name, value]: readonly [string, string]): readonly Problem[] {
  const reason = secretReason(name, value);
  if (reason === null) return [];
  const message = `${name} looks like a secret: ${reason}`;
  const hint = `write { secret_ref: "env:${name}" }, and change the secret: it is in the history now`;
  return [{ code: "inline-secret", severity: "error", key: `vars.${name}`, message, hint }];
}

/** A secret's value is not known here; its name is judged with an empty one. */
function unfit(vars: EnvDeclaration["vars"]): readonly Problem[] {
  const values = Object.entries(vars).map(([name, value]) => [name, typeof value === "string" ? value : ""] as const);
  const formatted = formatEnvironmentFile(new Map(values));
  if (formatted.kind === "formatted") return [];
  return formatted.problems.map(({ code, name, message, hint }) => ({
    code: `env-${code}`,
    severity: "error" as const,
    key: name === "" ? "vars" : `vars.${name}`,
    message: name === "" ? message : `${name}: ${message}`,
    hint,
  }));
}
