import { z } from "zod";
import { ENVIRONMENT_NAME } from "../../kit/environment-name.ts";
import { boolean, name, text } from "../../model/scalar.ts";
import { secretRef } from "../../model/secret-ref.ts";
import type { Agent } from "../desired-state.ts";

const agentKeys = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,63}$/, "must hold only letters, digits, _ and -"),
  class: name,
  runtime: text,
  provider: text,
  model: text,
  enabled: boolean.default(true),
  desired_state: z.enum(["running", "stopped"]).default("running"),
  launch: z.strictObject({ command: text, restart: z.enum(["no", "on-failure", "always"]).default("on-failure") }),
  env: z
    .record(
      z.string().regex(ENVIRONMENT_NAME, "must be the name of an environment variable"),
      z.union([z.string(), z.strictObject({ secret_ref: secretRef })]),
    )
    .default({}),
});

/** One of a node's `agents:` (DESIGN §3.6). */
export const agentSchema = agentKeys.transform(toAgent);

function toAgent({ desired_state, ...keys }: z.output<typeof agentKeys>): Agent {
  return { ...keys, desiredState: desired_state };
}
