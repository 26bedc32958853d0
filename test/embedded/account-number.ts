const FIRST_ID = 999;

/** The number of a user or a group: after the order in which they were made; root has 0. */
export function numberOf(names: Iterable<string>, name: string): number {
  if (/^[0-9]+$/.test(name)) return Number(name);
  const index = [...names].indexOf(name);
  return index <= 0 ? 0 : FIRST_ID + index;
}
