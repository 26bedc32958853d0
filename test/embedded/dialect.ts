/**
 * Lines of rollcall's scripts that just-bash 3.4.2 takes wrongly, and that mean nothing here: a node's shell has no stdin
 * that a child could eat, and no child that could inherit a descriptor.
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

/** A loop over the parameters, which just-bash would split at their spaces. */
const FOR_PARAMETERS = /^for (\w+);? do$/gm;

/** Where the file is empty, just-bash would hand over the function's own stdin instead. */
const FROM_FILE = /\bsha256sum <("\$\w+")/g;

/** The script as just-bash can run it; all other lines are untouched. */
export function adaptScript(script: string): string {
  return MEANINGLESS.reduce((text, line) => text.replace(line, ":"), script)
    .replace(CASE, adaptCase)
    .replace(FOR_PARAMETERS, 'for $1 in "$@"; do')
    .replace(FROM_FILE, "sha256sum -- $1");
}

/** just-bash knows `[^…]` and not `[!…]` there; of sh it is the other way about. */
function adaptCase(line: string): string {
  return line.replaceAll("[!", "[^").replace(LIKE_ASSIGNMENT, "$1'$2'");
}
