const BITS: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1 };
const SHIFTS: Readonly<Record<string, number>> = { u: 6, g: 3, o: 0 };

/** `0640`, `u=rw,go=r`, `a+x` applied to a mode; special bits by number only. */
export function applyMode(wanted: string, before: number): number {
  if (/^[0-7]+$/.test(wanted)) return Number.parseInt(wanted, 8);
  return wanted.split(",").reduce(applyClause, before);
}

function applyClause(mode: number, clause: string): number {
  const [, who = "", operator = "", letters = ""] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause) ?? [];
  if (operator === "") throw new Error(`invalid mode: '${clause}'`);
  const bits = [...letters].reduce((sum, letter) => sum | (BITS[letter] ?? 0), 0);
  const classes = who === "" || who.includes("a") ? ["u", "g", "o"] : [...who];
  return classes.reduce((result, name) => {
    const shift = SHIFTS[name] ?? 0;
    if (operator === "+") return result | (bits << shift);
    if (operator === "-") return result & ~(bits << shift);
    return (result & ~(7 << shift)) | (bits << shift);
  }, mode);
}
