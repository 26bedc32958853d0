import { z } from "zod";
import { boolean, duration, fraction, name, positiveInteger } from "../../model/scalar.ts";
import type { Fleet, RoleRollout } from "../desired-state.ts";

type Rollout = Fleet["rollout"];

const onFailure = z.enum(["print", "rollback"]);

/** The fleet's `rollout:`, every key with its default. */
export const fleetRollout = z
  .strictObject({
    parallel: positiveInteger.default(50),
    failure_threshold: fraction.default(0.2),
    health_wait: duration.prefault("60s"),
    heartbeat_stale: duration.prefault("24h"),
    maintenance_max: duration.prefault("30m"),
    on_failure: onFailure.default("print"),
  })
  .transform(
    (keys): Rollout => ({
      parallel: keys.parallel,
      failureThreshold: keys.failure_threshold,
      healthWaitMs: keys.health_wait,
      heartbeatStaleMs: keys.heartbeat_stale,
      maintenanceMaxMs: keys.maintenance_max,
      onFailure: keys.on_failure,
    }),
  )
  .prefault({});

/** A role's `rollout:`: what it wants otherwise than the fleet. */
export const rolloutOverrides = z
  .strictObject({
    parallel: positiveInteger.optional(),
    failure_threshold: fraction.optional(),
    health_wait: duration.optional(),
    on_failure: onFailure.optional(),
    canary: name.optional(),
    concurrent: boolean.optional(),
  })
  .transform(
    (keys): RoleRollout => ({
      ...(keys.parallel !== undefined && { parallel: keys.parallel }),
      ...(keys.failure_threshold !== undefined && { failureThreshold: keys.failure_threshold }),
      ...(keys.health_wait !== undefined && { healthWaitMs: keys.health_wait }),
      ...(keys.on_failure !== undefined && { onFailure: keys.on_failure }),
      ...(keys.canary !== undefined && { canary: keys.canary }),
      ...(keys.concurrent !== undefined && { concurrent: keys.concurrent }),
    }),
  )
  .default({});
