import { z } from "zod";
import { parseDuration } from "../kit/duration.ts";

/**
 * Scalars as they arrive from YAML's failsafe schema: every one a string exactly as written, converted here and nowhere
 * else (DESIGN §3). `meta` says what an editor should accept, since editors read YAML with the core schema.
 */
export const text = z.string().min(1, "must not be empty");

export const boolean = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((word) => word === "true")
  .meta({ type: "boolean", enum: [true, false] });

export const positiveInteger = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, "must be a positive whole number")
  .transform(Number)
  .meta({ type: "integer", minimum: 1, pattern: undefined });

/** 0 to 1. */
export const fraction = z
  .string()
  .regex(/^(0(\.[0-9]+)?|1(\.0+)?)$/, "must be a number from 0 to 1")
  .transform(Number)
  .meta({ type: "number", minimum: 0, maximum: 1, pattern: undefined });

/** Milliseconds. */
export const duration = z
  .string()
  .transform((written, context) => {
    const milliseconds = parseDuration(written);
    if (milliseconds !== undefined) return milliseconds;
    context.addIssue({ code: "custom", message: "must be a duration such as 10s, 5m or 24h" });
    return z.NEVER;
  })
  .meta({ pattern: "^([0-9]+(ms|s|m|h|d))+$" });

/** A name of a node, a role, a class: `[a-z0-9]`, then dots, dashes and underscores, at most 63 characters. */
export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "must start with a lower-case letter or digit and hold only a-z 0-9 . _ -");

/**
 * An absolute path in its plain form: no `.` or `..` parts, no doubled or final slash, no control characters (which no
 * line of a node's answer could carry).
 */
export const absolutePath = z
  .string()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .regex(/^\/[^\u0000-\u001f\u007f]*$/, "must be an absolute path without control characters")
  .refine((path) => path === "/" || !/\/(\.{0,2})(\/|$)/.test(path), "must be plain: no //, /./, /../ or final slash");

/** `0644` → `0644`, `644` → `0644`, `4755` → `4755`. That it was quoted is a rule of `desired`. */
export const mode = z
  .string()
  .regex(/^0?[0-7]{3,4}$/, 'must be a quoted octal mode such as "0644"')
  .transform((digits) => digits.replace(/^0+(?=[0-7]{3})/, "").padStart(4, "0"));

export const account = z.string().regex(/^[A-Za-z_0-9][A-Za-z0-9_.-]{0,31}\$?$/, "must be a user or group name");

/** Lower-case hex SHA-256. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256: 64 lower-case hex digits");

export const port = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/, "must be a port number from 1 to 65535")
  .refine((digits) => Number(digits) <= 65_535, "must be a port number from 1 to 65535")
  .transform(Number)
  .meta({ type: "integer", minimum: 1, maximum: 65_535, pattern: undefined });

/** A host name, an IPv4 or an IPv6 address, without brackets and port. */
export const hostAddress = z
  .string()
  .regex(
    /^(?!-)([A-Za-z0-9]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_-]{1,63})*\.?|(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}(%[A-Za-z0-9._-]+)?)$/,
    "must be a host name or an IP address, without port or user",
  );

/** A moment as RFC 3339 writes it, or a date. Kept as written. */
export const moment = z
  .string()
  .refine(isMoment, "must be a date such as 2026-05-06, or a moment such as 2026-05-06T10:00:00Z")
  .meta({ pattern: "^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2}))?$" });

/** A unit of change: `role:edge`, `parcel:2026-11-timeout-30`, `agent:scribe` (DESIGN §1). */
export const unitId = z
  .string()
  .regex(
    /^(role:[a-z0-9][a-z0-9._-]{0,62}|parcel:[A-Za-z0-9][A-Za-z0-9._-]{1,63}|agent:[A-Za-z0-9_-]+)$/,
    "must be a unit such as role:edge, parcel:2026-11-timeout-30 or agent:scribe",
  );

function isMoment(written: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/.exec(written);
  if (match === null) return false;
  // Date.parse takes 30 February for 2 March, so the day is compared with what it became.
  const day = new Date(`${match[1]}T00:00:00Z`);
  return (
    !Number.isNaN(Date.parse(written)) && !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === match[1]
  );
}
