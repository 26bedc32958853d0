import type { ForgeIssue } from "../../model/forge.ts";
import { AUDIT_MARK } from "../../render/audit-issue.ts";
import { ROLLCALL_LABEL } from "./kept-issues.ts";
import type { Reporter } from "./reporter.ts";

/** The label of its own keeps the search short, however many issues there are. */
const AUDIT_LABEL = { name: "rollcall-audit", color: "d93f0b", description: "What rollcall's audit found" } as const;

export interface AuditNews {
  readonly title: string;
  readonly body: string;
}

/**
 * The one issue of the audit (DESIGN §6): opened, edited, opened again rather than made twice. False: nobody could be told.
 */
export async function tellAudit(reporter: Reporter, news: AuditNews): Promise<boolean> {
  const ours = await auditIssues(reporter);
  if (ours === null) return false;
  const open = ours.filter(({ state }) => state === "open");
  for (const issue of open.length > 0 ? open : ours.slice(-1)) {
    const answer = await changed(reporter, issue, { ...news, state: "open" });
    if (answer !== "not-ours-any-more") return answer === "changed";
  }
  for (const label of [ROLLCALL_LABEL, AUDIT_LABEL])
    await reporter.tell(`the label ${label.name}`, (forge) => forge.ensureLabel(label));
  const labels = [ROLLCALL_LABEL.name, AUDIT_LABEL.name];
  const made = await reporter.tell(WHAT, (forge) => forge.createIssue({ ...news, labels }));
  if (made === null) return false;
  await onlyOne(reporter, made);
  return true;
}

/** It is closed where it is open. */
export async function closeAudit(reporter: Reporter, body: string): Promise<void> {
  for (const issue of (await auditIssues(reporter)) ?? [])
    if (issue.state === "open") await changed(reporter, issue, { body, state: "closed" });
}

const WHAT = "the audit's issue";

async function auditIssues(reporter: Reporter): Promise<readonly ForgeIssue[] | null> {
  const search = { label: AUDIT_LABEL.name, mark: AUDIT_MARK, state: "all" } as const;
  return reporter.tell(WHAT, (forge) => forge.findIssues(search));
}

/** Deleted, or locked: somebody wished to end it, and what is new goes into another one. */
const ENDED = new Set(["gone", "not-found", "forbidden"]);

async function changed(
  reporter: Reporter,
  { number }: ForgeIssue,
  change: Partial<AuditNews> & { readonly state: "open" | "closed" },
): Promise<"changed" | "not-ours-any-more" | "untold"> {
  const answer = await reporter.tell<ForgeIssue | "ended">(WHAT, async (forge) => {
    const said = await forge.updateIssue(number, change);
    return said.kind === "failed" && ENDED.has(said.code) ? { kind: "ok", value: "ended" } : said;
  });
  return answer === null ? "untold" : answer === "ended" ? "not-ours-any-more" : "changed";
}

/** Two audits at one time may both have found none: the older issue stays, and the other says so. */
async function onlyOne(reporter: Reporter, made: ForgeIssue): Promise<void> {
  const others = (await auditIssues(reporter))?.filter(({ state, number }) => state === "open" && number < made.number);
  for (const older of others ?? []) {
    const answer = await changed(reporter, older, { title: made.title, body: made.body, state: "open" });
    if (answer !== "changed") continue;
    await changed(reporter, made, { body: `${AUDIT_MARK}\nThe same as #${older.number}.\n`, state: "closed" });
    return;
  }
}
