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
  let unknown: string | null = null;
  const queue = [...args];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === "--") {
      operands.push(...queue.splice(0));
    } else if (arg.startsWith("--")) {
      const [name = "", ...rest] = arg.slice(2).split("=");
      const takesValue = wanted.long?.includes(`${name}=`) === true;
      if (!takesValue && wanted.long?.includes(name) !== true) unknown ??= arg;
      given.push([name, rest.length > 0 ? rest.join("=") : takesValue ? (queue.shift() ?? "") : ""]);
    } else if (arg.startsWith("-") && arg !== "-") {
      unknown ??= readCluster(arg.slice(1), wanted.short, queue, given);
    } else {
      operands.push(arg);
      if (wanted.short.startsWith("+")) operands.push(...queue.splice(0));
    }
  }
  const valuesOf = (name: string) => given.filter(([known]) => known === name).map(([, value]) => value);
  return {
    operands,
    unknown,
    has: (...names) => given.some(([name]) => names.includes(name)),
    value: (...names) => given.findLast(([name]) => names.includes(name))?.[1],
    all: valuesOf,
  };
}

function readCluster(letters: string, short: string, queue: string[], given: [string, string][]): string | null {
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index] ?? "";
    const place = short.indexOf(letter);
    if (place === -1 || letter === ":") return `-${letter}`;
    if (short[place + 1] === ":") {
      const joined = letters.slice(index + 1);
      given.push([letter, joined === "" ? (queue.shift() ?? "") : joined]);
      return null;
    }
    given.push([letter, ""]);
  }
  return null;
}
