import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseVerdict } from "../../src/shell/change-script.ts";
import { wholeScript } from "../../src/shell/script.ts";
import { changeBody, commandStep, type Trial, tryChange, tryObserve } from "./change-trial.ts";
import { answerOf, inFolder, newBoundary, SHELLS } from "./real-shells.ts";

/** A run whose step `held` tells that it has begun and goes on when it is let: two named pipes, so that nobody polls. */
function heldRun(
  shell: readonly string[],
  folder: string,
): {
  readonly child: ChildProcess;
  readonly trial: Trial;
  begun(): Promise<unknown>;
  letGo(): Promise<void>;
} {
  execFileSync("mkfifo", [`${folder}/begun`, `${folder}/go`]);
  const trial = {
    runId: "run-1",
    epoch: 1,
    seen: null,
    steps: [
      commandStep(`echo x >${folder}/begun; read -r _ <${folder}/go; echo held >>${folder}/out`),
      commandStep("printf 'some\\nlast\\nwords\\n'; exit 1", "failing"),
      commandStep(`echo second >>${folder}/out`, "other"),
    ],
  };
  const setting = { boundary: newBoundary(), stateFolder: `${folder}/state` };
  const child = spawn(shell[0] as string, shell.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin?.end(wholeScript(changeBody(trial), setting));
  return {
    child,
    trial,
    begun: () => readFile(`${folder}/begun`),
    letGo: () => writeFile(`${folder}/go`, "x\n"),
  };
}

const FENCE_1 = { epoch: 1, runId: "run-1" };

describe.each(SHELLS)("a run in %s %s", (...shell) => {
  it("whose connection and session die goes on, records everything, and is seen meanwhile", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const held = heldRun(shell, folder);
      await held.begun();
      held.child.stdout?.destroy();
      held.child.kill("SIGKILL");
      await once(held.child, "exit");
      const during = await tryObserve(shell, `${folder}/state`);
      expect(during).toMatchObject({ busy: true, fence: FENCE_1, lastRun: { runId: "run-1", ended: false } });
      expect(during.lastRun?.steps).toEqual([{ index: 0, state: "cut-off", code: null, detail: "" }]);

      await held.letGo();
      const next = { runId: "run-2", epoch: 2, seen: FENCE_1, steps: [commandStep(`echo third >>${folder}/out`)] };
      const result = await tryChange(shell, `${folder}/state`, { ...next, lastRun: during.lastRun });
      // Whether the orphan has ended by now or is fenced by this very request: it has gone on since it was read.
      expect(result.verdict).toEqual({ kind: "stale", by: FENCE_1 });
      expect(result.facts).toMatchObject({ busy: false, lastRun: { runId: "run-1", ended: true } });
      expect((await readFile(`${folder}/out`, "utf8")).split("\n").filter((line) => line === "held")).toHaveLength(1);
    }),
  );

  it("that is alone to its end records the last words of what failed", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const held = heldRun(shell, folder);
      await held.begun();
      held.child.kill("SIGKILL");
      await once(held.child, "exit");
      await held.letGo();
      execFileSync("flock", [`${folder}/state/lock`, "true"]);
      expect((await tryObserve(shell, `${folder}/state`)).lastRun).toMatchObject({
        ended: true,
        steps: [{ state: "done" }, { state: "failed", detail: "some\nlast\nwords" }, { state: "done" }],
      });
    }),
  );

  it("survives SIGHUP, and a closed channel under its progress lines", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const held = heldRun(shell, folder);
      await held.begun();
      held.child.stdout?.destroy();
      const children = execFileSync("pgrep", ["-P", String(held.child.pid)], { encoding: "utf8" })
        .trim()
        .split("\n");
      for (const pid of children) process.kill(Number(pid), "SIGHUP");
      await held.letGo();
      await once(held.child, "exit");
      expect(await readFile(`${folder}/out`, "utf8")).toBe("held\nsecond\n");
      expect((await tryObserve(shell, `${folder}/state`)).lastRun).toMatchObject({
        ended: true,
        steps: [{ state: "done" }, { state: "failed", detail: "some\nlast\nwords" }, { state: "done" }],
      });
    }),
  );

  it("that went on after the node was read makes what was decided then stale, even when it has ended", () =>
    inFolder(async (folder) => {
      const state = `${folder}/state`;
      const held = heldRun(shell, folder);
      await held.begun();
      const during = await tryObserve(shell, state);
      const ended = once(held.child, "exit");
      held.child.stdout?.resume();
      await held.letGo();
      await ended;
      const steps = [commandStep(`echo third >>${folder}/out`)];
      const next = { runId: "run-2", epoch: 2, seen: during.fence, lastRun: during.lastRun, steps };
      const result = await tryChange(shell, state, next);
      expect(result.verdict).toEqual({ kind: "stale", by: FENCE_1 });
      const { fence, lastRun } = result.facts;
      expect((await tryChange(shell, state, { ...next, epoch: 3, seen: fence, lastRun })).verdict?.kind).toBe("ran");
      expect(await readFile(`${folder}/out`, "utf8")).toBe("held\nsecond\nthird\n");
    }));

  it("that is fenced stops before its next step, and the newer run decides anew", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const held = heldRun(shell, folder);
      await held.begun();
      held.child.kill("SIGKILL");
      const { lastRun } = await tryObserve(shell, `${folder}/state`);
      const steps = [commandStep(`echo third >>${folder}/out`)];
      const next = { runId: "run-2", epoch: 2, seen: FENCE_1, lastRun, steps };
      const waiting = tryChange(shell, `${folder}/state`, next);
      await fenceOf(`${folder}/state`, "2 run-2\n");
      await held.letGo();
      const result = await waiting;
      expect(result.verdict).toEqual({ kind: "stale", by: FENCE_1 });
      expect(await readFile(`${folder}/out`, "utf8")).toBe("held\n");
      expect(result.facts).toMatchObject({
        busy: false,
        fence: { epoch: 2, runId: "run-2" },
        lastRun: {
          runId: "run-1",
          ended: true,
          steps: [{ state: "done" }, { state: "skipped" }, { state: "skipped" }],
        },
      });
      const again = await tryChange(shell, `${folder}/state`, {
        ...next,
        epoch: 3,
        seen: result.facts.fence,
        lastRun: result.facts.lastRun,
      });
      expect(again.verdict?.kind).toBe("ran");
      expect(await readFile(`${folder}/out`, "utf8")).toBe("held\nthird\n");
    }),
  );

  it("that does not stop in time leaves the newer run busy", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const held = heldRun(shell, folder);
      await held.begun();
      const steps = [commandStep(`touch ${folder}/ran`)];
      const body = changeBody({ runId: "run-2", epoch: 2, seen: FENCE_1, steps, stepTimeoutMs: 1000 });
      const impatient = body.replace(/timeout \d+ flock 9/, "timeout 1 flock 9");
      expect(impatient).not.toBe(body);
      const answer = await answerOf(shell, impatient, `${folder}/state`);
      expect(parseVerdict(answer.frame.sections)).toEqual({ kind: "busy" });
      expect(existsSync(`${folder}/ran`)).toBe(false);
      const ended = once(held.child, "exit");
      held.child.stdout?.resume();
      await held.letGo();
      await ended;
    }),
  );

  it("killed between any two of its processes leaves a record that can be read", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const held = heldRun(shell, folder);
      await held.begun();
      // The whole tree, as a power loss would: nothing of the run is left to write `ended`.
      killTree(held.child.pid as number);
      await once(held.child, "exit");
      const facts = await tryObserve(shell, `${folder}/state`);
      expect(facts).toMatchObject({
        busy: false,
        lastRun: { ended: false, steps: [{ index: 0, state: "cut-off" }] },
      });
      const next = { runId: "run-2", epoch: 2, seen: facts.fence, steps: [commandStep("true")] };
      expect((await tryChange(shell, `${folder}/state`, next)).verdict?.kind).toBe("ran");
    }),
  );
});

/** Resolves once the fence says so; the newer run writes it before it waits, and nothing else tells that it does. */
async function fenceOf(state: string, wanted: string): Promise<void> {
  for (;;) {
    if ((await readFile(`${state}/fence`, "utf8")) === wanted) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function killTree(pid: number): void {
  const found = spawnSyncText("pgrep", ["-P", String(pid)]);
  process.kill(pid, "SIGKILL");
  for (const child of found) killTree(child);
}

function spawnSyncText(program: string, args: readonly string[]): number[] {
  try {
    return execFileSync(program, args, { encoding: "utf8" }).trim().split("\n").map(Number);
  } catch {
    return []; // pgrep exits 1 when it finds nothing
  }
}
