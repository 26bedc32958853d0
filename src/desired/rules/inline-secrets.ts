import { secretReason } from "../../model/secret.ts";
import { at, type Rule } from "./rule.ts";

/** A secret never stands in the repository, only the reference to it (host-state §2). */
export const inlineSecrets: Rule = ({ nodes }) =>
  nodes.flatMap((entry) =>
    entry.value.agents.flatMap((agent, index) =>
      Object.entries(agent.env).flatMap(([name, value]) => {
        const reason = typeof value === "string" ? secretReason(name, value) : null;
        if (reason === null) return [];
        return at(entry, ["agents", index, "env", name], {
          code: "inline-secret",
          message: `${name} looks like a secret: ${reason}`,
          hint: `Write { secret_ref: "env:${name}" }, and change the secret: it is in the history now.`,
        });
      }),
    ),
  );
