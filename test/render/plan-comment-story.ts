import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { type PlanDoors, planDocumentOf } from "../../src/commands/plan-document-of.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { segmentPath } from "../../src/model/observed-layout.ts";
import type { PlanDocument } from "../../src/model/plan-document.ts";
import type { RolloutEventBody } from "../../src/model/rollout-event.ts";
import type { PlanFrame } from "../../src/render/plan-comment-frame.ts";
import { textFiles } from "../desired/text-files.ts";
import { COMMIT, provedRecord } from "../engine/proved-record.ts";
import { doorsOf, observedFiles, readScenario, type Scenario } from "../plan/plan-scenario.ts";
import { logOf } from "../plan/rollout-log.ts";

export const FRAME: PlanFrame = {
  mark: {
    base: COMMIT,
    head: "e".repeat(40),
    merge: "d".repeat(40),
    observed: COMMIT,
    digest: "0".repeat(64),
  },
  run: "https://github.com/acme/fleet/actions/runs/17",
  files: `https://github.com/acme/fleet/blob/${"e".repeat(40)}`,
  notes: [],
  look: { kind: "first" },
};

/** `ROLLCALL_ACCEPT=1` writes golden files anew; they are read before they are accepted. */
export function expectGolden(name: string, text: string): void {
  const golden = `test/golden/plan-comment/${name}.md`;
  if (process.env.ROLLCALL_ACCEPT === "1") writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, "utf8"));
}

/** A story of test/scenarios, `plan/first-plan`, through everything that makes a plan. */
export function storyOf(name: string): Scenario {
  return readScenario(readFileSync(`test/scenarios/${name}.txt`, "utf8"));
}

export async function documentOf(story: Scenario, events: readonly RolloutEventBody[] = []): Promise<PlanDocument> {
  const base = story.arguments.includes("--base") ? "base" : null;
  const answer = await planDocumentOf(withEvents(doorsOf(story), story, events), { base, scheduleMs: 3_600_000 });
  if ("refusal" in answer) throw new Error(answer.refusal.message);
  return answer.document;
}

/** The log of a rollout of what the head declares, on the record. */
function withEvents(doors: PlanDoors, { head, record }: Scenario, events: readonly RolloutEventBody[]): PlanDoors {
  const created = events.find((event) => event.event === "created");
  if (created === undefined) return doors;
  const digest = loadDesired(head).state?.roles.get(created.unit.slice("role:".length))?.digest ?? "";
  const { observed, live } = observedFiles(record);
  const path = segmentPath(created.unit, digest, "run-1");
  const own = events.map((event) => (event === created ? { ...event, digest } : event));
  const text = logOf(own)
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("");
  const told = {
    ...observed,
    paths: [...observed.paths, path].sort(),
    read: (asked: string) => (asked === path ? text : observed.read(asked)),
  };
  return { ...doors, store: () => ({ read: async () => ({ observed: told, live }) }) };
}

/** So many nodes of three classes; one role changes on all, another on some, a third is taken from a few. */
export function largeStory(count: number): Scenario {
  const files: Record<string, string> = { "roster/fleet.yaml": "version: 2\ngeneration: 41\n" };
  for (let index = 0; index < count; index++) {
    const name = `node-${String(index).padStart(4, "0")}`;
    const type = ["headless-server", "workstation", "kiosk"][index % 3];
    const roles = ["base", ...(index % 4 === 0 ? ["web"] : []), ...(index % 50 === 0 ? ["old"] : [])];
    const own = index % 7 === 0 ? `vars: { site: "site-${index}" }\n` : 'vars: { site: "main" }\n';
    files[`roster/nodes/${name}.yaml`] =
      `name: ${name}\nclass: ${type}\naddress: ${name}.example.org\nroles: [${roles.join(", ")}]\n${own}`;
  }
  const role = (name: string, version: number, word: string, more = "") => `role: ${name}
version: ${version}
description: The role ${name}.
${more}resources:
  - type: file
    path: /etc/${name}.conf
    template: true
    content: |
${Array.from({ length: 60 }, (_, line) => `      line ${line} of {{ node.vars.site }}: ${word}`).join("\n")}
`;
  const base = {
    ...files,
    "host-roles/base.yaml": role("base", 1, "before"),
    "host-roles/web.yaml": role("web", 1, "before"),
    "host-roles/old.yaml": role("old", 1, "before", "on_release: remove\n"),
  };
  const head = {
    ...base,
    "roster/fleet.yaml": "version: 2\ngeneration: 42\n",
    "host-roles/base.yaml": role("base", 2, "after"),
    "host-roles/web.yaml": role("web", 2, "after"),
    "host-roles/old.yaml": `role: old\nversion: 2\ndescription: The role old.\non_release: remove\nresources: []\n`,
  };
  const { state, diagnostics } = loadDesired(textFiles(base));
  if (state === null) throw new Error(JSON.stringify(diagnostics[0]));
  return {
    now: new Date("2026-11-30T10:00:00Z"),
    arguments: ["--base"],
    base: textFiles(base),
    head: textFiles(head),
    record: provedRecord(state),
  };
}
