/** A recorded moment for people, absolute and in UTC (DESIGN §6): `2026-11-29 06:00 UTC`. What is none stays as it is. */
export function shownMoment(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
