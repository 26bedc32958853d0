import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";

/** One node, what was done to it before, what is declared for it, and what becomes of it. */
export interface LoopCase {
  readonly name: string;
  /** Runs as root on the node first. */
  readonly given?: string;
  /** Records of one role. */
  readonly resources: readonly Record<string, unknown>[];
  /** Items of the first check, as `brief` writes them. */
  readonly check: readonly string[];
  /** Of the apply; `converged` when not given. */
  readonly outcome?: string;
  /** A word of its message. */
  readonly says?: string;
  /** Items of the last check; none when not given. */
  readonly left?: readonly string[];
  /** Runs as root on the node at the end, and what it prints. */
  readonly then?: string;
  readonly prints?: string;
}

/** All cases of test/embedded/cases, each with the name of its node. */
export function readLoopCases(): (LoopCase & { readonly node: string })[] {
  const folder = new URL("cases/", import.meta.url);
  return readdirSync(folder).flatMap((file) => {
    const cases = parse(readFileSync(new URL(file, folder), "utf8")) as LoopCase[];
    const stem = file.replace(/\.yaml$/, "");
    return cases.map((one, index) => ({ ...one, node: `${stem}-${String(index + 1).padStart(2, "0")}` }));
  });
}

/** A fleet repository with one node and one role a case, both under the node's name. */
export function writeCaseRepository(cases: readonly (LoopCase & { readonly node: string })[]): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-cases-"));
  const put = (file: string, value: unknown) => writeFileSync(join(folder, file), stringify(value, { lineWidth: 0 }));
  for (const name of ["roster/nodes", "host-roles", "parcels"]) mkdirSync(join(folder, name), { recursive: true });
  put("roster/fleet.yaml", { version: 2, generation: 1 });
  put("host-roles/host.yaml", { role: "host", version: 1, description: "Nothing.", resources: [] });
  for (const { node, name, resources } of cases) {
    put(`roster/nodes/${node}.yaml`, { name: node, class: "case", os: "linux", address: "192.0.2.1", roles: [node] });
    put(`host-roles/${node}.yaml`, { role: node, version: 1, description: name, resources });
  }
  return folder;
}
