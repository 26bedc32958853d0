import { describe, expect, it } from "vitest";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import type { Finding } from "../../src/resources/contract.ts";
import { RESOURCE_CATALOGUE, resourceType } from "../../src/resources/index.ts";
import { bound, caseContext, caseFacts, declare, type ResourceCase, readCases } from "./resource-case.ts";

describe.each(RESOURCE_CATALOGUE.map(({ type }) => type))("%s", (name) => {
  const cases = readCases(name);

  it("has cases, each with a name of its own", () => {
    expect(cases.length).toBeGreaterThan(10);
    expect(new Set(cases.map((one) => one.name)).size).toBe(cases.length);
  });

  it.each(cases.map((one) => [one.name, one] as const))("%s", (_name, one) => check(name, one));
});

function check(name: (typeof RESOURCE_CATALOGUE)[number]["type"], one: ResourceCase): void {
  const type = resourceType(name);
  if (one.invalid !== undefined) {
    const { error } = type.schema.safeParse(one.declared);
    expect(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n")).toContain(one.invalid);
    return;
  }
  const resource = bound(one, declare(one.declared));
  const context = caseContext(one, resource);
  const facts = caseFacts(one.facts);
  expect(type.problems(resource, context.siblings).map(({ code }) => code)).toEqual(one.problems ?? []);
  if (one.record !== undefined) expect(resource.record).toEqual(one.record);
  if (one.observed !== undefined) expect(type.observe(resource, facts)).toEqual(one.observed);
  if (one.problems !== undefined) return;
  const finding = type.compare(resource, facts, context);
  expect(brief(finding)).toEqual(one.finding ?? null);
  // Same answers, same finding: a comparison keeps nothing from one call to the next.
  expect(type.compare(resource, facts, context)).toEqual(finding);
  if (finding === null) return;
  expect(finding.reasons.length).toBeGreaterThan(0);
  if (finding.verb === "noop") expect(finding.severity).not.toBe("drift");
  else
    expect(type.effects(resource, finding, facts).map(line)).toEqual(
      one.effects ?? "the effects of a verb are written in each case",
    );
}

/** `error noop: reasons` or `drift verb: reasons`, then the params that are not empty. */
function brief(finding: Finding | null): unknown {
  if (finding === null) return null;
  const { severity, verb, reasons, params } = finding;
  const head = `${severity === "drift" ? "" : `${severity} `}${verb}: ${reasons.join(" ")}`;
  return Object.keys(params).length === 0 ? head : { [head]: params };
}

/** An effect in one line: `write-file /etc/a 0644 root:root "text"`, `start-unit a.service`. */
function line(effect: NodeEffect): string {
  const { do: kind, ...rest } = effect as NodeEffect & Record<string, unknown>;
  const words = Object.values(rest).map((value) => {
    if (typeof value !== "object" || value === null) return String(value);
    if ("bytes" in value) return JSON.stringify(new TextDecoder().decode((value as { bytes(): Uint8Array }).bytes()));
    const { user, name } = value as { readonly user?: string | null; readonly name?: string };
    if (name !== undefined) return [user, name].filter(Boolean).join("//");
    return JSON.stringify(value);
  });
  return [kind, ...words].join(" ");
}
