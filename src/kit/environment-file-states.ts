/** An assignment as it was read: bytes as Latin-1, nothing checked yet. */
export interface RawAssignment {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** Where systemd's reading is hardly what the writer had in mind. Messages never hold a value. */
export interface EnvironmentOddity {
  readonly code: /** systemd leaves the assignment out and starts the unit all the same. */
    | "invalid-name"
    /** A line without `=`, which systemd leaves out. */
    | "no-assignment"
    /** `A="x" # id`: for systemd all of it is the value (cases.md 41); `A=x"y"`: the quotes are. */
    | "text-beside-quote"
    /** The quote reaches to the end of the file. */
    | "unclosed-quote"
    /** A comment ends in a backslash: before systemd 254 the next line is part of the comment. */
    | "comment-continues"
    /** The last one counts, in the place of the first. */
    | "duplicate-name";
  readonly line: number;
  readonly message: string;
}

export interface RawReading {
  readonly assignments: readonly RawAssignment[];
  readonly oddities: readonly EnvironmentOddity[];
}

/**
 * systemd's reading of an environment file (its `parse_env_file`, as of version 254), one state a function. All bytes
 * that mean something to it are ASCII, so the text comes as Latin-1, one character a byte; it holds no NUL.
 */
export function readAssignments(latin1: string): RawReading {
  const scan: Scan = {
    line: 1,
    begun: 1,
    name: "",
    nameEnd: null,
    value: "",
    valueEnd: null,
    quoted: false,
    apart: false,
    assignments: [],
    oddities: [],
  };
  let state: State = "before-name";
  for (const character of latin1) {
    state = STATES[state](scan, character);
    if (character === "\n") scan.line += 1;
  }
  if (state === "name") note(scan, "no-assignment", NO_ASSIGNMENT);
  if (UNCLOSED.has(state)) note(scan, "unclosed-quote", "a quote is not closed, and reaches to the end of the file");
  if (IN_VALUE.has(state)) push(scan, state === "value");
  return { assignments: scan.assignments, oddities: scan.oddities };
}

type State =
  | "before-name"
  | "name"
  | "before-value"
  | "value"
  | "value-escape"
  | "single-quoted"
  | "double-quoted"
  | "double-quoted-escape"
  | "comment"
  | "comment-escape";

interface Scan {
  line: number;
  /** The line on which the assignment or comment in hand began. */
  begun: number;
  name: string;
  /** Where trailing blanks of the name begin; null while there are none. */
  nameEnd: number | null;
  value: string;
  valueEnd: number | null;
  /** A quoted part of the value was closed. */
  quoted: boolean;
  /** A blank stood after it. */
  apart: boolean;
  readonly assignments: RawAssignment[];
  readonly oddities: EnvironmentOddity[];
}

const UNCLOSED: ReadonlySet<State> = new Set<State>(["single-quoted", "double-quoted", "double-quoted-escape"]);
const IN_VALUE: ReadonlySet<State> = new Set<State>(["before-value", "value", "value-escape", ...UNCLOSED]);
const NO_ASSIGNMENT = "a line without = is left out";
const TEXT_BESIDE = "text stands beside a quoted part of the value, and becomes part of it";

const isLineEnd = (character: string): boolean => character === "\n" || character === "\r";
const isBlank = (character: string): boolean => character === " " || character === "\t" || isLineEnd(character);

const STATES: Readonly<Record<State, (scan: Scan, character: string) => State>> = {
  "before-name"(scan, character) {
    if (isBlank(character)) return "before-name";
    scan.begun = scan.line;
    if (character === "#" || character === ";") return "comment";
    scan.name = character;
    scan.nameEnd = null;
    return "name";
  },

  name(scan, character) {
    if (isLineEnd(character)) {
      note(scan, "no-assignment", NO_ASSIGNMENT);
      return "before-name";
    }
    if (character === "=") {
      Object.assign(scan, { value: "", valueEnd: null, quoted: false, apart: false });
      return "before-value";
    }
    if (!isBlank(character)) scan.nameEnd = null;
    else scan.nameEnd ??= scan.name.length;
    scan.name += character;
    return "name";
  },

  "before-value"(scan, character) {
    if (isLineEnd(character)) return push(scan, false);
    if (isBlank(character)) {
      scan.apart = scan.quoted;
      return "before-value";
    }
    const quote = character === "'" ? "single-quoted" : character === '"' ? "double-quoted" : null;
    if (scan.apart || (scan.quoted && quote === null)) note(scan, "text-beside-quote", TEXT_BESIDE);
    scan.apart = false;
    if (quote !== null) return quote;
    if (character === "\\") return "value-escape";
    scan.value += character;
    return "value";
  },

  value(scan, character) {
    if (isLineEnd(character)) return push(scan, true);
    if (character === "\\") {
      scan.valueEnd = null;
      return "value-escape";
    }
    if (!isBlank(character)) scan.valueEnd = null;
    else scan.valueEnd ??= scan.value.length;
    if (character === '"' || character === "'") note(scan, "text-beside-quote", TEXT_BESIDE);
    scan.value += character;
    return "value";
  },

  "value-escape"(scan, character) {
    if (!isLineEnd(character)) scan.value += character;
    return "value";
  },

  "single-quoted"(scan, character) {
    if (character === "'") return closeQuote(scan);
    scan.value += character;
    return "single-quoted";
  },

  "double-quoted"(scan, character) {
    if (character === '"') return closeQuote(scan);
    if (character === "\\") return "double-quoted-escape";
    scan.value += character;
    return "double-quoted";
  },

  "double-quoted-escape"(scan, character) {
    if ('"\\`$'.includes(character)) scan.value += character;
    else if (character !== "\n") scan.value += `\\${character}`;
    return "double-quoted";
  },

  comment(_scan, character) {
    if (character === "\\") return "comment-escape";
    return isLineEnd(character) ? "before-name" : "comment";
  },

  "comment-escape"(scan, character) {
    if (!isLineEnd(character)) return "comment";
    note(
      scan,
      "comment-continues",
      "a comment ends in a backslash: older systemd takes the next line for a comment too",
    );
    return "before-name";
  },
};

function closeQuote(scan: Scan): State {
  scan.quoted = true;
  return "before-value";
}

function push(scan: Scan, trimmed: boolean): State {
  const name = scan.name.slice(0, scan.nameEnd ?? undefined);
  const value = trimmed ? scan.value.slice(0, scan.valueEnd ?? undefined) : scan.value;
  scan.assignments.push({ name, value, line: scan.begun });
  return "before-name";
}

/** At most one note of a kind for each assignment. */
function note(scan: Scan, code: EnvironmentOddity["code"], message: string): void {
  const last = scan.oddities.at(-1);
  if (last?.code !== code || last.line !== scan.begun) scan.oddities.push({ code, line: scan.begun, message });
}
