/**
 * How a node's answer is told from the noise around it (DESIGN §7). The script prints marks that hold a random boundary
 * of its request, 128 bits as 32 hex digits:
 *
 *     \n<boundary> begin\n
 *     \n<boundary> section NAME\n    then the section's bytes, exactly
 *     \n<boundary> step INDEX\n      progress of a change; opens no section
 *     \n<boundary> end STATUS\n
 *
 * What stands before the begin mark is a login shell talking; in it the greeting tells that it did as it was told. An
 * answer without its end mark is of unknown outcome.
 */
export interface Frame {
  /** The login shell printed {@link GREETING}. */
  readonly greeted: boolean;
  /** The script ran: its begin mark was seen. */
  readonly begun: boolean;
  /** Latin-1, by name; complete only when `status` is not null. */
  readonly sections: ReadonlyMap<string, string>;
  /** The exit status that the end mark carries; null while there is none. */
  readonly status: number | null;
}

export interface FrameReader {
  /** Takes the next piece of the answer, decoded as Latin-1. */
  push(piece: string): void;
  /** The begin mark was read: whatever comes now is the answer, not noise. */
  hasBegun(): boolean;
  /** The end mark was read; nothing more is looked at. */
  isComplete(): boolean;
  frame(): Frame;
}

/** What the login shell is told to print before it gives way to /bin/sh, so that its own failure is told from later ones. */
export const GREETING = "rollcall-login-shell";

/** Functions and variables for `rc_section NAME` and `rc_end STATUS`, and the begin mark itself. */
export function openFrame(boundary: string): string {
  // In two halves: something that only echoes the script, as a login "shell" may, does not produce a mark.
  return `rc_mark=${boundary.slice(0, 16)}''${boundary.slice(16)}
rc_section() { printf '\\n%s section %s\\n' "$rc_mark" "$1"; }
rc_end() { printf '\\n%s end %s\\n' "$rc_mark" "$1"; exit "$1"; }
printf '\\n%s begin\\n' "$rc_mark"`;
}

/** Reads an answer piece by piece, in time and memory linear in it; `onStep` hears of progress marks as they come. */
export function frameReader(boundary: string, onStep: (index: number) => void = () => {}): FrameReader {
  const mark = `\n${boundary} `;
  const sections = new Map<string, string[]>();
  let section: string[] | null = null;
  let greeted = false;
  let begun = false;
  let status: number | null = null;
  /** What may still turn out to be a mark. */
  let rest = "";

  const take = (line: string): void => {
    const [kind, word = ""] = line.split(" ");
    if (kind === "begin") begun = true;
    if (!begun) return;
    if (kind === "step" && /^\d{1,9}$/.test(word)) onStep(Number(word));
    if (kind === "end" && /^\d{1,3}$/.test(word)) status = Number(word);
    if (kind === "section") {
      section = sections.get(word) ?? [];
      sections.set(word, section);
    }
  };

  return {
    push(piece) {
      rest += piece;
      while (status === null) {
        const at = rest.indexOf(mark);
        const end = at === -1 ? -1 : rest.indexOf("\n", at + mark.length);
        const settled = at === -1 ? Math.max(0, rest.length - mark.length + 1) : at;
        if (begun) section?.push(rest.slice(0, settled));
        else greeted ||= (at === -1 ? rest : rest.slice(0, at)).includes(GREETING);
        if (end === -1) {
          rest = rest.slice(settled);
          return;
        }
        take(rest.slice(at + mark.length, end));
        rest = rest.slice(end + 1);
      }
      rest = "";
    },
    hasBegun: () => begun,
    isComplete: () => status !== null,
    frame: () => ({
      greeted,
      begun,
      sections: new Map([...sections].map(([name, pieces]) => [name, pieces.join("")])),
      status,
    }),
  };
}
