/**
 * A pattern of names as people type it: `*` is any run of characters, `?` is one, all else is itself, and the whole name
 * must fit. Names hold only `a-z 0-9 . _ -`, so a path matcher with its braces, slashes and dot files has nothing to add.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const pieces = pattern.replace(/\*+/g, "*").split("*");
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  return (name) => {
    if (last === undefined) return name.length === first.length && fits(name, first, 0);
    if (name.length < first.length + last.length || !fits(name, first, 0)) return false;
    const end = name.length - last.length;
    let at = first.length;
    for (const piece of rest) {
      // The leftmost place leaves the most room for what follows, so nothing is ever tried twice.
      while (at + piece.length <= end && !fits(name, piece, at)) at++;
      if (at + piece.length > end) return false;
      at += piece.length;
    }
    return fits(name, last, end);
  };
}

export function isNamePattern(text: string): boolean {
  return /[*?]/.test(text);
}

function fits(name: string, piece: string, at: number): boolean {
  for (let index = 0; index < piece.length; index++) {
    if (piece[index] !== "?" && piece[index] !== name[at + index]) return false;
  }
  return at + piece.length <= name.length;
}
