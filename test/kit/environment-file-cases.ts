/** What stands in a file, and what systemd makes of it; the fleet tests ask a real one (test/fleet/environment-file.test.ts). */
export interface EnvironmentCase {
  readonly what: string;
  readonly file: Uint8Array;
  /** null: the unit does not start. */
  readonly entries: Readonly<Record<string, string>> | null;
  readonly oddities?: readonly string[];
  /** What systemd before 254 makes of it, where that differs. */
  readonly before254?: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();

/** A text, or texts and bytes one after the other. */
function file(...parts: readonly (string | number)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...encoder.encode(part)] : [part])));
}

export const ENVIRONMENT_CASES: readonly EnvironmentCase[] = [
  { what: "an empty file", file: file(), entries: {} },
  { what: "plain values", file: file("A=1\nB=two words\n"), entries: { A: "1", B: "two words" } },
  { what: "no last newline", file: file("A=1\nB=2"), entries: { A: "1", B: "2" } },
  { what: "CRLF", file: file('A=1\r\nB="2"\r\n'), entries: { A: "1", B: "2" } },
  { what: "an empty value, three ways", file: file("A=\nB=''\nC=\"\"\n"), entries: { A: "", B: "", C: "" } },
  { what: "an empty value at the end", file: file("A="), entries: { A: "" } },
  { what: "comments and blank lines", file: file("# x\n; A=0\n\n \t\n  # B=0\nA=1\n"), entries: { A: "1" } },
  { what: "# and ; inside a value", file: file("A=x # y\nB=x;y\nC=#\n"), entries: { A: "x # y", B: "x;y", C: "#" } },
  {
    what: "a comment after a quoted value (41)",
    file: file('A="x" # id\n'),
    entries: { A: "x# id" },
    oddities: ["text-beside-quote"],
  },
  { what: "no expansion (42)", file: file('A=x\nB=$A $\nC="$A `id`"\n'), entries: { A: "x", B: "$A $", C: "$A `id`" } },
  { what: "blanks around", file: file("  A  =  x y \t\n"), entries: { A: "x y" } },
  { what: "blanks kept in quotes", file: file("A=' x '\nB=\" y \"  \n"), entries: { A: " x ", B: " y " } },
  { what: "equal signs in a value", file: file("A==x=y\n"), entries: { A: "=x=y" } },
  { what: "single quotes hold all but their like", file: file(`A='$x \\n "\\'\n`), entries: { A: '$x \\n "\\' } },
  {
    what: "backslashes in double quotes",
    file: file('A="\\" \\\\ \\$ \\` \\n \\\' \\t"\n'),
    entries: { A: `" \\ $ \` \\n \\' \\t` },
  },
  { what: "backslashes outside quotes", file: file('A=\\x\\ \\\\y\\"\n'), entries: { A: 'x \\y"' } },
  { what: "an escaped blank at the end stays", file: file("A=x\\  \nB=y\\ \n"), entries: { A: "x ", B: "y " } },
  { what: "a backslash joins lines (44)", file: file("A=x \\\n  y\nB=2\n"), entries: { A: "x   y", B: "2" } },
  { what: "it joins lines in double quotes", file: file('A="x\\\ny"\n'), entries: { A: "xy" } },
  { what: "it does not in single ones", file: file("A='x\\\ny'\n"), entries: { A: "x\\\ny" } },
  { what: "newlines in quotes (44)", file: file("A=\"x\ny\"\nB='\n\n'\n"), entries: { A: "x\ny", B: "\n\n" } },
  { what: "a carriage return in quotes", file: file('A="x\r\ny"\n'), entries: { A: "x\r\ny" } },
  { what: "a backslash before CRLF joins with nothing", file: file("A=x\\\r\nB=2\n"), entries: { A: "x", B: "2" } },
  { what: "a backslash before CRLF in double quotes", file: file('A="x\\\r\ny"\n'), entries: { A: "x\\\r\ny" } },
  { what: "a backslash at the end of the file", file: file("A=x \\"), entries: { A: "x " } },
  { what: "quoted parts side by side", file: file("A='x'\"y\"''\n"), entries: { A: "xy" } },
  {
    what: "quoted parts apart",
    file: file("A='x' \"y\"\n"),
    entries: { A: "xy" },
    oddities: ["text-beside-quote"],
  },
  {
    what: "quotes after text are text",
    file: file("A=x'y'\nB=\"x\"y'z'\n"),
    entries: { A: "x'y'", B: "xy'z'" },
    oddities: ["text-beside-quote", "text-beside-quote"],
  },
  {
    what: "an escape after a quoted part",
    file: file('A="x"\\ y\n'),
    entries: { A: "x y" },
    oddities: ["text-beside-quote"],
  },
  {
    what: "an unclosed double quote",
    file: file('A="x\nB=2\n'),
    entries: { A: "x\nB=2\n" },
    oddities: ["unclosed-quote"],
  },
  { what: "an unclosed single quote", file: file("A='x"), entries: { A: "x" }, oddities: ["unclosed-quote"] },
  {
    what: "an unclosed escape in quotes",
    file: file('B=1\nA="x\\'),
    entries: { B: "1", A: "x" },
    oddities: ["unclosed-quote"],
  },
  {
    what: "the last of a name, in the first one's place",
    file: file("A=1\nB=2\nA=3\n"),
    entries: { A: "3", B: "2" },
    oddities: ["duplicate-name"],
  },
  {
    what: "names that are none",
    file: file("1A=x\nA-B=x\nexport C=x\né=x\n=x\n=x=y\nOK=1\nA B=1\n"),
    entries: { OK: "1" },
    oddities: [
      "invalid-name",
      "invalid-name",
      "invalid-name",
      "invalid-name",
      "no-assignment",
      "invalid-name",
      "invalid-name",
    ],
  },
  {
    what: "lines without =",
    file: file("A=1\nfoo\nB=2\nbar"),
    entries: { A: "1", B: "2" },
    oddities: ["no-assignment", "no-assignment"],
  },
  {
    what: "a byte-order mark",
    file: file(0xef, 0xbb, 0xbf, "A=1\nB=2\n"),
    entries: { B: "2" },
    oddities: ["invalid-name"],
  },
  {
    what: "a comment that ends in a backslash",
    file: file("# x \\\nA=1\nB=2\n"),
    entries: { A: "1", B: "2" },
    oddities: ["comment-continues"],
    before254: { B: "2" },
  },
  { what: "a backslash inside a comment", file: file("# \\x\nA=1\n"), entries: { A: "1" } },
  {
    what: "control characters",
    file: file('A="\x01\x1b\x7f\t\b"\nB=\x01x\x1f\n'),
    entries: { A: "\x01\x1b\x7f\t\b", B: "\x01x\x1f" },
  },
  {
    what: "any script",
    file: file("A=é\u{1f600}\u00a0\u2028\ufeff\n"),
    entries: { A: "é\u{1f600}\u00a0\u2028\ufeff" },
  },
  { what: "Latin-1", file: file("B=1\nA=caf", 0xe9, "\n"), entries: null },
  { what: "Latin-1 in a comment", file: file("# caf", 0xe9, "\nA=1\n"), entries: { A: "1" } },
  { what: "Latin-1 in a name", file: file("caf", 0xe9, "=1\n"), entries: null },
  { what: "a surrogate", file: file("A=", 0xed, 0xa0, 0x80, "\n"), entries: null },
  { what: "an overlong form", file: file("A=", 0xc0, 0x80, "\n"), entries: null },
  { what: "a noncharacter", file: file("A=\ufdd0\n"), entries: null },
  { what: "another noncharacter", file: file("A=\u{1fffe}\n"), entries: null },
  { what: "the last code point", file: file("A=\u{10ffff}\n"), entries: null },
  { what: "a NUL", file: file("A=1\nB=x\0y\n"), entries: null },
];
