/** What was given to a program: options with their values in order, operands, and the first option it does not know. */
export interface GivenOptions {
  readonly operands: readonly string[];
  has(...names: string[]): boolean;
  /** The last value given under one of the names. */
  value(...names: string[]): string | undefined;
  all(name: string): readonly string[];
  readonly unknown: string | null;
}

interface Wanted {
  /** As for getopt(3): `a:b` is -a VALUE and -b. A leading `+` ends options at the first operand. */
  readonly short: string;
  /** Long names, with `=` after those that take a value. */
  readonly long?: readonly string[];
}

/** Reads options as GNU programs do: clustered, values joined or apart, `--` ends them. */
export function readOptions(args: readonly string[], wanted: Wanted): GivenOptions {
  const given: [string, string][] = [];
  const operands: string[] = [];
  const unknown: string[] = [];
  const queue = [...args];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === "--") {
      operands.push(...queue.splice(0));
    } else if (arg.startsWith("--")) {
      unknown.push(...readLong(arg, wanted.long ?? [], queue, given));
    } else if (/^-./.test(arg)) {
      unknown.push(...readCluster(arg.slice(1), wanted.short, queue, given));
    } else {
      operands.push(arg, ...(wanted.short.startsWith("+") ? queue.splice(0) : []));
    }
  }
  return {
    operands,
    unknown: unknown[0] ?? null,
    has: (...names) => given.some(([name]) => names.includes(name)),
    value: (...names) => given.findLast(([name]) => names.includes(name))?.[1],
    all: (name) => given.filter(([known]) => known === name).map(([, value]) => value),
  };
}

/** Returns the option when it is not known. */
function readLong(arg: string, long: readonly string[], queue: string[], given: [string, string][]): string[] {
  const [name = "", ...rest] = arg.slice(2).split("=");
  const takesValue = long.includes(`${name}=`);
  given.push([name, rest.length > 0 ? rest.join("=") : takesValue ? (queue.shift() ?? "") : ""]);
  return takesValue || long.includes(name) ? [] : [arg];
}

function readCluster(letters: string, short: string, queue: string[], given: [string, string][]): string[] {
  for (const [index, letter] of [...letters].entries()) {
    const place = short.indexOf(letter);
    if (place === -1 || letter === ":" || letter === "+") return [`-${letter}`];
    if (short[place + 1] === ":") {
      const joined = letters.slice(index + 1);
      given.push([letter, joined === "" ? (queue.shift() ?? "") : joined]);
      return [];
    }
    given.push([letter, ""]);
  }
  return [];
}
