import { readFile } from "node:fs/promises";
import { problem, type SecretProblem } from "./contract.ts";

export type AgeKeys =
  | { readonly kind: "keys"; readonly identities: readonly string[] }
  | { readonly kind: "none" }
  | SecretProblem;

export const AGE_KEY_HINT = "`age-keygen` writes such a file: lines that begin with AGE-SECRET-KEY-1, and comments.";

/** The identities of `ROLLCALL_AGE_KEY` (the text itself) and `ROLLCALL_AGE_KEY_FILE`, those of both when both are set. */
export async function readAgeKeys(environment: NodeJS.ProcessEnv): Promise<AgeKeys> {
  const { ROLLCALL_AGE_KEY: text = "", ROLLCALL_AGE_KEY_FILE: file = "" } = environment;
  const written = [{ source: "ROLLCALL_AGE_KEY", text }];
  if (file !== "") {
    try {
      written.push({ source: "ROLLCALL_AGE_KEY_FILE", text: await readFile(file, "utf8") });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      return problem("no-key", `ROLLCALL_AGE_KEY_FILE ${file} cannot be read: ${code}`, AGE_KEY_HINT);
    }
  }
  const identities: string[] = [];
  for (const { source, text: lines } of written) {
    const found = identitiesIn(lines);
    if (found === null) return problem("no-key", `${source} holds a line that is not an age identity`, AGE_KEY_HINT);
    identities.push(...found);
  }
  if (identities.length > 0) return { kind: "keys", identities };
  return file === ""
    ? { kind: "none" }
    : problem("no-key", `ROLLCALL_AGE_KEY_FILE ${file} holds no identity`, AGE_KEY_HINT);
}

/** null when a line is neither an identity nor a comment. Identities are written in capitals, and read in either case. */
function identitiesIn(text: string): string[] | null {
  const lines = text.split("\n").map((line) => line.trim());
  const written = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.toUpperCase());
  return written.every((line) => /^AGE-SECRET-KEY-(PQ-)?1[A-Z0-9]+$/.test(line)) ? written : null;
}
