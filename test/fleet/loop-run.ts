import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { newRunId, systemClock } from "../../src/adapters/system-clock.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { apply } from "../../src/engine/apply.ts";
import { type CheckResult, check } from "../../src/engine/check.ts";
import { type NodeWork, nodeWork } from "../../src/engine/node-work.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import type { DriftItem } from "../../src/model/drift-item.ts";
import type { Transport } from "../../src/ports.ts";
import type { SecretValues } from "../../src/resources/contract.ts";
import { textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "../engine/given-secrets.ts";
import type { FleetNode } from "./fleet-node.ts";

/** What the test fleet's base role is: small, and of packages that its own repository has. */
export const BASE_ROLE = `role: host
version: 1
description: The base of the test fleet.
resources:
  - { type: package, name: demo-tool, version: "1.10" }
  - { type: file, path: /etc/fleet.conf, content: "base\\n" }
`;

/** The source's worked example (host-state §7), as this repository ships it. */
export const GYRUM_PROBER = readFileSync(new URL("../../host-roles/gyrum-prober.yaml", import.meta.url), "utf8");

/** Real nodes with the roles given by name, or those of them that are `listed`, as the engine takes them; all must be valid. */
export function fleetWorks(
  nodes: readonly FleetNode[],
  roles: Readonly<Record<string, string>>,
  secrets: SecretValues = givenSecrets(),
  listed: readonly string[] = Object.keys(roles).filter((role) => role !== "host"),
): NodeWork[] {
  const files: Record<string, string | Uint8Array> = {
    "roster/fleet.yaml": "version: 2\ngeneration: 1\ndefaults: { user: ops, step_timeout: 60s }\n",
  };
  for (const [role, text] of Object.entries(roles)) files[`host-roles/${role}.yaml`] = text;
  for (const node of nodes) {
    files[`roster/nodes/${node.name}.yaml`] =
      `name: ${node.name}\nclass: test\naddress: ${node.address}\nport: ${node.port}\nroles: [${listed.join(", ")}]\n`;
  }
  const { state, diagnostics } = loadDesired(textFiles(files));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (state === null) throw new Error("no state");
  return state.nodes.map((node) => nodeWork(state, node, null, secrets));
}

function runContext(transport: Transport): RunContext {
  const progress = { event: () => {}, end: () => {} };
  const runId = newRunId(systemClock.now());
  return { runId, transport, secrets: givenSecrets(), clock: systemClock, progress, parallel: 10 };
}

export function checkFleet(works: readonly NodeWork[], transport: Transport): Promise<CheckResult> {
  return check(works, runContext(transport));
}

export function applyFleet(works: readonly NodeWork[], transport: Transport): Promise<CheckResult> {
  return apply(works, runContext(transport), { dryRun: false });
}

/** `host role verb id` of each item, for a reader. */
export function itemLines(items: readonly DriftItem[]): string[] {
  return items.map(({ role, action_to_apply, resource }) => `${role} ${action_to_apply.verb} ${resource.id}`);
}
