import { runGit } from "../git-process.ts";
import { converse, fetchRefs, fetchTip, type GitRefusal, REMOTE, refusalOf } from "../git-remote.ts";
import { tipsOf } from "./local-refs.ts";
import { untilWon } from "./races.ts";
import {
  type FetchAnswer,
  isCollision,
  meaningOf,
  NO_TIPS,
  RECORD_REFS,
  type RecordRefs,
  type RefChange,
  type RefNames,
  type SwapAnswer,
  type Tips,
} from "./record-refs.ts";

/** The refs on the remote. What is known of them here stands in remote-tracking refs, which `git log` can show too. */
export function remoteRefs(folder: string, names: RefNames): RecordRefs {
  const known = trackingNames(names);
  return {
    fetch: () => fetchTips(folder, names, known),
    swap: (changes) => push(folder, names, known, changes),
  };
}

function trackingNames(names: RefNames): RefNames {
  const branch = (ref: string) => ref.replace(/^refs\/heads\//, `refs/remotes/${REMOTE}/`);
  return { observed: branch(names.observed), live: branch(names.live), lock: `refs/rollcall/${REMOTE}/lock` };
}

/** One conversation when nothing is new, two otherwise. */
async function fetchTips(folder: string, names: RefNames, known: RefNames): Promise<FetchAnswer> {
  return untilWon<FetchAnswer>(async () => {
    const asked = await askTips(folder, names);
    if (asked.kind !== "fetched") return asked;
    const here = await tipsOf(folder, known);
    const news = RECORD_REFS.filter((ref) => asked.tips[ref] !== null && asked.tips[ref] !== here[ref]);
    if (news.length === 0) return asked;
    const refspecs = news.map((ref) => `+${names[ref]}:${known[ref]}`);
    const first = here.observed === null ? asked.tips.observed : null;
    const answer = first === null ? await fetchRefs(folder, refspecs) : await fetchTip(folder, refspecs, first);
    if (answer.code === 0) return { kind: "fetched", tips: await after(folder, known, asked.tips) };
    // Another process of this machine fetches into the same repository, or a ref went away since it was listed.
    const again = isCollision(answer) || /couldn't find remote ref|shallow file has changed/i.test(answer.err);
    const refusal = refusalOf(answer);
    return again ? { kind: "raced", words: refusal.message } : refusal;
  });
}

/** The fetch may have brought newer tips than were listed before it. */
async function after(folder: string, known: RefNames, listed: Tips): Promise<Tips> {
  const here = await tipsOf(folder, known);
  const tip = (ref: (typeof RECORD_REFS)[number]) => (listed[ref] === null ? null : here[ref]);
  return { observed: tip("observed"), live: tip("live"), lock: tip("lock") };
}

async function askTips(folder: string, names: RefNames): Promise<FetchAnswer> {
  const answer = await converse(folder, ["ls-remote", "--quiet", REMOTE, ...Object.values(names)]);
  if (answer.code !== 0) return refusalOf(answer);
  const lines = answer.out.toString("utf8").split("\n");
  const ids = new Map(lines.map((line) => line.split("\t", 2).reverse() as [string, string]));
  const refs = Object.entries(names).map(([ref, name]) => [ref, ids.get(name) ?? null]);
  return { kind: "fetched", tips: { ...NO_TIPS, ...Object.fromEntries(refs) } };
}

/**
 * Each ref moves only from where it was last seen, all in one transaction of the remote. The checkout's own hooks are not
 * asked: they are for what people push.
 */
async function push(
  folder: string,
  names: RefNames,
  known: RefNames,
  changes: readonly RefChange[],
): Promise<SwapAnswer> {
  const quiet = [
    "--porcelain",
    "--atomic",
    "--no-verify",
    "--no-follow-tags",
    "--no-signed",
    "--recurse-submodules=no",
  ];
  const leases = changes.map(({ ref, from }) => `--force-with-lease=${names[ref]}:${from ?? ""}`);
  const refspecs = changes.map(({ ref, to }) => `${to}:${names[ref]}`);
  const answer = await converse(folder, ["push", ...quiet, ...leases, REMOTE, ...refspecs]);
  if (answer.code === 0) {
    await remember(folder, known, changes);
    return { kind: "swapped" };
  }
  const now = await askTips(folder, names);
  const rejected = rejections(answer.out);
  const meaning = meaningOf(changes, answer, now.kind === "fetched" ? now.tips : null, rejected);
  if (meaning.kind === "swapped") await remember(folder, known, changes);
  return meaning.kind === "failed" && rejected === "" ? perhapsTaken(meaning) : meaning;
}

/** Where the link broke, the remote may be at work still, and take what it had been given after all. */
function perhapsTaken(refusal: GitRefusal): GitRefusal {
  if (!["remote-unreachable", "git-failed"].includes(refusal.code)) return refusal;
  const hint = "it is not certain that the remote did not take it; run again, which goes on from what is there";
  return { ...refusal, hint };
}

/** `!\t<from>:<to>\t[remote rejected] (hook declined)`: what became of single refs, in the machine's form. */
function rejections(output: Buffer): string {
  const lines = output.toString("utf8").split("\n");
  const reasons = lines.flatMap((line) => /^!\t[^\t]*:([^\t]*)\t(.*)$/.exec(line)?.slice(1, 3).join(" ") ?? []);
  // Those that only went down with another one say nothing.
  const telling = reasons.filter((reason) => !/atomic (push|transaction) failed/.test(reason));
  return (telling.length > 0 ? telling : reasons).join("\n");
}

/** Keeps what was pushed from being swept away here, and the next fetch short. Nothing depends on it. */
async function remember(folder: string, known: RefNames, changes: readonly RefChange[]): Promise<void> {
  const lines = changes.map(({ ref, to }) => `update ${known[ref]} ${to}\n`).join("");
  await runGit(folder, ["-c", "core.logAllRefUpdates=false", "update-ref", "--stdin"], { input: lines });
}
