import { expect } from "vitest";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { APP_FILES, doneByOthers, type FleetSpec, PROBER_FILES } from "./generated-fleet.ts";

/** Each service that is to run was started after the last change of what it reads, or reloaded where that is enough. */
export function expectNoRestartLost(node: MemoryNode, { prober, app }: FleetSpec): void {
  const changes = new Map<string, number>();
  const known = new Map<string, string | null>();
  const told = new Map<string, number>();
  for (const { atMs, effect } of node.journal ?? []) {
    if (effect.do === "reload-unit") told.set(effect.unit.name, atMs);
    if (effect.do !== "write-file" && effect.do !== "remove-file") continue;
    const now = effect.do === "write-file" ? effect.content.sha256 : null;
    if ((known.get(effect.path) ?? null) !== now && !doneByOthers.has(effect)) changes.set(effect.path, atMs);
    known.set(effect.path, now);
  }
  const expectFresh = (unit: string, files: readonly string[], reloads: readonly string[]): void => {
    const since = node.runtime.get(unit)?.sinceMs ?? -1;
    for (const file of files) {
      const changed = changes.get(file) ?? -1;
      const fresh = reloads.includes(file) ? Math.max(since, told.get(unit) ?? -1) : since;
      expect(fresh, `${unit} was last started or reloaded before the last change of ${file}`).toBeGreaterThanOrEqual(
        changed,
      );
    }
  };
  if (prober.state === "started") expectFresh("gyrum-prober.service", PROBER_FILES, []);
  if (app.state === "started")
    expectFresh("app.service", APP_FILES, app.listens === "reload_on" ? ["/etc/app/app.conf"] : []);
  expect([...node.pending]).toEqual([]);
}
