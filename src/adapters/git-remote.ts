import { askGit, type GitAnswer, gitWords, runGit } from "./git-process.ts";

/** The one remote that counts (DESIGN §4); without it the refs live in the local repository. */
export const REMOTE = "origin";

/** Milliseconds for one conversation with a remote; and for one that may have the record of years to bring. */
const CONVERSATION_LIMIT = 180_000;
const LONG_CONVERSATION_LIMIT = 1_800_000;

/** A remote, or git itself, refuses or cannot be reached. Codes are stable; `message` is git's own word, masked. */
export interface GitRefusal {
  readonly kind: "failed";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export async function hasRemote(folder: string): Promise<boolean> {
  return (await askGit(folder, "config", "--get", `remote.${REMOTE}.url`)) !== undefined;
}

/** A git process that speaks with the remote. A link that stands still ends it. */
export async function converse(
  folder: string,
  words: readonly string[],
  limit = CONVERSATION_LIMIT,
): Promise<GitAnswer> {
  const patience = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"];
  return runGit(folder, [...patience, ...words], { limit });
}

/** Fetches without a trace besides the refs that are named: no tags, no FETCH_HEAD, no housekeeping, no submodules. */
export async function fetchRefs(
  folder: string,
  refspecs: readonly string[],
  options: readonly string[] = [],
  limit?: number,
) {
  const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"];
  return converse(folder, ["fetch", ...quiet, "--no-filter", "--refmap=", ...options, REMOTE, ...refspecs], limit);
}

/**
 * Fetches commits of which `tip` is the one whose past may be long and is of no use here. To leave the past out makes the whole
 * repository a shallow one in git's eyes, and cuts main as well where the tip was branched off from main's: a person's clone
 * takes it, as with any `git fetch` there. One that is shallow already (a runner's) takes no more than it needs.
 */
export async function fetchTip(folder: string, refspecs: readonly string[], tip: string): Promise<GitAnswer> {
  const shallow = (await askGit(folder, "rev-parse", "--is-shallow-repository")) === "true";
  const news = (await askGit(folder, "cat-file", "-e", `${tip}^{commit}`)) === undefined;
  return fetchRefs(folder, refspecs, shallow && news ? ["--depth=1"] : [], LONG_CONVERSATION_LIMIT);
}

/** In order: the first that fits is meant. Texts are those of git in English, of curl, of ssh, and of GitHub. */
const KINDS: readonly { readonly code: string; readonly says: RegExp; readonly hint: string }[] = [
  {
    code: "disk-full",
    says: /no space left on device|disk quota exceeded/i,
    hint: "make room on the disk of this repository, or of the remote where that is what complains",
  },
  {
    code: "push-protected",
    says: /\bGH0(06|13)\b|protected branch|repository rule violations|protected ref/i,
    hint: "let the observed branches and refs/rollcall/* be exempt from the rules that protect others",
  },
  {
    code: "push-declined",
    says: /hook declined|aborted by hook|remote rejected|pre-receive|deny (updating|non-fast)|prohibited by/i,
    hint: "a rule or a hook of the repository that takes the record refuses it; ask who keeps it",
  },
  {
    code: "remote-unauthorized",
    says: /authentication failed|could not read (username|password)|returned error: 40[13]|permission .*denied|access denied|write access/i,
    hint: "this machine's credentials may not do that; in GitHub Actions the job needs `permissions: contents: write`",
  },
  {
    code: "remote-missing",
    says: /repository .*not found|returned error: 404|does not appear to be a git repository|no such remote/i,
    hint: "see what `git remote get-url origin` says, and whether this machine may read it",
  },
  {
    code: "remote-unreachable",
    says: /could not (resolve|connect|read from remote)|couldn't connect|failed to connect|connection (refused|reset|timed out|closed)|unable to access|timed out|returned error: [45]\d\d|RPC failed|hung up|early EOF|no route to host/i,
    hint: "try again when the remote can be reached",
  },
];

/** What a failed conversation was about. */
export function refusalOf({ code, err, timedOut }: GitAnswer, alsoSaid = ""): GitRefusal {
  const said = `${alsoSaid}\n${err}`;
  const kind = timedOut
    ? KINDS.find((each) => each.code === "remote-unreachable")
    : KINDS.find(({ says }) => says.test(said));
  const silence = timedOut ? "the remote did not answer in time" : `git ended with ${code}`;
  return {
    kind: "failed",
    code: kind?.code ?? "git-failed",
    message: gitWords(err) || gitWords(alsoSaid) || silence,
    hint: kind?.hint ?? "see what git says of this repository and its remote",
  };
}
