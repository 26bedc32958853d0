/** What a fleet repository writes in place of the controller's own action; whoever copies puts owner and commit in. */
const BY_REFERENCE = "OWNER/rollcall/.github/actions/rollcall@COMMIT";

const CONTROLLER = / {6}- name: Check out the controller, from the default branch\n(?: {8}.*\n)+/;

/** The workflow of a fleet repository, which has the controller by reference, made from the controller's own. */
export function fleetCopy(text: string): string {
  return text
    .replace(CONTROLLER, "")
    .replaceAll(/uses: \.\/(controller\/)?\.github\/actions\/rollcall$/gm, `uses: ${BY_REFERENCE}`)
    .replace(/ {10}directory: fleet\n/, "")
    .replace(/ {10}path: fleet\n/, "");
}
