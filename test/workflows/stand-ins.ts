import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Contexts } from "./expressions.ts";
import type { Place } from "./run-steps.ts";

/** What an action of somebody else's does here, so far as ours rely on it; gives its outputs, throws when it fails. */
export type StandIn = (
  inputs: Readonly<Record<string, string>>,
  place: Place,
  contexts: Contexts,
) => Promise<Record<string, string>>;

const run = promisify(execFile);

/** A real clone of the trial's remote: without `fetch-depth: 0` shallow, as on GitHub. */
const checkout: StandIn = async (inputs, place, contexts) => {
  if (place.remote === null) throw new Error("the trial has no remote to check out");
  const { ref, sha, token } = contexts.github as { ref: string; sha: string; token: string };
  const wanted = inputs.ref || sha || ref;
  const folder = join(place.workspace, inputs.path ?? ".");
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]) =>
    run("git", args, { cwd: folder, env: { ...place.base, GIT_TERMINAL_PROMPT: "0" } });
  await git("init", "--quiet");
  await git("remote", "add", "origin", place.remote);
  const deep = inputs["fetch-depth"] === "0";
  const refs = deep ? ["+refs/heads/*:refs/remotes/origin/*", "+refs/pull/*:refs/remotes/pull/*"] : [];
  await git("fetch", "--quiet", "--no-tags", ...(deep ? [] : ["--depth=1"]), "origin", ...refs, wanted);
  await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
  if (deep && /^[0-9a-f]{40}$/.test(wanted)) await git("checkout", "--quiet", "--detach", wanted);
  // What the real one leaves in .git/config for every later step, unless it is told not to.
  if (inputs["persist-credentials"] !== "false") await git("config", "rollcall.trial-token", token);
  return { commit: (await git("rev-parse", "HEAD")).stdout.trim() };
};

const uploadArtifact: StandIn = async (inputs, place) => {
  const name = inputs.name ?? "artifact";
  const folder = join(place.artifacts, name);
  // Names are taken once a run.
  await mkdir(folder);
  for (const path of (inputs.path ?? "").split("\n").filter((line) => line.trim() !== "")) {
    const from = path.startsWith("/") ? path : join(place.workspace, path);
    await cp(from, join(folder, basename(from)), { recursive: true }).catch((error: unknown) => {
      if (inputs["if-no-files-found"] === "error") throw error;
    });
  }
  return { "artifact-id": "1", "artifact-url": `https://github.com/acme/fleet/actions/runs/1/artifacts/${name}` };
};

const downloadArtifact: StandIn = async (inputs, place) => {
  const to = join(place.workspace, inputs.path ?? ".");
  await cp(join(place.artifacts, inputs.name ?? ""), to, { recursive: true });
  return { "download-path": to };
};

export const STAND_INS: Readonly<Record<string, StandIn>> = {
  "actions/checkout": checkout,
  "actions/setup-node": async () => ({ "node-version": process.version }),
  "actions/upload-artifact": uploadArtifact,
  "actions/download-artifact": downloadArtifact,
};
