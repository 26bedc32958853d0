import type { ForgeIssue } from "../../model/forge.ts";
import type { Clock } from "../../ports.ts";
import type { Reporter } from "./reporter.ts";

/** An issue that is to say how things stand: there is one of each mark, as long as it is open. */
export interface KeptIssue {
  /** The first line of its body, hidden. */
  readonly mark: string;
  /** null: as it is; then it is only changed, never made. */
  readonly title: string | null;
  /** Begins with the mark. */
  readonly body: string;
  readonly state: "open" | "closed";
  /** For the report of what could not be told. */
  readonly what: string;
}

export const ROLLCALL_LABEL = { name: "rollcall", color: "0e8a16", description: "Written by rollcall" } as const;

/** Between two edits of one issue, milliseconds; GitHub counts writes. */
const EDIT_EVERY = 30_000;

/** All open issues of rollcall's own, each found by its mark. A closed one is never taken up again: its story is over. */
export class KeptIssues {
  readonly #reporter: Reporter;
  readonly #clock: Clock;
  #open: Map<string, ForgeIssue> | null = null;
  readonly #edited = new Map<string, number>();
  #labelled = false;

  constructor(reporter: Reporter, clock: Clock) {
    this.#reporter = reporter;
    this.#clock = clock;
  }

  /** Marks of those that are open; null: nobody could say. */
  async open(): Promise<readonly string[] | null> {
    const open = await this.#load();
    return open === null ? null : [...open.keys()];
  }

  /** `last`: however short ago it was edited. */
  async keep(issue: KeptIssue, last: boolean): Promise<void> {
    const open = await this.#load();
    // Who does not know what is there would make it twice.
    if (open === null) return;
    const there = open.get(issue.mark);
    if (there === undefined) return issue.state === "open" ? this.#create(issue, open) : undefined;
    if (there.body === issue.body && (issue.title ?? there.title) === there.title && there.state === issue.state)
      return;
    const now = this.#clock.now().getTime();
    if (!last && now - (this.#edited.get(issue.mark) ?? Number.NEGATIVE_INFINITY) < EDIT_EVERY) return;
    this.#edited.set(issue.mark, now);
    const { body, state } = issue;
    const title = issue.title ?? there.title;
    let deleted = false;
    const changed = await this.#reporter.tell<ForgeIssue | null>(issue.what, async (forge) => {
      const answer = await forge.updateIssue(there.number, { title, body, state });
      deleted = answer.kind === "failed" && (answer.code === "gone" || answer.code === "not-found");
      return deleted ? { kind: "ok", value: null } : answer;
    });
    if (deleted) {
      open.delete(issue.mark);
      if (state === "open") await this.#create(issue, open);
    } else if (changed !== null && state === "closed") open.delete(issue.mark);
    else if (changed !== null) open.set(issue.mark, changed);
  }

  async #create({ mark, title, body, what }: KeptIssue, open: Map<string, ForgeIssue>): Promise<void> {
    if (title === null) return;
    if (!this.#labelled) {
      this.#labelled = true;
      await this.#reporter.tell("the label of issues", (forge) => forge.ensureLabel(ROLLCALL_LABEL));
    }
    const made = await this.#reporter.tell(what, (forge) =>
      forge.createIssue({ title, body, labels: [ROLLCALL_LABEL.name] }),
    );
    if (made === null) return;
    open.set(mark, made);
    this.#edited.set(mark, this.#clock.now().getTime());
  }

  async #load(): Promise<Map<string, ForgeIssue> | null> {
    if (this.#open !== null) return this.#open;
    const search = { label: ROLLCALL_LABEL.name, mark: null, state: "open" } as const;
    const found = await this.#reporter.tell("a look at the open issues", (forge) => forge.findIssues(search));
    if (found === null) return null;
    const open = new Map<string, ForgeIssue>();
    for (const issue of found) {
      const [mark = ""] = issue.body.split(/\r?\n/, 1);
      if (/^<!-- rollcall:.* -->$/.test(mark) && !open.has(mark)) open.set(mark, issue);
    }
    this.#open = open;
    return open;
  }
}
