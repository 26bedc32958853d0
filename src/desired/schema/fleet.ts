import { z } from "zod";
import {
  absolutePath,
  account,
  boolean,
  duration,
  moment,
  name,
  port,
  positiveInteger,
  text,
} from "../../model/scalar.ts";
import type { Fleet } from "../desired-state.ts";
import { durationWithin } from "./duration-within.ts";
import { fleetRollout } from "./rollout.ts";

/** A git branch name, as far as `git check-ref-format` can be told from the text. */
const branch = z
  .string()
  .regex(
    /^(?!.*(\.\.|\/\/|@\{|\.lock(\/|$)|\/\.))[^\s~^:?*[\\/.-][^\s~^:?*[\\]*(?<![/.])$/,
    "must be a git branch name",
  );

const fleetKeys = z.strictObject({
  version: z.literal("2", { error: "must be 2" }).meta({ type: "integer", const: 2 }),
  generation: positiveInteger,
  observed_branch: branch.default("observed"),
  signatures: z.enum(["required", "risky", "off"]).default("required"),
  defaults: z
    .strictObject({
      user: account.default("deploy"),
      port: port.default(22),
      become: z.enum(["sudo", "none"]).default("sudo"),
      connect_timeout: durationWithin("1s", "10m").prefault("10s"),
      step_timeout: durationWithin("1s", "24h").prefault("180s"),
    })
    .prefault({}),
  rollout: fleetRollout,
  drift: z
    .strictObject({
      heal: boolean.default(false),
      alert_after: positiveInteger.default(1),
      ignore: z.array(z.strictObject({ host: name, resource: text, reason: text, until: moment })).default([]),
    })
    .prefault({}),
  agents: z
    .strictObject({
      socket: absolutePath.default("/run/rollcall/agents.sock"),
      holder: name.default("rollcall-holder"),
      user: account.default("agents"),
      home: absolutePath.default("/var/lib/rollcall/agents"),
      heartbeat_interval: duration.prefault("60s"),
    })
    .prefault({}),
  github: z.strictObject({ deployments: boolean.default(false), statuses: boolean.default(false) }).prefault({}),
  withdrawn: z.array(z.strictObject({ parcel: text, reason: text, by: text, at: moment })).default([]),
});

/** `roster/fleet.yaml` (DESIGN §3); every key but `version` and `generation` has a default. */
export const fleetSchema = fleetKeys.transform(toFleet);

function toFleet(keys: z.output<typeof fleetKeys>): Fleet {
  return {
    generation: keys.generation,
    observedBranch: keys.observed_branch,
    signatures: keys.signatures,
    defaults: {
      user: keys.defaults.user,
      port: keys.defaults.port,
      become: keys.defaults.become,
      connectTimeoutMs: keys.defaults.connect_timeout,
      stepTimeoutMs: keys.defaults.step_timeout,
    },
    rollout: keys.rollout,
    drift: { heal: keys.drift.heal, alertAfter: keys.drift.alert_after, ignore: keys.drift.ignore },
    agents: {
      socket: keys.agents.socket,
      holder: keys.agents.holder,
      user: keys.agents.user,
      home: keys.agents.home,
      heartbeatIntervalMs: keys.agents.heartbeat_interval,
    },
    github: keys.github,
    withdrawn: keys.withdrawn,
  };
}
