import { openFrame } from "./framing.ts";
import { STATE_FOLDER } from "./state-folder.ts";

/** What every script needs to know beside what it asks or does. */
export interface ScriptSetting {
  /** 32 hex digits from a secure source, fresh for each request. */
  readonly boundary: string;
  /** Where the node keeps rollcall's state; another folder in tests. */
  readonly stateFolder?: string;
}

/** Bytes from which on it pays to hand bash the script in one piece. */
const BASH_SLOW = 65_536;

/**
 * bash reads a script on stdin byte by byte, seconds for a file of 5 MB; this line lets it read the rest at once. Other
 * shells read ahead and must not do this.
 */
const BASH_READS_AT_ONCE = `{ [ -z "\${BASH_VERSION-}" ] || eval "$(cat)"; }\n`;

/**
 * A whole script for `/bin/sh -s` (DESIGN §7). It is one command, in braces: no shell runs any of it before it has read
 * the last byte, so that of a stream that was cut anywhere nothing runs. Its first deed is to close stdin, for itself and
 * so for every child; without that a child that reads stdin would eat what is left of the script.
 */
export function wholeScript(body: string, setting: ScriptSetting): string {
  const script = `{ main() {
exec </dev/null
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
unset ENV BASH_ENV CDPATH GLOBIGNORE IFS LANGUAGE TMPDIR
umask 022
cd /
rc_state=${setting.stateFolder ?? STATE_FOLDER}
${openFrame(setting.boundary)}
${body}
rc_end 0
}
main; }
`;
  return script.length < BASH_SLOW ? script : BASH_READS_AT_ONCE + script;
}
