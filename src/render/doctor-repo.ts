import { FINDING_LEVELS, type FindingLevel, type RepoFinding } from "../model/repo-finding.ts";
import type { Paint } from "./paint.ts";
import { visible } from "./visible.ts";

/** What must be changed first; what is fine last, a line each. */
export function renderDoctorRepo(repository: string, findings: readonly RepoFinding[], paint: Paint): string {
  const sorted = FINDING_LEVELS.flatMap((level) => findings.filter((one) => one.level === level));
  const lines = sorted.flatMap(({ level, code, about, found, change }) => [
    `${PAINTED[level](paint)(level.padEnd(7))} ${visible(about)} ${paint.dim(`(${code})`)}`,
    ...(level === "fine" && found === FINE ? [] : [`        ${visible(found)}`]),
    ...(change === "" ? [] : [`        ${paint.dim("→")} ${visible(change)}`]),
  ]);
  const counts = FINDING_LEVELS.map((level) => `${findings.filter((one) => one.level === level).length} ${level}`);
  return [`${paint.bold(visible(repository))}`, ...lines, "", `${counts.join(", ")}${endingOf(findings)}`, ""].join(
    "\n",
  );
}

const FINE = "as it should be";

function endingOf(findings: readonly RepoFinding[]): string {
  if (findings.some(({ level }) => level === "problem")) return ": change what is marked problem";
  if (findings.some(({ level }) => level === "unknown")) return ": ask again with a token that may see the rest";
  return "";
}

const PAINTED: Readonly<Record<FindingLevel, (paint: Paint) => Paint["bold"]>> = {
  problem: ({ red }) => red,
  unknown: ({ yellow }) => yellow,
  advice: ({ cyan }) => cyan,
  fine: ({ green }) => green,
};
