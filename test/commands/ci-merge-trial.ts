import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitHistory } from "../../src/adapters/git-history.ts";
import { gitMergedPast } from "../../src/adapters/git-merged-past.ts";
import { gitRepository } from "../../src/adapters/git-repository.ts";
import { debianNode } from "../../src/adapters/memory/debian-node.ts";
import type { Fault } from "../../src/adapters/memory/faults.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { memorySimulator } from "../../src/adapters/memory/simulator.ts";
import { gitObservedStore } from "../../src/adapters/observed/git-store.ts";
import { remoteCommits } from "../../src/adapters/remote-commits.ts";
import { runCiReconcile } from "../../src/commands/ci/reconcile.ts";
import type { CommandResult } from "../../src/commands/result.ts";
import type { Forge } from "../../src/ports/forge.ts";
import type { Annotation, WorkflowRun } from "../../src/ports/workflow-run.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { planMarkLines } from "../../src/render/plan-mark.ts";
import { givenSecrets } from "../engine/given-secrets.ts";
import { type BareRemote, bareRemote, emptyFolder } from "../git-remote/bare-remote.ts";
import { gitIn } from "../git-remote/git-in.ts";
import { type Trial, trial } from "../github/forge-fixture.ts";

export const BOT = "github-actions[bot]";
const PERSON = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];

/** What a step of a workflow wrote. */
export class WrittenRun implements WorkflowRun {
  readonly repository = "acme/fleet";
  readonly url = "https://github.com/acme/fleet/actions/runs/17";
  readonly actor = "octocat";
  readonly summaries: string[] = [];
  readonly documents = new Map<string, unknown>();
  readonly annotations: Annotation[] = [];
  async summary(markdown: string): Promise<void> {
    this.summaries.push(markdown);
  }
  async output(): Promise<void> {}
  async document(file: string, content: unknown): Promise<void> {
    this.documents.set(file, content);
  }
  annotate(annotation: Annotation): void {
    this.annotations.push(annotation);
  }
  group(): void {}
  mask(): void {}
}

export interface Ran {
  readonly result: CommandResult;
  readonly text: string;
  readonly run: WrittenRun;
}

let runs = 0;

/** A fleet repository at a real remote, nodes in memory, and GitHub's API. */
export class MergeTrial {
  readonly remote: BareRemote = bareRemote();
  readonly work = emptyFolder();
  readonly nodes = new Map<string, MemoryNode>();
  readonly api: Trial;
  nowMs = Date.parse("2026-11-30T10:00:00Z");
  readonly clock = { now: () => new Date(this.nowMs) };

  constructor(api: Trial, names: readonly string[]) {
    this.api = api;
    for (const name of names) this.nodes.set(name, debianNode({ name }));
    gitIn(this.work, "init", "--quiet", "--initial-branch=main");
    gitIn(this.work, "remote", "add", "origin", this.remote.path);
  }

  static async of(names: readonly string[], files: Readonly<Record<string, string | null>>): Promise<MergeTrial> {
    const api = await trial({
      permissions: [
        "issues:write",
        "pull_requests:write",
        "contents:read",
        "metadata:read",
        "deployments:write",
        "statuses:write",
      ],
    });
    const made = new MergeTrial(api, names);
    made.commit(files, "first");
    made.push();
    return made;
  }

  git(...words: string[]): string {
    return gitIn(this.work, ...PERSON, ...words);
  }

  head(): string {
    return this.git("rev-parse", "HEAD");
  }

  /** On the branch that is checked out. */
  commit(files: Readonly<Record<string, string | null>>, message: string): string {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.work, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
    return this.head();
  }

  push(): void {
    this.git("push", "--quiet", "origin", "main");
  }

  /** A pull request whose plan comment people saw; `by`: who wrote the comment, null: nobody. */
  proposed(
    files: Readonly<Record<string, string | null>>,
    by: string | null = BOT,
  ): { number: number; branch: string } {
    const base = this.git("rev-parse", "main");
    const { number } = this.api.world.pull("octocat", { merged: false });
    const branch = `topic-${number}`;
    this.git("checkout", "--quiet", "-b", branch, "main");
    const head = this.commit(files, `change ${number}`);
    this.git("checkout", "--quiet", "--detach", "main");
    this.git("merge", "--quiet", "--no-ff", "--message", "trial", head);
    const merge = this.head();
    this.git("push", "--quiet", "origin", `${merge}:refs/pull/${number}/merge`, `${head}:refs/pull/${number}/head`);
    this.git("checkout", "--quiet", "main");
    const observed = this.remote.refs()["refs/heads/observed"] ?? null;
    const mark = planMarkLines({ base, head, merge, observed, digest: "0".repeat(64) });
    if (by !== null) this.api.world.comment(number, by, [...mark, "### the plan"].join("\n"));
    return { number, branch };
  }

  /** As the button does it. */
  merge({ number, branch }: { number: number; branch: string }): string {
    this.git("merge", "--quiet", "--no-ff", "--message", `Merge #${number}`, branch);
    const merge = this.head();
    const issue = this.api.world.issues.get(number);
    if (issue?.pull == null) throw new Error("no pull request");
    issue.state = "closed";
    issue.pull = { ...issue.pull, merged: true, headSha: this.git("rev-parse", branch), commits: [merge] };
    return merge;
  }

  /** One job on a fresh runner. */
  async reconcile(more: { accept?: string; forge?: Forge | null; faults?: readonly Fault[] } = {}): Promise<Ran> {
    const folder = join(emptyFolder(), "clone");
    gitIn(this.work, "clone", "--quiet", `file://${this.remote.path}`, folder);
    const run = new WrittenRun();
    const secrets = givenSecrets();
    const transport = new MemoryTransport(this.nodes, more.faults ?? []);
    const runId = `run-${++runs}`;
    const { forge = this.api.forge } = more;
    const result = await runCiReconcile(
      {
        ...{ run, forge, forgeProblem: forge === null ? "there is no token" : "" },
        ...{ repository: gitRepository(folder), history: gitHistory(folder), past: gitMergedPast(folder) },
        ...{ commits: remoteCommits(folder), simulator: memorySimulator, clock: this.clock },
        store: (branch) => gitObservedStore(folder, { branch, clock: this.clock }),
        interrupted: () => false,
        open: (parallel) => ({
          ...{ runId, transport, secrets, clock: this.clock, parallel },
          progress: { event: () => {}, end: () => {} },
        }),
      },
      {
        ...{ budgetMs: null, takeOverLock: false, reason: null, holder: `octocat, ${runId}`, actor: "octocat" },
        acceptEscalation: more.accept ?? null,
      },
    );
    this.nowMs += 60_000;
    return { result, text: result.text(PLAIN), run };
  }

  site(node: string): string | undefined {
    const entry = this.nodes.get(node)?.files.get("/etc/site");
    return entry?.type === "file" ? new TextDecoder().decode(entry.content.bytes()) : undefined;
  }

  openIssues(): readonly { number: number; title: string; body: string }[] {
    return [...this.api.world.issues.values()]
      .filter(({ pull, state }) => pull === null && state === "open")
      .map(({ number, title, body }) => ({ number, title, body: body ?? "" }));
  }

  comments(number: number): readonly string[] {
    return [...this.api.world.comments.values()].filter(({ issue }) => issue === number).map(({ body }) => body);
  }
}

export const fleet = (generation: number, more: object = {}): string =>
  JSON.stringify({ version: "2", generation: String(generation), ...more });

export const node = (name: string, more: object = {}): string =>
  JSON.stringify({ name, class: "server", address: "192.0.2.1", roles: ["web"], ...more });

export const role = (version: number, resources: readonly object[], more: object = {}): string =>
  JSON.stringify({ role: "web", version: String(version), description: "Test.", resources, ...more });

export const site = (content: string): object => ({ type: "file", path: "/etc/site", content });
