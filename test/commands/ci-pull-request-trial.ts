import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitHistory } from "../../src/adapters/git-history.ts";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { runFromEnvironment } from "../../src/adapters/github/actions-environment.ts";
import { memorySimulator } from "../../src/adapters/memory/simulator.ts";
import { gitObservedStore } from "../../src/adapters/observed/git-store.ts";
import { remoteCommits } from "../../src/adapters/remote-commits.ts";
import { type PullRequestDoors, runCiPullRequest } from "../../src/commands/ci/pull-request.ts";
import { readWorkflowEvent } from "../../src/model/workflow-event.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { type BareRemote, bareRemote, emptyFolder } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { START, type Trial, trial } from "../github/forge-fixture.ts";

type Files = Readonly<Record<string, string | null>>;

const PERSON = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];

/** What the fleet declares at first: two classes, one role. */
const MAIN: Files = {
  "roster/fleet.yaml": "version: 2\ngeneration: 1\n",
  "host-roles/edge.yaml": edge(1, "one"),
  "roster/nodes/web-01.yaml": "name: web-01\nclass: server\naddress: web-01.example.org\nroles: [edge]\n",
  "roster/nodes/web-02.yaml": "name: web-02\nclass: server\naddress: web-02.example.org\nroles: [edge]\n",
  "roster/nodes/desk-01.yaml": "name: desk-01\nclass: desk\naddress: desk-01.example.org\nroles: [edge]\n",
};

export function edge(version: number, content: string): string {
  return `role: edge\nversion: ${version}\ndescription: The edge.\nresources:\n  - { type: file, path: /etc/edge, content: "${content}\\n" }\n`;
}

/** What a good change writes. */
export const CHANGE: Files = {
  "roster/fleet.yaml": "version: 2\ngeneration: 2\n",
  "host-roles/edge.yaml": edge(2, "two"),
};

export interface Change {
  readonly head: string;
  readonly merge: string;
}

/** A fleet on a real remote, a pull request of it on a server that is held to GitHub's description, and a runner. */
export class PullRequestTrial {
  readonly remote: BareRemote = bareRemote();
  readonly desk: string;
  readonly forge: Trial;
  readonly number: number;
  log = "";
  readonly output = emptyFolder();

  private constructor(forge: Trial) {
    this.forge = forge;
    this.number = forge.world.pull("octocat").number;
    this.desk = emptyFolder();
    gitIn(this.desk, "init", "--quiet", "--initial-branch=main");
    gitIn(this.desk, "remote", "add", "origin", this.remote.path);
    this.commit(MAIN, "first");
    gitIn(this.desk, "push", "--quiet", "origin", "main");
  }

  static async begin(options: { permissions?: string[] } = {}): Promise<PullRequestTrial> {
    return new PullRequestTrial(await trial(options));
  }

  commit(files: Files, message: string): string {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.desk, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
    gitIn(this.desk, "add", "--all");
    gitIn(this.desk, ...PERSON, "commit", "--quiet", "--message", message);
    return gitIn(this.desk, "rev-parse", "HEAD");
  }

  /** The topic branch anew from main with these files, merged for a trial, as GitHub does; a force-push when there was one. */
  propose(files: Files, options: { fork?: boolean; draft?: boolean } = {}): Change {
    gitIn(this.desk, "checkout", "--quiet", "-B", "topic", "main");
    const head = this.commit(files, "a change");
    gitIn(this.desk, "checkout", "--quiet", "--detach", "main");
    gitIn(this.desk, ...PERSON, "merge", "--quiet", "--no-ff", "--message", "trial merge", "topic");
    const merge = gitIn(this.desk, "rev-parse", "HEAD");
    const { number } = this;
    gitIn(
      this.desk,
      "push",
      "--quiet",
      "--force",
      "origin",
      `${head}:refs/pull/${number}/head`,
      `${merge}:refs/pull/${number}/merge`,
    );
    gitIn(this.desk, "checkout", "--quiet", "main");
    const issue = this.forge.world.issues.get(number);
    if (issue?.pull == null) throw new Error("there is no pull request");
    const baseSha = gitIn(this.desk, "rev-parse", "main");
    const headRepo = options.fork === true ? "mallory/fleet" : "acme/fleet";
    issue.pull = { ...issue.pull, headSha: head, baseSha, headRepo, draft: options.draft === true, commits: [head] };
    return { head, merge };
  }

  payload({ head }: Pick<Change, "head">, more: { fork?: boolean; draft?: boolean; state?: "open" | "closed" } = {}) {
    const base = { sha: gitIn(this.desk, "rev-parse", "main"), ref: "main", repo: { full_name: "acme/fleet" } };
    const full_name = more.fork === true ? "mallory/fleet" : "acme/fleet";
    const { draft = false, state = "open" } = more;
    const pull_request = {
      number: this.number,
      state,
      draft,
      head: { sha: head, ref: "topic", repo: { full_name } },
      base,
    };
    return { action: "synchronize", number: this.number, pull_request };
  }

  /** One job on a clean runner: a clone with the commit checked out, and the verb in it. */
  async job(
    event: { readonly name: string; readonly payload: unknown },
    options: {
      readonly checkout: string;
      readonly fromRun?: boolean;
      readonly actor?: string;
      readonly now?: number;
      forge?: null;
    },
  ) {
    const folder = join(emptyFolder(), "fleet");
    gitIn(this.desk, "clone", "--quiet", `file://${this.remote.path}`, folder);
    gitIn(folder, "fetch", "--quiet", "origin", options.checkout);
    gitIn(folder, "checkout", "--quiet", "--detach", options.checkout);
    this.log = "";
    const summary = join(this.output, "summary");
    const outputs = join(this.output, "outputs");
    writeFileSync(summary, "");
    writeFileSync(outputs, "");
    const environment = {
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "acme/fleet",
      GITHUB_RUN_ID: "17",
      GITHUB_ACTOR: options.actor ?? "octocat",
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: outputs,
    };
    const documents = join(this.output, "documents");
    const clock = { now: () => new Date(options.now ?? START) };
    const doors: PullRequestDoors = {
      event: readWorkflowEvent(event.name, event.payload),
      run: runFromEnvironment(environment, {
        folder: documents,
        log: { write: (text: unknown) => this.hear(String(text)) },
      }),
      forge: options.forge === null ? null : this.forge.forge,
      forgeProblem: options.forge === null ? "there is no token" : "",
      pages: "https://github.com/acme/fleet",
      repository: gitRepository(folder),
      history: gitHistory(folder),
      store: (branch) => gitObservedStore(folder, { branch, clock }),
      simulator: memorySimulator,
      clock,
      commits: remoteCommits(folder),
    };
    const result = await runCiPullRequest(doors, { fromRun: options.fromRun ?? false, scheduleMs: 3_600_000 });
    return {
      exitCode: result.exitCode,
      text: result.text(PLAIN),
      summary: readFileSync(summary, "utf8"),
      outputs: readFileSync(outputs, "utf8"),
      documents: Object.fromEntries(list(documents).map((name) => [name, readFileSync(join(documents, name), "utf8")])),
    };
  }

  private hear(text: string): true {
    this.log += text;
    return true;
  }

  /** Own pull request, as `pull-request.yml` runs it. */
  own(change: Change, more: { draft?: boolean; state?: "open" | "closed" } = {}) {
    return this.job({ name: "pull_request", payload: this.payload(change, more) }, { checkout: change.merge });
  }

  /** Bodies of all comments in the pull request. */
  comments(): string[] {
    return [...this.forge.world.comments.values()].filter((one) => one.issue === this.number).map((one) => one.body);
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
