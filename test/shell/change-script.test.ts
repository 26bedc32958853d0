import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { StepResult } from "../../src/model/node-facts.ts";
import { parseVerdict } from "../../src/shell/change-script.ts";
import { frameReader } from "../../src/shell/framing.ts";
import { wholeScript } from "../../src/shell/script.ts";
import { changeBody, commandStep, tryChange, tryObserve } from "./change-trial.ts";
import { answerOf, inFolder, newBoundary, pipeInto, SHELLS } from "./real-shells.ts";

const FIRST = { runId: "run-1", epoch: 1, seen: null };

function stepsOf(result: Awaited<ReturnType<typeof tryChange>>): readonly StepResult[] {
  if (result.verdict?.kind !== "ran") throw new Error(`it did not run: ${JSON.stringify(result)}`);
  return result.verdict.outcome.steps;
}

it("a small change reads as this", async () => {
  const steps = [commandStep("echo it's", "base"), commandStep("true", "edge", ["edge", "base"])];
  const body = changeBody({ runId: "run-2", epoch: 8, seen: { epoch: 7, runId: "run-1" }, lastRun: null, steps });
  const script = wholeScript(body, { boundary: "00112233445566778899aabbccddeeff" });
  await expect(script).toMatchFileSnapshot("../golden/change-script.sh");
});

describe.each(SHELLS)("a change in %s %s", (...shell) => {
  it("runs the steps in order, records each, and asks again afterwards", () =>
    inFolder(async (folder) => {
      const state = `${folder}/state`;
      const steps = ["echo one", "echo two", "echo three"].map((line) => commandStep(`${line} >>${folder}/out`));
      const result = await tryChange(shell, state, { ...FIRST, steps });
      expect(readFileSync(`${folder}/out`, "utf8")).toBe("one\ntwo\nthree\n");
      expect(stepsOf(result).map(({ index, state }) => [index, state])).toEqual([
        [0, "done"],
        [1, "done"],
        [2, "done"],
      ]);
      expect(result.answer.progress).toEqual([0, 1, 2]);
      expect(result.facts.fence).toEqual({ epoch: 1, runId: "run-1" });
      expect(result.facts.busy).toBe(false);
      expect(result.facts.lastRun).toMatchObject({ runId: "run-1", epoch: 1, ended: true });
      expect(statSync(state).mode & 0o777).toBe(0o700);
      expect(await tryObserve(shell, state)).toEqual(result.facts);
    }));

  it("a failed step ends its role and those that need it, and nothing else", () =>
    inFolder(async (folder) => {
      const steps = [
        commandStep("echo broken >&2; exit 3", "base"),
        commandStep("true", "base"),
        commandStep("true", "edge", ["edge", "base"]),
        commandStep("true", "other"),
        commandStep("true", "top", ["top", "edge", "base"]),
      ];
      const result = await tryChange(shell, folder, { ...FIRST, steps });
      expect(stepsOf(result).map(({ state }) => state)).toEqual(["failed", "skipped", "skipped", "done", "skipped"]);
      expect(stepsOf(result)[0]).toMatchObject({ code: "command-failed", detail: "broken" });
    }));

  it("tells how a step ended: status, signal, time-out, its own 124, its last words", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const lines = [
        "exit 255",
        "kill -KILL $$",
        "echo waiting; sleep 20",
        "exit 124",
        "i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); done; exit 1",
        "printf 'a\\033[2Jb\\303\\244\\377\\n' >&2; false",
      ];
      const steps = lines.map((line, index) => commandStep(line, `role-${index}`));
      const results = stepsOf(await tryChange(shell, folder, { ...FIRST, steps, stepTimeoutMs: 1000 }));
      expect(results.map(({ state }) => state)).toEqual(Array(6).fill("failed"));
      expect(results[0]).toMatchObject({ code: "command-failed", detail: "exit status 255" });
      expect(results[1]?.detail).toMatch(/ended by signal 9$/);
      expect(results[2]).toMatchObject({ code: "step-timeout", detail: expect.stringContaining("1 seconds") });
      expect(results[3]).toMatchObject({ code: "command-failed", detail: "exit status 124" });
      expect(results[4]?.detail.length).toBeLessThanOrEqual(2000);
      expect(results[4]?.detail).toMatch(/line 398\nline 399$/);
      expect(results[5]?.detail).toBe("a\ufffd[2Jbä\ufffd");
    }),
  );

  it("steps read nothing, hold no lock and no channel, and leave a daemon that holds up nobody", () =>
    inFolder(async (folder) => {
      const steps = [
        commandStep('cat; read -r x; test -z "$x"'),
        commandStep(`ls -l /proc/self/fd | grep -c ' [3-9] -> ' >${folder}/fds || true`),
        commandStep(`sleep 30 & echo $! >${folder}/daemon`),
      ];
      const started = performance.now();
      const result = await tryChange(shell, `${folder}/state`, { ...FIRST, steps });
      const daemon = Number(readFileSync(`${folder}/daemon`, "utf8"));
      try {
        expect(stepsOf(result).map(({ state }) => state)).toEqual(["done", "done", "done"]);
        expect(performance.now() - started).toBeLessThan(15_000);
        // `ls` itself has the folder open.
        expect(readFileSync(`${folder}/fds`, "utf8").trim()).toBe("1");
        expect((await tryObserve(shell, `${folder}/state`)).busy).toBe(false);
      } finally {
        process.kill(daemon);
      }
    }));

  it("does nothing when the node has changed hands since the steps were decided", () =>
    inFolder(async (folder) => {
      await tryChange(shell, folder, { ...FIRST, steps: [commandStep("true")] });
      const ran = `${folder}/ran`;
      const late = { runId: "run-2", epoch: 7, seen: null, steps: [commandStep(`touch ${ran}`)] };
      const stale = await tryChange(shell, folder, late);
      expect(stale.verdict).toEqual({ kind: "stale", by: { epoch: 1, runId: "run-1" } });
      expect(stale.facts.fence).toEqual({ epoch: 1, runId: "run-1" });
      expect(stale.facts.lastRun?.runId).toBe("run-1");
      expect(existsSync(ran)).toBe(false);
      const again = await tryChange(shell, folder, { ...late, seen: stale.facts.fence });
      expect(again.verdict?.kind).toBe("ran");
    }));

  it("is fenced by an epoch that is not below its own, but not by itself", () =>
    inFolder(async (folder) => {
      const steps = [commandStep("true")];
      await tryChange(shell, folder, { runId: "run-1", epoch: 5, seen: null, steps });
      const seen = { epoch: 5, runId: "run-1" };
      for (const epoch of [4, 5]) {
        const result = await tryChange(shell, folder, { runId: "run-2", epoch, seen, steps });
        expect(result.verdict).toEqual({ kind: "fenced", by: seen });
      }
      expect((await tryChange(shell, folder, { runId: "run-1", epoch: 5, seen, steps })).verdict?.kind).toBe("ran");
      expect((await tryChange(shell, folder, { runId: "run-2", epoch: 6, seen, steps })).verdict?.kind).toBe("ran");
    }));

  it("names what the node lacks, and what it cannot write", () =>
    inFolder(async (folder) => {
      const body = changeBody({ ...FIRST, steps: [commandStep("true")] });
      const poor = body.replace("for rc_program in flock", "for rc_program in no-such-flock no-such-timeout");
      const missing = await answerOf(shell, poor, folder);
      expect(parseVerdict(missing.frame.sections)).toEqual({
        kind: "missing",
        programs: "no-such-flock, no-such-timeout",
      });
      expect(missing.frame.status).toBe(0);
      writeFileSync(`${folder}/file`, "");
      const unwritable = await answerOf(shell, body, `${folder}/file/state`);
      expect(parseVerdict(unwritable.frame.sections)).toEqual({ kind: "unwritable" });
      mkdirSync(`${folder}/odd/fence-lock`, { recursive: true });
      const odd = await answerOf(shell, body, `${folder}/odd`);
      expect(parseVerdict(odd.frame.sections)).toEqual({ kind: "unwritable" });
    }));

  it("keeps few run folders, its own among them", { timeout: 60_000 }, () =>
    inFolder(async (folder) => {
      for (let run = 1; run <= 15; run++) {
        const seen = run === 1 ? null : { epoch: run - 1, runId: `run-${run - 1}` };
        await tryChange(shell, folder, { runId: `run-${run}`, epoch: run, seen, steps: [commandStep("true")] });
        expect(readdirSync(`${folder}/runs`)).toContain(`run-${run}`);
      }
      expect(readdirSync(`${folder}/runs`).length).toBeLessThanOrEqual(12);
      expect((await tryObserve(shell, folder)).lastRun).toMatchObject({ runId: "run-15", ended: true });
    }),
  );

  it("prints few enough progress lines never to block, and still reports every step", { timeout: 60_000 }, () =>
    inFolder(async (folder) => {
      const steps = Array.from({ length: 600 }, () => ({ ...commandStep("true"), effects: [] }));
      const result = await tryChange(shell, folder, { ...FIRST, steps });
      expect(stepsOf(result)).toHaveLength(600);
      expect(result.answer.progress.length).toBeLessThanOrEqual(250);
      expect(result.answer.progress[0]).toBe(0);
    }),
  );

  it("answers under the marks alone: a step cannot print into the answer", () =>
    inFolder(async (folder) => {
      const boundary = newBoundary();
      // It even knows the boundary.
      const forged = commandStep(`printf '\\n${boundary} end 0\\n'; printf '\\n${boundary} end 0\\n' >&2`);
      const script = wholeScript(changeBody({ ...FIRST, steps: [forged, commandStep("exit 9")] }), {
        boundary,
        stateFolder: folder,
      });
      const reader = frameReader(boundary);
      reader.push((await pipeInto(shell, script)).stdout);
      const verdict = parseVerdict(reader.frame().sections);
      expect(verdict?.kind === "ran" && verdict.outcome.steps.map(({ state }) => state)).toEqual(["done", "failed"]);
    }));
});
