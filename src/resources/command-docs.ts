import { NOT_OBSERVED } from "./path-docs.ts";
import type { ResourceDocs } from "./resource-docs.ts";

export const COMMAND_DOCS: ResourceDocs = {
  example: `- type: command
  run: openssl dhparam -out /etc/ssl/dhparam.pem 2048
  creates: /etc/ssl/dhparam.pem`,
  verbs: [
    {
      verb: "run",
      does: "runs it with sh as root, stdin closed; where creates is already there it is not run",
      params: { run: "as declared", creates: "as declared" },
    },
    { verb: "noop", does: "is reported only: it has run", params: {} },
  ],
  reasons: [
    { codes: ["has-not-run"], severity: "drift", means: "what it creates is not there" },
    {
      codes: ["not-idempotent"],
      severity: "warn",
      means: "declared idempotent: false, and named in every report; it runs when creates is missing or not declared",
    },
    NOT_OBSERVED,
  ],
};
