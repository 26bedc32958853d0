import { z } from "zod";
import { ENVIRONMENT_NAME } from "../kit/environment-name.ts";

/** Where the value of a secret comes from; the repository holds only this (host-state §2, DESIGN §3.2). */
export interface SecretRef {
  readonly scheme: SecretScheme;
  /** `env`: a variable's name. `file`: an absolute path, or one below the repository. `age`: one below the repository. */
  readonly target: string;
}

export const SECRET_SCHEMES = ["env", "file", "age"] as const;
export type SecretScheme = (typeof SECRET_SCHEMES)[number];

/** As it was written, `env:API_TOKEN`: what digests, plans and reports carry instead of a value. */
export function secretRefText({ scheme, target }: SecretRef): string {
  return `${scheme}:${target}`;
}

/** The scalar of `secret_ref:`. Its complaints do not repeat what was written, which may be the secret itself. */
export const secretRef = z
  .string()
  .transform((written, context): SecretRef => {
    const [scheme = "", ...rest] = written.split(":");
    const target = rest.join(":");
    const message = isScheme(scheme) ? PROBLEMS[scheme](target) : "must begin with env:, file: or age:";
    if (message === null) return { scheme: scheme as SecretScheme, target };
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .meta({ pattern: "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+|age:.+\\.age)$" });

function isScheme(word: string): word is SecretScheme {
  return (SECRET_SCHEMES as readonly string[]).includes(word);
}

/** What is wrong with a target; null when nothing is. */
const PROBLEMS: Readonly<Record<SecretScheme, (target: string) => string | null>> = {
  env(name) {
    if (!ENVIRONMENT_NAME.test(name)) return "must name a variable of the runner, such as env:API_TOKEN";
    // Else a reviewed line in a role could hand the key of the whole fleet to a node.
    return name.startsWith("ROLLCALL_") ? "must not name one of rollcall's own variables" : null;
  },
  file(path) {
    if (!isPlainPath(path.replace(/^\//, ""))) return "must name a file by a plain path: no //, ./, ../ or .git in it";
    return /^\/(proc|sys|dev(?!\/shm\/))(\/|$)/.test(path) ? "must not name a file of /proc, /sys or /dev" : null;
  },
  age(path) {
    if (!isPlainPath(path))
      return "must name a file of the repository by a plain path: no leading /, //, ./, ../ or .git";
    return path.endsWith(".age") ? null : "must name an encrypted file whose name ends in .age";
  },
};

function isPlainPath(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]|^\s|\s$/.test(path)) return false;
  return path.split("/").every((part) => !["", ".", ".."].includes(part) && part.toLowerCase() !== ".git");
}
