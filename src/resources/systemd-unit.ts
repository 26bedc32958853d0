import { z } from "zod";
import type { NodeEffect } from "../model/node-effect.ts";
import type { NodeFacts, UnitFact } from "../model/node-facts.ts";
import { NO_QUESTIONS, type UnitName, unitKey } from "../model/node-question.ts";
import { absolutePath, account, boolean, text } from "../model/scalar.ts";
import type { Declared, Finding, Observed, ResourceType } from "./contract.ts";
import { resourceId } from "./resource-id.ts";
import { compareUnit } from "./unit-comparison.ts";
import { UNIT_DOCS } from "./unit-docs.ts";
import { unitProblems } from "./unit-problems.ts";
import { exists, isCrashLooping, isUp } from "./unit-state.ts";
import { triggerOf } from "./unit-triggers.ts";

export interface UnitRecord {
  readonly type: "systemd_unit";
  readonly id: string;
  /** With its suffix: `caddy.service`, `backup@home.timer`. */
  readonly name: string;
  /** Left out: not ours to say. */
  readonly state?: "started" | "stopped" | undefined;
  readonly enabled?: boolean | undefined;
  /** The unit's file, asserted to be there before the unit is started or enabled. */
  readonly unit_file?: string | undefined;
  readonly restart_on: readonly string[];
  readonly reload_on: readonly string[];
  /** Login whose user manager owns the unit; left out for the system's. */
  readonly user?: string | undefined;
}

const schema = z
  .strictObject({
    type: z.literal("systemd_unit"),
    id: resourceId,
    name: z
      .string()
      .max(255)
      .regex(
        /^[A-Za-z0-9:_.\\-][A-Za-z0-9:_.\\@-]*\.(service|socket|timer|path|target|mount|automount|swap|slice)$/,
        "must be a full unit name such as caddy.service, backup.timer or srv-data.mount",
      )
      .describe("With its suffix: `caddy.service`, `backup@home.timer`."),
    state: z
      .enum(["started", "stopped"], { error: "must be started or stopped" })
      .optional()
      .describe("Whether it runs. Left out: not ours to say."),
    enabled: boolean.optional().describe("Whether it starts at boot. Left out: not ours to say."),
    unit_file: absolutePath
      .optional()
      .describe("Its unit file: one of this role, or of a package above; asserted before it is started or enabled."),
    restart_on: z
      .array(text)
      .default([])
      .describe("Ids of resources above whose change restarts it; its own unit file and EnvironmentFile= are implied."),
    reload_on: z.array(text).default([]).describe("Ids of resources above whose change reloads it."),
    user: account.optional().describe("The login whose user manager has the unit; left out for the system's."),
  })
  .transform((written): UnitRecord => ({ ...written, id: written.id ?? `systemd_unit:${written.name}` }));

/** A unit of systemd, of the system or of a user (host-state §2, §3; DESIGN §3.2). */
export const systemdUnit: ResourceType<UnitRecord> = {
  type: "systemd_unit",
  summary: "A systemd unit: running or not, enabled at boot or not, restarted when what it reads changes.",
  query: "systemctl show and is-enabled of all units of a manager; lstat of unit_file",
  docs: UNIT_DOCS,
  schema,
  problems: (resource, siblings) => unitProblems(resource, siblings),
  claims: (record) => [`unit:${unitKey(unitName(record))}`],
  removal,
  questions: (record) => ({
    ...NO_QUESTIONS,
    units: [unitName(record)],
    paths: record.unit_file === undefined ? [] : [{ path: record.unit_file, hash: false, entries: false }],
  }),
  observe: ({ record }, facts) => observe(record, facts),
  compare: (resource, facts, context) => compareUnit(resource, unitKey(unitName(resource.record)), facts, context),
  effects,
  trigger: (resource, other, facts, siblings) =>
    triggerOf(resource.record, resource.role, other, unitFact(resource.record, facts), siblings),
};

/** Only what was declared is taken back: a unit that was never said to run at boot is not disabled. */
function removal({ name, user, state, enabled }: UnitRecord): Readonly<Record<string, string>> | null {
  if (state !== "started" && enabled !== true) return null;
  return {
    name,
    ...(user === undefined ? {} : { user }),
    ...(state === "started" ? { state: "stopped" } : {}),
    ...(enabled === true ? { enabled: "false" } : {}),
  };
}

function observe(record: UnitRecord, facts: NodeFacts): Observed | null {
  const fact = unitFact(record, facts);
  // Not known is not stopped: a second agent would be started (cases.md 16).
  if (fact === undefined || !fact.reachable)
    return { active: null, enabled: null, unit_file_present: null, active_state: "unknown" };
  const pending = facts.pending.get(unitKey(unitName(record)));
  if (!exists(fact) && !isUp(fact) && pending === undefined) return null;
  return {
    active: isUp(fact),
    enabled: fact.unitFileState === "enabled",
    unit_file_present: isUnitFilePresent(record, fact, facts),
    active_state: fact.activeState,
    sub_state: fact.subState,
    unit_file_state: fact.unitFileState,
    ...(fact.loadState === "loaded" ? {} : { load_state: fact.loadState }),
    ...(fact.result === "success" || fact.result === "" ? {} : { result: fact.result }),
    ...(fact.id === record.name || fact.id === "" ? {} : { alias_of: fact.id }),
    ...(isCrashLooping(fact) ? { restarts: fact.restarts } : {}),
    ...(fact.needDaemonReload ? { needs_daemon_reload: true } : {}),
    ...(pending === undefined ? {} : { pending: { how: pending.how, because: pending.because } }),
  };
}

function isUnitFilePresent(record: UnitRecord, fact: UnitFact, facts: NodeFacts): boolean {
  if (record.unit_file === undefined) return fact.fragmentPath !== "";
  const path = facts.paths.get(record.unit_file);
  return path !== undefined && path.found !== null;
}

/**
 * Enabled before it is started, since a oneshot that nothing refers to yet is forgotten when it ends; stopped before it is
 * disabled, since that may take away the alias by which it is named. Daemon-reloads are placed by the plan, once a run.
 */
function effects({ record }: Declared<UnitRecord>, finding: Finding, facts: NodeFacts): readonly NodeEffect[] {
  const unit = unitName(record);
  const { verb, params } = finding;
  if (verb === "enable" || verb === "disable") return [{ do: `${verb}-unit`, unit }];
  const { restart, reload, enable } = params;
  const due = restart === true || reload === true || facts.pending.has(unitKey(unit));
  const enablement: NodeEffect[] =
    typeof enable === "boolean" ? [{ do: enable ? "enable-unit" : "disable-unit", unit }] : [];
  const state: NodeEffect[] = [stateEffect(finding, unit), ...(due ? [{ do: "clear-pending", unit } as const] : [])];
  return verb === "start" ? [...enablement, ...state] : [...state, ...enablement];
}

/** A restart also where the unit is down: something earlier in this run may have started it with what it read before. */
function stateEffect({ verb, params }: Finding, unit: UnitName): NodeEffect {
  if (verb === "stop") return { do: "stop-unit", unit };
  if (params.restart === true) return { do: "restart-unit", unit };
  return { do: params.reload === true ? "reload-unit" : "start-unit", unit };
}

function unitName(record: UnitRecord): UnitName {
  return { name: record.name, user: record.user ?? null };
}

function unitFact(record: UnitRecord, facts: NodeFacts): UnitFact | undefined {
  return facts.units.get(unitKey(unitName(record)));
}
