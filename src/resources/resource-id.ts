import { z } from "zod";

/**
 * A stable identifier within a role's manifest, one line of text; every type fills in `type:name-or-path` when none is
 * written (DESIGN §3.2).
 */
export const resourceId = z
  .string()
  .max(4200)
  .regex(/^[^\s\p{Cc}]([^\p{Cc}]*[^\s\p{Cc}])?$/u, "must be one line of text")
  .optional()
  .describe(
    "Names the resource within its role; when left out, the type and what it is about, such as `file:/etc/motd`.",
  );

export const presence = z
  .enum(["present", "absent"], { error: "must be present or absent" })
  .default("present")
  .describe("Whether it is there.");
