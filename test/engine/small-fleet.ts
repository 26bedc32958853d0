import type { DesiredState } from "../../src/desired/desired-state.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET, textFiles } from "../desired/text-files.ts";

export interface RoleText {
  readonly requires?: readonly string[];
  readonly mode?: "enforce" | "observe";
  readonly on_release?: "keep" | "remove";
  readonly resources: readonly object[];
}

export const NODE = "web-01";

/** One node with the roles listed, of a repository that has all of these manifests; what is declared must be valid. */
export function smallFleet(roles: Readonly<Record<string, RoleText>>, listed = Object.keys(roles)): DesiredState {
  const files: Record<string, string> = {
    "roster/fleet.yaml": FLEET,
    [`roster/nodes/${NODE}.yaml`]: JSON.stringify({
      name: NODE,
      class: "server",
      address: "192.0.2.1",
      roles: listed.filter((role) => role !== "host"),
    }),
  };
  for (const [role, text] of Object.entries(roles)) {
    files[`host-roles/${role}.yaml`] = JSON.stringify({ role, version: "1", description: "Test.", ...text });
  }
  const { state, diagnostics } = loadDesired(textFiles(files));
  if (state === null) throw new Error(`not valid: ${JSON.stringify(diagnostics, null, 1)}`);
  return state;
}

export const UNIT_FILE = "/etc/systemd/system/app.service";

/** A service of ours with its folder, one resource of every type that can be taken away, in apply order. */
export const APP: readonly Readonly<Record<string, unknown>>[] = [
  { type: "package", name: "tool" },
  { type: "directory", path: "/etc/app" },
  { type: "directory", path: "/etc/app/conf.d" },
  { type: "file", path: "/etc/app/conf.d/a.conf", content: "a\n" },
  { type: "env", path: "/etc/app/env", vars: { LOG: "info" } },
  { type: "file", path: UNIT_FILE, content: "[Service]\nExecStart=/bin/app\n[Install]\nWantedBy=multi-user.target\n" },
  { type: "command", run: "build the index", creates: "/var/lib/app-index" },
  { type: "systemd_unit", name: "app.service", state: "started", enabled: "true", unit_file: UNIT_FILE },
];
