import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pc from "picocolors";
import { commitAll } from "../fleet-repository.ts";
import type { Stage } from "./stage.ts";
import type { AtTheConsole, MergedChange, RollcallCommand, Scene } from "./story.ts";

/** A terminal, a file, a pipe. */
export interface Page {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Where the story is told, and how it is cut short. */
export interface Audience {
  readonly stream: Page;
  /** Ends the command at work. */
  readonly signal: AbortSignal;
  /** What becomes of rollcall's own words: `inherit` shows them as they come. */
  readonly stdio: "inherit" | "ignore";
}

/** Columns that the reader is taken to have. */
const WIDTH = 100;

/** Plays the scenes in turn, up to the first that does not turn out as told: then says how, else null. */
export async function tell(scenes: readonly Scene[], stage: Stage, audience: Audience): Promise<string | null> {
  for (const [index, scene] of scenes.entries()) {
    const say = narrator(audience.stream);
    say.title(`${index + 1} · ${scene.title}`);
    for (const line of scene.says) say.line(line);
    say.line();
    const trouble = (await perform(scene.does, stage, audience)) ?? (await scene.proof?.(stage.fleet)) ?? null;
    if (audience.signal.aborted) return null;
    if (trouble !== null) return `scene ${index + 1}, "${scene.title}": ${trouble}`;
  }
  return null;
}

async function perform(does: Scene["does"], stage: Stage, audience: Audience): Promise<string | null> {
  if (does.kind === "rollcall") return runRollcall(does, stage, audience);
  return does.kind === "console" ? workByHand(does, stage, audience) : merge(does, stage, audience);
}

async function merge({ message, edits }: MergedChange, stage: Stage, audience: Audience): Promise<string | null> {
  const say = narrator(audience.stream);
  for (const { path, from, to } of edits) {
    const file = join(stage.repository, path);
    const text = readFileSync(file, "utf8");
    if (text.split(from).length !== 2) return `${path} does not hold ${JSON.stringify(from)} once`;
    writeFileSync(file, text.replace(from, to));
    say.line(path);
    say.line(`  - ${from.trim()}`);
    say.line(`  + ${to.trim()}`);
  }
  await commitAll(stage.repository, message);
  return null;
}

async function runRollcall({ args, exit }: RollcallCommand, stage: Stage, audience: Audience): Promise<string | null> {
  const shown = args.map((arg) => (/^[\w.:/-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(" ");
  narrator(audience.stream).command(`$ rollcall ${shown}`);
  const [program = "", ...first] = stage.rollcall;
  const code = await new Promise<number | string>((resolve) => {
    const { stdio, signal } = audience;
    const child = spawn(program, [...first, ...args], { stdio, signal, env: stage.environment });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (status, killedBy) => resolve(status ?? killedBy ?? "no status"));
  });
  return code === exit ? null : `rollcall ${shown} ended with ${code}, and the story says ${exit}`;
}

async function workByHand({ node, lines }: AtTheConsole, stage: Stage, audience: Audience): Promise<string | null> {
  for (const line of lines) {
    narrator(audience.stream).command(`root@${node}:~# ${line}`);
    const { exitCode, stderr } = await stage.fleet.node(node).shell(line);
    if (exitCode !== 0) return `on ${node}, ${line} failed: ${stderr.trim()}`;
  }
  return null;
}

export interface Narrator {
  title(text: string): void;
  line(text?: string): void;
  command(text: string): void;
  /** Something to notice. */
  warning(text: string): void;
}

/** Plain text where there is no terminal or NO_COLOR is set, as rollcall itself does it. */
export function narrator(stream: Page): Narrator {
  const wanted = process.env.FORCE_COLOR !== undefined || stream.isTTY === true;
  const { bold, cyan, dim, yellow } = pc.createColors(wanted && !process.env.NO_COLOR);
  const write = (text: string): void => void stream.write(`${text}\n`);
  return {
    title: (text) => {
      const rule = "─".repeat(WIDTH - [...text].length - 4);
      write(`\n${dim("──")} ${bold(text)} ${dim(rule)}\n`);
    },
    line: (text = "") => write(text),
    command: (text) => write(cyan(text)),
    warning: (text) => write(yellow(text)),
  };
}
