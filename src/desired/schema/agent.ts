import { z } from "zod";
import { boolean, name, text } from "../../model/scalar.ts";
import type { Agent } from "../desired-state.ts";

/** `scheme:what`; `env:NAME` names a variable of the runner, further schemes are one file each (DESIGN §5). */
const secretReference = z.strictObject({
  secret_ref: z.string().regex(/^[a-z][a-z0-9+.-]*:\S+$/, "must be a reference such as env:API_TOKEN"),
});

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
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
      z.union([z.string(), secretReference]),
    )
    .default({}),
});

/** One of a node's `agents:` (DESIGN §3.6). */
export const agentSchema = agentKeys.transform(toAgent);

function toAgent({ desired_state, ...keys }: z.output<typeof agentKeys>): Agent {
  return { ...keys, desiredState: desired_state };
}
