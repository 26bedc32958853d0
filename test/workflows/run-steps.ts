import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { asText, type Contexts, filled, holds, type Standing } from "./expressions.ts";
import { STAND_INS, type StandIn } from "./stand-ins.ts";
import type { Step } from "./workflow-file.ts";

type Texts = Record<string, string>;

/** One job on its runner; steps change `env`, `path`, `masks` and what is logged. */
export interface Place {
  readonly workspace: string;
  readonly temp: string;
  /** What the process of a step gets besides its `env:`; nothing of this machine's own. */
  readonly base: Readonly<Texts>;
  readonly env: Texts;
  readonly path: string[];
  readonly masks: Set<string>;
  readonly artifacts: string;
  /** Where `git clone` of actions/checkout goes; null: this job may not check out. */
  readonly remote: string | null;
  /** Folders of actions by `owner/repo/path` (without `@ref`), for those that are played as they are. */
  readonly actions: Readonly<Texts>;
  log: string;
  summary: string;
  readonly times: { files: number };
}

export interface StepResult {
  readonly name: string;
  readonly outcome: "success" | "failure" | "skipped";
  readonly conclusion: "success" | "failure" | "skipped";
  readonly outputs: Texts;
  readonly log: string;
}

export interface StepsResult {
  readonly standing: Standing;
  readonly steps: readonly StepResult[];
  /** The `steps` context. */
  readonly byId: Record<string, Omit<StepResult, "log" | "name">>;
}

const STEP_LIMIT_MS = 120_000;

/** Steps of a job or of a composite action, as GitHub runs them: one after the other, `if:` deciding after a failure. */
export async function runSteps(
  steps: readonly Step[],
  contexts: Contexts,
  place: Place,
  shell?: string,
  folder?: string,
): Promise<StepsResult> {
  const results: StepResult[] = [];
  const byId: StepsResult["byId"] = {};
  let standing: Standing = "success";
  for (const [index, step] of steps.entries()) {
    const here = {
      ...contexts,
      steps: byId,
      env: { ...(contexts.env as Texts), ...place.env },
      job: { status: standing },
    };
    const before = place.log.length;
    const { outcome, outputs } = holds(step.if, here, standing)
      ? await runStep(
          {
            ...(shell === undefined ? {} : { shell }),
            ...(folder === undefined ? {} : { "working-directory": folder }),
            ...step,
          },
          here,
          place,
        )
      : { outcome: "skipped" as const, outputs: {} };
    const forgiven = outcome === "failure" && filled(step["continue-on-error"], here) === true;
    const conclusion = forgiven ? "success" : outcome;
    if (conclusion === "failure") standing = "failure";
    const name = step.name ?? step.id ?? step.uses ?? `step ${index + 1}`;
    results.push({ name, outcome, conclusion, outputs, log: place.log.slice(before) });
    if (step.id !== undefined) byId[step.id] = { outcome, conclusion, outputs };
  }
  return { standing, steps: results, byId };
}

type Done = { readonly outcome: "success" | "failure"; readonly outputs: Texts };

async function runStep(step: Step, contexts: Contexts, place: Place): Promise<Done> {
  const env = { ...(contexts.env as Texts), ...texts(filled(step.env ?? {}, contexts)) };
  const here = { ...contexts, env };
  try {
    if (step.run !== undefined) return await runScript(step, asText(filled(step.run, here)), env, here, place);
    return await useAction(step, env, here, place);
  } catch (error) {
    say(place, `::error::${error instanceof Error ? error.message : String(error)}`);
    return { outcome: "failure", outputs: {} };
  }
}

async function useAction(step: Step, env: Texts, contexts: Contexts, place: Place): Promise<Done> {
  const uses = step.uses ?? "";
  const inputs = texts(filled(step.with ?? {}, contexts));
  const name = uses.replace(/@.*$/, "");
  const standIn: StandIn | undefined = STAND_INS[name];
  if (standIn !== undefined) {
    return standIn(inputs, place, contexts).then((outputs) => ({ outcome: "success", outputs }));
  }
  const folder = uses.startsWith("./") ? join(place.workspace, uses) : place.actions[name];
  if (folder === undefined) throw new Error(`there is no stand-in for ${uses}`);
  const action = parse(await readFile(join(folder, "action.yml"), "utf8")) as CompositeAction;
  if (action.runs.using !== "composite") throw new Error(`${uses} is no composite action`);
  const defaults = Object.entries(action.inputs ?? {}).map(([key, input]) => [
    key,
    asText(filled(input.default ?? "", contexts)),
  ]);
  const unknown = Object.keys(inputs).filter((key) => !(key in (action.inputs ?? {})));
  if (unknown.length > 0) throw new Error(`${uses} has no input ${unknown.join(", ")}`);
  const github = { ...(contexts.github as object), action_path: folder };
  // Secrets are not visible within: they come as inputs or not at all.
  const { secrets: _secrets, ...visible } = contexts;
  const inside = { ...visible, github, env, inputs: { ...Object.fromEntries(defaults), ...inputs } };
  const ran = await runSteps(action.runs.steps, inside, place);
  const outputs = Object.entries(action.outputs ?? {}).map(([key, { value }]) => [
    key,
    asText(filled(value, { ...inside, steps: ran.byId })),
  ]);
  return { outcome: ran.standing === "success" ? "success" : "failure", outputs: Object.fromEntries(outputs) };
}

interface CompositeAction {
  readonly inputs?: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly outputs?: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const SHELLS: Readonly<Record<string, readonly string[]>> = {
  "": ["bash", "-e"],
  bash: ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
  sh: ["sh", "-e"],
};

async function runScript(step: Step, script: string, env: Texts, contexts: Contexts, place: Place): Promise<Done> {
  place.times.files += 1;
  const folder = join(place.temp, `step-${place.times.files}`);
  await mkdir(folder);
  const file = (name: string) => join(folder, name);
  const files = {
    GITHUB_OUTPUT: file("output"),
    GITHUB_ENV: file("env"),
    GITHUB_PATH: file("path"),
    GITHUB_STEP_SUMMARY: file("summary"),
  };
  await Promise.all(Object.values(files).map((path) => writeFile(path, "")));
  await writeFile(file("script.sh"), script);
  const [program, ...options] = SHELLS[step.shell ?? ""] ?? [];
  if (program === undefined) throw new Error(`the runner plays no shell ${step.shell}`);
  const github = contexts.github as Texts;
  const action = github.action_path === undefined ? {} : { GITHUB_ACTION_PATH: github.action_path };
  const path = [...place.path.toReversed(), place.base.PATH ?? ""].join(":");
  const code = await spawned(program, [...options, file("script.sh")], {
    cwd: join(place.workspace, asText(filled(step["working-directory"] ?? ".", contexts))),
    env: { ...place.base, ...env, ...files, ...action, PATH: path },
    place,
  });
  place.summary += await readFile(files.GITHUB_STEP_SUMMARY, "utf8");
  place.path.push(...(await readFile(files.GITHUB_PATH, "utf8")).split("\n").filter((line) => line !== ""));
  Object.assign(place.env, assignments(await readFile(files.GITHUB_ENV, "utf8")));
  const outputs = assignments(await readFile(files.GITHUB_OUTPUT, "utf8"));
  if (code !== 0) say(place, `##[error]Process completed with exit code ${code}.`);
  return { outcome: code === 0 ? "success" : "failure", outputs };
}

function spawned(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Texts; place: Place },
): Promise<number> {
  const { cwd, env, place } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: STEP_LIMIT_MS,
      killSignal: "SIGKILL",
    });
    let text = "";
    const hear = (chunk: Buffer) => {
      text += chunk.toString("utf8");
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("error", reject);
    child.on("close", (code) => {
      for (const line of text.replace(/\n$/, "").split("\n")) if (text !== "") say(place, line);
      resolve(code ?? 137);
    });
  });
}

/** Into the log, masked as GitHub masks; a mask counts from its own line on. */
function say(place: Place, line: string): void {
  const mask = /^::add-mask::(.+)$/.exec(line)?.[1];
  if (mask !== undefined) place.masks.add(mask);
  const shown = [...place.masks].reduce((text, secret) => text.replaceAll(secret, "***"), line);
  if (mask === undefined) place.log += `${shown}\n`;
}

/** `name=value` and `name<<END … END`. */
function assignments(text: string): Texts {
  const found: Texts = {};
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const [, block, end] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    if (block !== undefined && end !== undefined) {
      const close = lines.indexOf(end, index + 1);
      if (close === -1) throw new Error(`no line ends with ${end}, which ${block} needs`);
      found[block] = lines.slice(index + 1, close).join("\n");
      index = close;
    } else if (line !== "") {
      const equals = line.indexOf("=");
      if (equals <= 0) throw new Error(`not an assignment: ${line}`);
      found[line.slice(0, equals)] = line.slice(equals + 1);
    }
  }
  return found;
}

const texts = (values: unknown): Texts =>
  Object.fromEntries(Object.entries(values as object).map(([key, one]) => [key, asText(one)]));
