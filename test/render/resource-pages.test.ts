import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runDocs } from "../../src/commands/docs.ts";
import { resourceFields } from "../../src/desired/schema/resource-fields.ts";
import { resourcePages } from "../../src/render/resource-pages.ts";
import type { ResourceType } from "../../src/resources/contract.ts";
import { RESOURCE_CATALOGUE, resourceType } from "../../src/resources/index.ts";
import { declare, readCases } from "../resources/resource-case.ts";

const pages = resourcePages();

describe("docs/resources/", () => {
  it.each([...pages])("%s is what the code says; `npm run docs` writes it anew", (file, text) => {
    expect(readFileSync(`docs/${file}`, "utf8")).toBe(text);
  });

  it("has no page of a type that is gone", () => {
    expect(
      readdirSync("docs/resources")
        .map((name) => `resources/${name}`)
        .sort(),
    ).toEqual([...pages.keys()].sort());
  });

  it("is written by the verb, each once", async () => {
    const written = new Map<string, string>();
    const { exitCode } = await runDocs(async (file, text) => void written.set(file, text));
    expect([exitCode, [...written]]).toEqual([0, [...pages]]);
  });

  it("has tables that hold together: as many cells in each row, and no bare <", () => {
    for (const [file, text] of pages) {
      const lines = text.split("\n");
      lines.forEach((line, index) => {
        if (!line.startsWith("|") || !lines[index - 1]?.startsWith("|")) return;
        expect(cells(line), `${file}: ${line}`).toBe(cells(lines[index - 1] ?? ""));
        expect(line.replace(/`[^`]*`/g, "").replaceAll("<br>", ""), file).not.toContain("<");
      });
    }
  });
});

describe.each(RESOURCE_CATALOGUE.map(({ type }) => type))("the page of %s", (name) => {
  const type = resourceType(name);

  it("has an example that the schema takes and that has no problems", () => {
    const [written] = parse(type.docs.example, { schema: "failsafe" });
    const resource = declare(written);
    const owner = declare({ type: "file", id: "file:/etc/caddy/Caddyfile", path: "/etc/caddy/Caddyfile", content: "" });
    expect(type.problems(resource, [owner, resource])).toEqual([]);
  });

  it("says of each field what it means", () => {
    const fields = resourceFields(type);
    expect(fields.length).toBeGreaterThan(3);
    for (const field of fields)
      expect(field, field.key).toMatchObject({ meaning: expect.stringMatching(/^\S.{10,}$/) });
    const [written] = parse(type.docs.example, { schema: "failsafe" });
    const record = declare(written).record as unknown as Record<string, unknown>;
    for (const { key, fallback } of fields) {
      const plain = typeof record[key] === "string" ? record[key] : JSON.stringify(record[key]);
      if (fallback !== null && !(key in written)) expect(plain, key).toBe(fallback);
      if (fallback === null && key !== "id" && !(key in written)) expect(record[key], key).toBeUndefined();
    }
  });

  it("knows every reason, verb and param that a case of the type has", () => {
    for (const { severity, verb, reasons, params } of findingsOf(name)) {
      const row = type.docs.verbs.find((one) => one.verb === verb);
      if (verb !== "noop" || Object.keys(params).length > 0) expect(row, verb).toBeDefined();
      expect(Object.keys(row?.params ?? {})).toEqual(expect.arrayContaining(Object.keys(params)));
      expect(reasonsOf(type, severity), `${severity} ${reasons[0]}`).toContain(reasons[0]);
      expect(reasonsOf(type)).toEqual(expect.arrayContaining([...reasons]));
    }
  });

  it("names no reason that the code does not know", () => {
    const folder = "src/resources";
    const sources = readdirSync(folder).filter((file) => !file.endsWith("-docs.ts"));
    const code = sources.map((file) => readFileSync(`${folder}/${file}`, "utf8")).join("\n");
    const seen = new Set(findingsOf(name).flatMap(({ reasons }) => reasons));
    const known = (reason: string) => code.includes(`"${reason}"`) || seen.has(reason) || WORDS_OF_TOOLS.has(reason);
    expect(reasonsOf(type).filter((reason) => !known(reason))).toEqual([]);
  });
});

it("every reason in the code is on some page", () => {
  const documented = new Set(RESOURCE_CATALOGUE.flatMap((type) => reasonsOf(type as unknown as ResourceType)));
  const sources = readdirSync("src/resources").map((file) => readFileSync(`src/resources/${file}`, "utf8"));
  const written = sources.flatMap((text) => [
    ...[...text.matchAll(/unsatisfiable\(([^)]*)\)/g)].flatMap(([, words = ""]) => literals(words)),
    ...[...text.matchAll(/\breasons: \[([^\]]*)\]/g)].flatMap(([, words = ""]) => literals(words)),
  ]);
  expect(written.length).toBeGreaterThan(20);
  expect(written.filter((code) => !documented.has(code))).toEqual([]);
});

/** What dpkg and systemd say, passed on as it is (dpkg-query(1), systemctl(1), systemd.service(5)). */
const WORDS_OF_TOOLS = new Set(
  `half-installed unpacked half-configured triggers-awaited triggers-pending deactivating maintenance exit-code signal
  core-dump timeout watchdog start-limit-hit oom-kill resources protocol disabled indirect linked linked-runtime
  owner group mode`.split(/\s+/),
);

function reasonsOf(type: ResourceType, severity?: string): readonly string[] {
  return type.docs.reasons
    .filter((row) => severity === undefined || row.severity === severity)
    .flatMap(({ codes }) => codes);
}

interface CaseFinding {
  readonly severity: string;
  readonly verb: string;
  readonly reasons: readonly string[];
  readonly params: Record<string, unknown>;
}

/** `error noop: a b` or `{ "write: a": params }`, as test/resources/cases.test.ts writes them. */
function findingsOf(name: string): readonly CaseFinding[] {
  return readCases(name).flatMap(({ finding }) => {
    if (finding === undefined || finding === null) return [];
    const [head, params] = typeof finding === "string" ? [finding, {}] : (Object.entries(finding)[0] ?? []);
    const [, severity = "drift", verb = "", reasons = ""] = /^(?:(error|warn) )?(\S+): (.*)$/.exec(String(head)) ?? [];
    return { severity, verb, reasons: reasons.split(" "), params: params as Record<string, unknown> };
  });
}

function literals(words: string): readonly string[] {
  return [...words.matchAll(/"([a-z-]+)"/g)].map(([, word = ""]) => word);
}

function cells(line: string): number {
  return line.replaceAll("\\|", "").split("|").length;
}
