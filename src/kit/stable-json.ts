/** JSON with sorted keys, so that equal values have equal bytes (digests, golden files, committed reports). */
export function stableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, inner) => (isPlainObject(inner) ? sortKeys(inner) : inner), indent);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries);
}
