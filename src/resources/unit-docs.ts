import { NOT_OBSERVED } from "./path-docs.ts";
import type { ReasonDoc, ResourceDocs } from "./resource-docs.ts";

const DUE = {
  restart: "true: it is restarted, or started where it is down",
  reload: "true: it is reloaded",
  because: "ids of the resources whose change made that due",
  daemon_reload: "true: the manager reads its files again first",
} as const;

const STATE_REASONS: readonly ReasonDoc[] = [
  {
    codes: ["inactive", "failed", "deactivating", "maintenance"],
    severity: "drift",
    means: "to be started, and systemd says this of it; after `failed` its result, such as `exit-code`",
  },
  {
    codes: [
      "exit-code",
      "signal",
      "core-dump",
      "timeout",
      "watchdog",
      "start-limit-hit",
      "oom-kill",
      "resources",
      "protocol",
    ],
    severity: "drift",
    means: "how it failed; beside an error, how it came to that",
  },
  {
    codes: ["condition-not-met"],
    severity: "drift",
    means: "nothing ran when it was last started, since a condition of it did not hold",
  },
  {
    codes: ["active", "activating", "reloading", "refreshing"],
    severity: "drift",
    means: "to be stopped, and systemd says this of it",
  },
  {
    codes: ["not-found"],
    severity: "drift",
    means: "it is not there yet, and something before it in this run may bring it",
  },
];

const ENABLEMENT_REASONS: readonly ReasonDoc[] = [
  {
    codes: ["disabled", "indirect", "linked", "linked-runtime", "enabled-runtime", "static"],
    severity: "drift",
    means: "to be enabled, and systemd says this of it: it would not start at boot",
  },
  { codes: ["enabled"], severity: "drift", means: "to be disabled, and would start at boot" },
];

const DUE_REASONS: readonly ReasonDoc[] = [
  {
    codes: ["restart-due", "reload-due"],
    severity: "drift",
    means: "something it reads changes in this run, or changed in an earlier one that was cut off",
  },
  { codes: ["daemon-reload-needed"], severity: "drift", means: "its files changed and its manager has not read them" },
];

const OBSTACLES: readonly ReasonDoc[] = [
  { codes: ["activating"], severity: "warn", means: "a oneshot that is at work" },
  { codes: ["activating"], severity: "error", means: "it is starting and not up; starting it again does not help" },
  { codes: ["crash-loop"], severity: "error", means: "its manager restarts it again and again; then how it fails" },
  { codes: ["unit-not-found"], severity: "error", means: "there is no such unit, and nothing above could bring it" },
  { codes: ["unit-file-missing"], severity: "error", means: "its unit_file is not there" },
  {
    codes: ["unit-masked"],
    severity: "error",
    means: "it is masked, which is somebody's decision; there is no verb to unmask",
  },
  { codes: ["bad-setting", "error"], severity: "error", means: "systemd refuses what its files say" },
  {
    codes: ["cannot-be-enabled", "generated", "transient", "bad"],
    severity: "error",
    means:
      "enabling it changes nothing, for ever: no [Install] section, or not from a file; then what systemd says of it",
  },
  {
    codes: ["oneshot-leaves-no-trace"],
    severity: "error",
    means: "systemd forgets at once that it ran: give it RemainAfterExit=yes, or enable it",
  },
  { codes: ["manager-unreachable"], severity: "error", means: "its manager does not answer; unknown is not stopped" },
  {
    codes: ["manager-unreachable"],
    severity: "drift",
    means: "the same, and something before it in this run may bring its manager up",
  },
  { codes: ["no-systemd"], severity: "error", means: "the node has no systemd" },
  NOT_OBSERVED,
];

export const UNIT_DOCS: ResourceDocs = {
  example: `- type: systemd_unit
  name: caddy.service
  state: started
  enabled: true
  reload_on: ["file:/etc/caddy/Caddyfile"]`,
  verbs: [
    {
      verb: "start",
      does: "starts, restarts or reloads it, enabled or disabled before that when this differs too",
      params: { ...DUE, enable: "true: it is enabled; false: disabled" },
    },
    {
      verb: "stop",
      does: "stops it, and then enables or disables it when this differs too",
      params: { enable: "true: it is enabled; false: disabled", daemon_reload: DUE.daemon_reload },
    },
    { verb: "enable", does: "enables it, when nothing else differs", params: {} },
    { verb: "disable", does: "disables it, when nothing else differs", params: {} },
    { verb: "noop", does: "is reported only: it is doing what was asked", params: {} },
  ],
  reasons: [...STATE_REASONS, ...ENABLEMENT_REASONS, ...DUE_REASONS, ...OBSTACLES],
};
