/**
 * Lines of rollcall's scripts that just-bash takes wrongly, and that mean nothing here: a node's shell has no stdin that a
 * child could eat, and no child that could inherit a descriptor.
 */
const MEANINGLESS: readonly RegExp[] = [
  // From then on `read` in a loop would read the first line of its file for ever.
  /^exec <\/dev\/null$/gm,
  // In a command substitution it would close the descriptors of the whole script.
  /^exec 3>&- 9>&-$/gm,
];

/** Lines with patterns of `case`. */
const CASE = /^.*(?:\bcase |;;).*$/gm;
/** A pattern such as `Id=*`, which just-bash takes for an assignment. */
const LIKE_ASSIGNMENT = /(^|\bin |\| |;; )([A-Za-z_]\w*=[\w-]*)(?=\*?(?: \||\)))/g;

/** The script as just-bash can run it; all other lines are untouched. */
export function adaptScript(script: string): string {
  return MEANINGLESS.reduce((text, line) => text.replace(line, ":"), script).replace(CASE, adaptCase);
}

/** just-bash knows `[^…]` and not `[!…]` there; of sh it is the other way about. */
function adaptCase(line: string): string {
  return line.replaceAll("[!", "[^").replace(LIKE_ASSIGNMENT, "$1'$2'");
}
