import { Trouble } from "../kit/trouble.ts";
import type { DriftReport } from "../model/drift-report.ts";
import { type NodeOutcome, OUTCOMES } from "../model/node-outcome.ts";
import type { Heartbeat, NodeReport } from "../model/node-record.ts";
import { type AuditFindings, auditFindings } from "../plan/audit-findings.ts";
import { type AuditedSilence, auditSilence } from "../plan/audit-silence.ts";
import { mergedReport } from "../plan/merge-report.ts";
import { nextHeartbeat } from "../plan/next-heartbeat.ts";
import { NO_RECORD, type ObservedRecord } from "../plan/observed-record.ts";
import { readRecord } from "../plan/read-record.ts";
import type { ObservedStore } from "../ports.ts";
import type { AuditScope, Recorded } from "./audit-scope.ts";
import { checkOutcome } from "./check.ts";
import { nodeReport } from "./node-report.ts";
import type { NodeWork } from "./node-work.ts";
import { observeFleet } from "./observe-fleet.ts";
import { driftReport } from "./observe-node.ts";
import { publishAudit } from "./publish-audit.ts";
import { type AuditedVerdict, recheckVerdicts } from "./recheck-verdicts.ts";
import type { RunContext } from "./run-context.ts";

export interface AuditResult extends AuditFindings {
  readonly reports: readonly DriftReport[];
  readonly outcomes: readonly NodeOutcome[];
  readonly silence: readonly AuditedSilence[];
  readonly verdicts: readonly AuditedVerdict[];
  readonly damaged: ObservedRecord["damaged"];
  /** The record was there to be compared with: without one nobody can tell who changed what. */
  readonly hadRecord: boolean;
  readonly recorded: Recorded;
}

/**
 * The loop up to `compare`, over whoever was asked for, and what it means beside the record (DESIGN §5). It changes no node, and
 * of the refs nothing but `observed-live`; it takes no lock.
 */
export async function audit(works: readonly NodeWork[], run: RunContext, scope: AuditScope): Promise<AuditResult> {
  run.progress.event({ kind: "begin", task: "check", nodes: works.map((work) => work.node.name) });
  const { record, trouble } = await recordOf(scope.store);
  const startedAt = run.clock.now().toISOString();
  const observations = await observeFleet(works, run);
  const outcomes: NodeOutcome[] = [];
  const reports: DriftReport[] = [];
  const looks = new Map<string, NodeReport>();
  for (const observation of observations) {
    if (observation.kind === "left") {
      outcomes.push(observation.outcome);
      continue;
    }
    const { observed } = observation;
    const outcome = checkOutcome(observed);
    run.progress.event({ kind: "finished", node: outcome.node, outcome: outcome.outcome });
    outcomes.push(outcome);
    reports.push(driftReport(observed, run.runId, { dryRun: true }));
    const looked = observed.work.only === null ? null : new Set([...observed.work.only].map((name) => `role:${name}`));
    looks.set(outcome.node, mergedReport(record.reports.get(outcome.node), nodeReport(observed, run.secrets), looked));
  }
  const findings = auditFindings(scope.state, record, looks, run.clock.now());
  const verdicts = await recheckVerdicts(works, { record, outcomes, main: scope.main, run });
  const heartbeats = heartbeatsOf(outcomes, { scope, record, findings, verdicts, startedAt, run });
  return {
    ...findings,
    reports,
    outcomes,
    verdicts,
    silence: auditSilence(
      works.map(({ node }) => node),
      heartbeats,
      verdicts,
      run.clock.now(),
      scope.state.fleet.rollout,
    ),
    damaged: record.damaged,
    hadRecord: record.commit !== null,
    recorded: trouble ?? (await publishAudit(scope, heartbeats, looks, run.clock)),
  };
}

/** A record that cannot be reached does not hide what the nodes say; nobody else will learn of it then. */
async function recordOf(
  store: ObservedStore | null,
): Promise<{ record: ObservedRecord; trouble: Extract<Recorded, { ok: false }> | null }> {
  if (store === null) return { record: NO_RECORD, trouble: null };
  try {
    const { observed, live } = await store.read();
    return { record: readRecord(observed, live), trouble: null };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return { record: NO_RECORD, trouble: { ok: false, code: error.code, message: error.message, hint: error.hint } };
  }
}

interface Seen {
  readonly scope: AuditScope;
  readonly record: ObservedRecord;
  readonly findings: AuditFindings;
  readonly verdicts: readonly AuditedVerdict[];
  readonly startedAt: string;
  readonly run: RunContext;
}

/** Of those that were attempted; whom nothing is asked has no sign of life either. */
function heartbeatsOf(
  outcomes: readonly NodeOutcome[],
  { scope, record, findings, verdicts, startedAt, run }: Seen,
): ReadonlyMap<string, Heartbeat> {
  const attempted = outcomes.filter(({ outcome }) => outcome !== "skipped" && outcome !== "unsupported-os");
  const counted = scope.state.fleet.drift.alertAfter > 1;
  return new Map(
    attempted.map((outcome) => {
      const before = record.heartbeats.get(outcome.node);
      const verdict = verdicts.find(({ node }) => node === outcome.node);
      const asked = verdict?.asked ?? null;
      const answered = OUTCOMES[outcome.outcome].observed;
      // A node that was not read says nothing of how long its drift has stood: the count waits.
      const counts = answered ? (findings.seen.get(outcome.node) ?? {}) : (before?.drift_seen ?? null);
      const heartbeat = nextHeartbeat(before, {
        outcome: { ...outcome, message: run.secrets.redact(outcome.message) },
        at: startedAt,
        recheck: verdict === undefined ? null : (asked ?? before?.recheck ?? null),
        driftSeen: counted ? counts : null,
      });
      return [outcome.node, heartbeat] as const;
    }),
  );
}
