import { randomBytes } from "node:crypto";
import type { NodeEffect, Step } from "../../src/model/node-effect.ts";
import type { NodeFacts, StepResult } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS, type NodeQuestions } from "../../src/model/node-question.ts";
import { parseVerdict } from "../../src/shell/change-script.ts";
import { frameReader } from "../../src/shell/framing.ts";
import { changeScript, factsFrom, observeScript } from "../../src/shell/requests.ts";
import type { FleetNode } from "./fleet-node.ts";

/** Sends the product's own scripts to a node without ssh, for what only a real node can judge: questions and effects. */
export class ResourcesClient {
  readonly #node: FleetNode;
  readonly #stepTimeoutMs: number;
  #epoch = 0;

  constructor(node: FleetNode, stepTimeoutMs = 30_000) {
    this.#node = node;
    this.#stepTimeoutMs = stepTimeoutMs;
  }

  async observe(questions: Partial<NodeQuestions>, shell = "/bin/sh"): Promise<NodeFacts> {
    const all = { ...NO_QUESTIONS, ...questions };
    const boundary = randomBytes(16).toString("hex");
    return factsFrom(await this.#sections(observeScript(all, { boundary }), boundary, shell), all);
  }

  /** Each effect is a step of its own; they need nothing of each other. */
  async act(...effects: readonly NodeEffect[]): Promise<readonly StepResult[]> {
    const steps = effects.map((effect, index): Step => {
      const role = `r${index}`;
      return { role, resource: `${effect.do}:${index}`, needs: [role], effects: [effect] };
    });
    return (await this.change(steps)).steps;
  }

  async change(
    steps: readonly Step[],
    questions: NodeQuestions = NO_QUESTIONS,
    settleMs = 0,
  ): Promise<{ readonly steps: readonly StepResult[]; readonly facts: NodeFacts }> {
    const { fence } = await this.observe({});
    const boundary = randomBytes(16).toString("hex");
    this.#epoch = Math.max(this.#epoch, fence?.epoch ?? 0) + 1;
    const request = {
      runId: `test-${this.#epoch}`,
      fence: { epoch: this.#epoch, seen: fence },
      steps,
      questions,
      stepTimeoutMs: this.#stepTimeoutMs,
      settleMs,
    };
    const sections = await this.#sections(changeScript(request, { boundary }), boundary);
    const verdict = parseVerdict(sections);
    if (verdict?.kind !== "ran") throw new Error(`the change did not run: ${JSON.stringify(verdict)}`);
    return { steps: verdict.outcome.steps, facts: factsFrom(sections, questions) };
  }

  async #sections(script: string, boundary: string, shell = "/bin/sh"): Promise<ReadonlyMap<string, string>> {
    const { code, stdout, stderr } = await this.#node.exec(`exec ${shell} -s`, { stdin: script, timeoutMs: 90_000 });
    const reader = frameReader(boundary);
    reader.push(Buffer.from(stdout, "utf8").toString("latin1"));
    const { status, sections } = reader.frame();
    if (status !== 0) throw new Error(`no end mark (exit ${code}): ${stdout.slice(-500)}\n${stderr.slice(-2000)}`);
    return sections;
  }
}

/** `done`, or the code of the failure. */
export function outcomes(steps: readonly StepResult[]): string[] {
  return steps.map(({ state, code, detail }) => (state === "done" ? state : (code ?? `${state}: ${detail}`)));
}
