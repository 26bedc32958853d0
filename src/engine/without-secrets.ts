import type { Secrets } from "../ports.ts";

/** A value in which every secret of the run is masked, string by string, so that what comes out has the same shape. */
export function withoutSecrets<Value>(value: Value, secrets: Pick<Secrets, "redact">): Value {
  return redacted(value, secrets) as Value;
}

function redacted(value: unknown, secrets: Pick<Secrets, "redact">): unknown {
  if (typeof value === "string") return secrets.redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redacted(inner, secrets)]));
}
