/** The three kinds of unit of change (DESIGN §1), in the order in which a run takes them. */
export const UNIT_KINDS = ["role", "parcel", "agent"] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

/** `role:edge` → its parts; undefined when it is no unit id. */
export function parseUnit(unit: string): { readonly kind: UnitKind; readonly name: string } | undefined {
  const [, kind, name] = /^(role|parcel|agent):(.+)$/.exec(unit) ?? [];
  return name === undefined ? undefined : { kind: kind as UnitKind, name };
}

/** The id of a rollout: `<unit>@<first 12 of the digest>` (DESIGN §1). */
export function rolloutId(unit: string, digest: string): string {
  return `${unit}@${digest.slice(0, 12)}`;
}
