/** Declared by name, or by number where a number is what is meant. */
export function sameAccount(declared: string, name: string, number: number | undefined): boolean {
  return declared === name || (number !== undefined && declared === String(number));
}
