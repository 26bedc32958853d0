import { afterEach } from "vitest";
import type { Pace } from "../../src/adapters/github/connection.ts";
import { gitHubForge } from "../../src/adapters/github/github-forge.ts";
import type { ForgeAnswer } from "../../src/model/forge.ts";
import type { Forge } from "../../src/ports/forge.ts";
import { type GitHubServer, startGitHub } from "./server.ts";
import { World } from "./world.ts";

export const START = Date.parse("2026-11-30T10:00:00Z");

export interface Trial {
  readonly github: GitHubServer;
  readonly world: World;
  readonly forge: Forge;
  /** What was slept, in milliseconds, in order; sleeping moves the world's clock. */
  readonly slept: number[];
  /** What the adapter's source of tokens holds. */
  tokens: string[];
}

const open: GitHubServer[] = [];

/** Every violation of GitHub's description fails the test that caused it. */
export function closeServers(): void {
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });
}

/** The workflow's token unless `login` is a person. */
export async function trial(
  options: { login?: string; permissions?: string[]; timeoutMs?: number } = {},
): Promise<Trial> {
  const world = new World(START);
  const kind = options.login === undefined ? "installation" : "person";
  world.token("first-token", { kind, ...options });
  const github = await startGitHub(world);
  open.push(github);
  const slept: number[] = [];
  const pace: Pace = {
    now: () => world.now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      world.now += milliseconds;
    },
    random: () => 0.5,
  };
  const made: Trial = { github, world, slept, tokens: ["first-token"], forge: undefined as never };
  const forge = gitHubForge({
    apiUrl: github.url,
    owner: world.owner,
    repo: world.repo,
    token: async () => (made.tokens.length > 1 ? made.tokens.shift() : made.tokens[0]),
    login: undefined,
    pace,
    patienceMs: 120_000,
    timeoutMs: options.timeoutMs ?? 10_000,
  });
  return Object.assign(made, { forge });
}

export function answerOf<T>(answer: ForgeAnswer<T>): T {
  if (answer.kind === "failed") throw new Error(`${answer.code}: ${answer.message}`);
  return answer.value;
}
