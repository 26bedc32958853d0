import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Forge } from "../../ports/forge.ts";
import type { Pace } from "./connection.ts";
import { gitHubForge } from "./github-forge.ts";

export type ForgeSetup =
  | { readonly kind: "ready"; readonly forge: Forge }
  | { readonly kind: "problem"; readonly code: string; readonly message: string; readonly hint: string };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The forge that the environment of a workflow names: GITHUB_REPOSITORY, GITHUB_API_URL, and GITHUB_TOKEN or, for runs that
 * outlive a token, GITHUB_TOKEN_FILE. ROLLCALL_GITHUB_LOGIN: who writes with it, for the token of an app of one's own.
 */
export function forgeFromEnvironment(environment: Environment, pace: Pace = SYSTEM_PACE): ForgeSetup {
  const repository = environment.GITHUB_REPOSITORY ?? "";
  const [, owner, repo] = /^([A-Za-z0-9][\w-]*)\/([\w.-]+)$/.exec(repository) ?? [];
  if (owner === undefined || repo === undefined || repo === "." || repo === "..") {
    return problem("no-repository", "GITHUB_REPOSITORY names no repository", "Set it to OWNER/NAME.");
  }
  const apiUrl = environment.GITHUB_API_URL || "https://api.github.com";
  if (!safeUrl(apiUrl)) {
    return problem(
      "api-url",
      "GITHUB_API_URL is not an https URL",
      "A token is sent there: set it to the API's https URL.",
    );
  }
  const token = tokenSource(environment);
  if (token === undefined) {
    return problem("no-token", "there is no token", "Set GITHUB_TOKEN, in a workflow from `github.token`.");
  }
  const login = environment.ROLLCALL_GITHUB_LOGIN || undefined;
  const limits = { patienceMs: 120_000, timeoutMs: 30_000 };
  return { kind: "ready", forge: gitHubForge({ apiUrl, owner, repo, token, login, pace, ...limits }) };
}

/** Read anew each time that it is asked. */
function tokenSource(environment: Environment): (() => Promise<string | undefined>) | undefined {
  const file = environment.GITHUB_TOKEN_FILE;
  if (file) {
    return async () => {
      const text = await readFile(file, "utf8").catch(() => "");
      return text.trim() || undefined;
    };
  }
  return environment.GITHUB_TOKEN ? async () => environment.GITHUB_TOKEN?.trim() || undefined : undefined;
}

function safeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname))
  );
}

function problem(code: string, message: string, hint: string): ForgeSetup {
  return { kind: "problem", code, message, hint };
}

const SYSTEM_PACE: Pace = {
  now: () => Date.now(),
  sleep: (milliseconds) => setTimeout(milliseconds),
  random: () => Math.random(),
};
