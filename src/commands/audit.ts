import { type AuditResult, audit } from "../engine/audit.ts";
import type { AuditScope } from "../engine/audit-scope.ts";
import type { NodeWork } from "../engine/node-work.ts";
import type { RunContext } from "../engine/run-context.ts";
import { OUTCOMES } from "../model/node-outcome.ts";
import type { ObservedStore, Recheck, Repository } from "../ports.ts";
import { renderAudit } from "../render/audit.ts";
import type { Paint } from "../render/paint.ts";
import { objectionTo } from "./apply.ts";
import type { Selection } from "./criteria.ts";
import { type CommandResult, EXIT } from "./result.ts";
import { type OpenRun, runOverNodes } from "./run-over-nodes.ts";

export interface AuditDoors {
  readonly repository: Repository;
  readonly open: OpenRun;
  /** Of the observed branch of that name. Asked for only where there is git history. */
  readonly store: (branch: string) => ObservedStore;
  readonly recheck: Recheck;
}

/**
 * `audit`: the whole fleet, or who was asked for, read and held against the record. 0 no drift · 1 drift that arose on nodes ·
 * 3 found, and could not be recorded · 4 some node was not observed, nobody was, or the record is broken (DESIGN §5).
 */
export async function runAudit(
  doors: AuditDoors,
  selection: Selection,
  told: (audited: Audited) => Promise<CommandResult> = async ({ answer }) => answer,
): Promise<CommandResult> {
  const { repository, open, recheck } = doors;
  return runOverNodes(repository, open, selection, EXIT.notObserved, async ({ works, run, view, state }) => {
    const standing = await repository.standing();
    const objection = objectionTo(standing);
    const store = standing.head === null ? null : doors.store(state.fleet.observedBranch);
    const main: AuditScope["main"] = objection === null ? { is: true, recheck } : { is: false, why: objection.message };
    const result = await audit(works, run, { state, store, main });
    const came = auditStanding(works, result);
    const audited = { ...result, ...came, generation: state.fleet.generation };
    const answer = {
      exitCode: auditExit(came, result),
      document: documentOf(result, view.leftOut),
      text: (paint: Paint) => renderAudit(audited, view, paint),
    };
    return told({ view: audited, answer, run, ofMain: objection === null });
  });
}

/** An audit that is over, for who tells of it. */
export interface Audited {
  readonly view: AuditResult & AuditStanding & { readonly generation: number };
  readonly answer: CommandResult;
  readonly run: RunContext;
  /** What was audited is main's, unchanged. */
  readonly ofMain: boolean;
}

/** What an audit comes to. */
export interface AuditStanding {
  /** Of whom nothing is known as it is now, and no live verdict says why. */
  readonly unread: readonly string[];
  /** Why nothing at all was proved by this audit; null: something was. Never green on zero. */
  readonly nothing: string | null;
}

export function auditStanding(works: readonly NodeWork[], result: AuditResult): AuditStanding {
  const { outcomes, verdicts, compared } = result;
  const down = new Set(verdicts.filter(({ standing }) => standing === "live").map(({ node }) => node));
  const unread = outcomes.filter(
    ({ node, outcome }) => !OUTCOMES[outcome].observed && outcome !== "unsupported-os" && !down.has(node),
  );
  const read = outcomes.filter(({ outcome }) => OUTCOMES[outcome].observed && outcome !== "skipped");
  const names = new Set(read.map(({ node }) => node));
  const enforced = works.some(
    ({ node, roles }) => names.has(node.name) && roles.some(({ mode }) => mode === "enforce"),
  );
  const nothing =
    read.length === 0
      ? "no node was read: nothing is known of this fleet"
      : enforced && compared === 0
        ? "every unit is declined or claimed by every node that was read: nothing was compared"
        : null;
  return { unread: unread.map(({ node }) => node), nothing };
}

export function auditExit({ unread, nothing }: AuditStanding, result: AuditResult): number {
  const { corrective, intentional, hadRecord, recorded, damaged } = result;
  // Without a record nobody can tell whose doing it is.
  const drift = corrective.length > 0 || (!hadRecord && intentional.length > 0);
  if (drift && recorded.ok === false) return EXIT.untold;
  // What is damaged on observed-live was written anew by this audit.
  const broken = damaged.some(({ path }) => !/^(reports\/|heartbeats\.json$)/.test(path));
  if (unread.length > 0 || nothing !== null || broken || recorded.ok === false) return EXIT.notObserved;
  return drift ? EXIT.failed : EXIT.ok;
}

/** The document of DESIGN §5, and what the record adds to it. */
function documentOf(result: AuditResult, leftOut: unknown) {
  const { reports, outcomes, corrective, intentional, aside, silence, damaged, recorded } = result;
  return {
    reports,
    outcomes,
    corrective,
    intentional,
    aside,
    silence,
    rechecks: result.verdicts,
    expired_ignores: result.expiredIgnores,
    damaged,
    recorded,
    left_out: leftOut,
  };
}
