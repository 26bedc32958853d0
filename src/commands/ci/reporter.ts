import type { Answered } from "../../model/forge.ts";
import type { Forge } from "../../ports/forge.ts";

/** Something that could not be told on GitHub. */
export interface ReportProblem {
  /** What was to be told: `the tracking issue of role:web`. */
  readonly what: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** So many failures in a row, and nothing more is tried until the last words: each may have waited for minutes. */
const PATIENCE = 3;

/**
 * Tells people where they look, and never fails or hides what it tells of (DESIGN §6): a failure is kept, and is to be said
 * at the end.
 */
export class Reporter {
  readonly #forge: Forge | null;
  readonly #problems = new Map<string, ReportProblem>();
  #patience = PATIENCE;
  #failed = 0;
  #left = 0;

  /** `problem`: why there is no forge, in one line. */
  constructor(forge: Forge | null, problem: string) {
    this.#forge = forge;
    if (forge === null) {
      const hint = "give the job a token; what happened is in this log, the summary and the artifact";
      this.#problems.set("", { what: "anything on GitHub", code: "no-forge", message: problem, hint });
    }
  }

  /** null: it could not be told. */
  async tell<T>(what: string, ask: (forge: Forge) => Answered<T>): Promise<T | null> {
    if (this.#forge === null) return null;
    if (this.#failed >= this.#patience) {
      this.#left += 1;
      return null;
    }
    const answer = await asked(() => ask(this.#forge as Forge));
    if (answer.kind === "ok") {
      this.#failed = 0;
      this.#problems.delete(what);
      return answer.value;
    }
    this.#failed += 1;
    const { code, message, hint } = answer;
    this.#problems.set(what, { what, code, message, hint: code === "unauthorized" ? EXPIRED : hint });
    return null;
  }

  /** What follows is said last: it is tried whatever failed before, and given up at the first failure. */
  lastWords(): void {
    this.#failed = 0;
    this.#patience = 1;
  }

  problems(): readonly ReportProblem[] {
    if (this.#left === 0) return [...this.#problems.values()];
    const message = `after failures in a row ${this.#left} further messages were not sent`;
    const hint = "the next run says how things stand then";
    return [...this.#problems.values(), { what: "the rest", code: "not-tried", message, hint }];
  }
}

const EXPIRED =
  "the job's token is refused, as it is after its hour: set GITHUB_TOKEN_FILE to what renews it, or a shorter --budget";

async function asked<T>(ask: () => Answered<T>): ReturnType<typeof ask> {
  try {
    return await ask();
  } catch (error) {
    // A bug of ours in telling is no reason to end what is told of.
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "failed", code: "validation", message, hint: "this is a fault of rollcall" };
  }
}
