/** What the server knows of one repository. Tests write here directly what people would have done. */
export interface Person {
  readonly login: string;
  readonly type: "User" | "Bot";
}

export interface Token {
  readonly login: string;
  /** `installation`: a workflow's, which may not ask who it is. */
  readonly kind: "installation" | "person";
  /** `issues:write`, `pull_requests:read`, …; `write` holds `read`. */
  readonly permissions: readonly string[];
  /** Milliseconds of the server's time. */
  readonly expiresAt: number;
}

export interface Pull {
  readonly headSha: string;
  readonly headBranch: string;
  /** null: the fork was deleted. */
  readonly headRepo: string | null;
  readonly baseSha: string;
  readonly baseBranch: string;
  readonly draft: boolean;
  readonly merged: boolean;
  readonly mergeable: boolean | null;
  readonly files: readonly { readonly filename: string; readonly previous_filename?: string }[];
  readonly commits: readonly string[];
}

export interface Issue {
  readonly number: number;
  title: string;
  body: string | null;
  state: "open" | "closed";
  labels: string[];
  readonly author: string;
  readonly createdAt: number;
  updatedAt: number;
  deleted: boolean;
  locked: boolean;
  pull: Pull | null;
}

export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Made {
  readonly [key: string]: unknown;
}

/** State of one repository, `acme/fleet`; time is the test's. */
export class World {
  readonly owner = "acme";
  readonly repo = "fleet";
  now: number;
  /** Requests of a workflow's token. */
  hourLimit = 1000;
  readonly people = new Map<string, Person>();
  readonly roles = new Map<string, { permission: string; role_name: string }>();
  readonly tokens = new Map<string, Token>();
  readonly issues = new Map<number, Issue>();
  readonly comments = new Map<number, Comment>();
  readonly reactions: { comment: number; login: string; content: string }[] = [];
  readonly labels = new Set<string>();
  readonly deployments: Made[] = [];
  readonly deploymentStatuses: Made[] = [];
  readonly statuses: Made[] = [];
  readonly dispatches: Made[] = [];
  readonly protections = new Map<string, Made>();
  readonly rules = new Map<string, Made[]>();
  secrets: string[] = [];
  environments: Made[] = [];
  /** Names, by environment. */
  readonly environmentSecrets = new Map<string, readonly string[]>();
  actions: Made = { enabled: true, allowed_actions: "all", sha_pinning_required: false };
  workflowToken: Made = { default_workflow_permissions: "read", can_approve_pull_request_reviews: false };
  private lastId = 1000;

  constructor(now: number) {
    this.now = now;
    this.person("github-actions[bot]", "none", "Bot");
    this.person("octocat", "admin");
  }

  id(): number {
    this.lastId += 1;
    return this.lastId;
  }

  person(login: string, role: string, type: Person["type"] = "User"): void {
    this.people.set(login, { login, type });
    const base: Record<string, string> = { maintain: "write", triage: "read" };
    this.roles.set(login, { permission: base[role] ?? role, role_name: role });
  }

  token(name: string, token: Partial<Token> = {}): string {
    const permissions = token.permissions ?? ["issues:write", "pull_requests:write", "contents:read", "metadata:read"];
    const expiresAt = token.expiresAt ?? this.now + 3_600_000;
    this.tokens.set(name, {
      login: token.login ?? "github-actions[bot]",
      kind: token.kind ?? "installation",
      permissions,
      expiresAt,
    });
    return name;
  }

  issue(author: string, given: Partial<Omit<Issue, "author">> = {}): Issue {
    const issue: Issue = {
      number: Math.max(0, ...this.issues.keys()) + 1,
      title: "An issue",
      body: "",
      state: "open",
      labels: [],
      createdAt: this.now,
      updatedAt: this.now,
      deleted: false,
      locked: false,
      pull: null,
      ...given,
      author,
    };
    this.issues.set(issue.number, issue);
    return issue;
  }

  pull(author: string, given: Partial<Pull> = {}, issue: Partial<Omit<Issue, "author" | "pull">> = {}): Issue {
    const pull: Pull = {
      headSha: "a".repeat(40),
      headBranch: "topic",
      headRepo: `${this.owner}/${this.repo}`,
      baseSha: "b".repeat(40),
      baseBranch: "main",
      draft: false,
      merged: false,
      mergeable: true,
      files: [],
      commits: [],
      ...given,
    };
    return this.issue(author, { title: "A pull request", ...issue, pull });
  }

  comment(issue: number, author: string, body: string): Comment {
    const comment = { id: this.id(), issue, author, body, createdAt: this.now, updatedAt: this.now };
    this.comments.set(comment.id, comment);
    return comment;
  }
}
