import type { Declared } from "./contract.ts";

/** The path that a resource of any type owns, present or absent; null for one that owns none. */
export function declaredPath({ record }: Declared): string | null {
  return "path" in record && typeof record.path === "string" ? record.path : null;
}

/** False for a resource that is declared absent. */
export function isDeclaredPresent({ record }: Declared): boolean {
  return !("state" in record) || record.state !== "absent";
}
