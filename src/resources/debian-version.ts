/**
 * The order of Debian versions (deb-version(7)): negative when `a` is older than `b`, zero when dpkg takes them for the
 * same. Epochs win, `~` sorts before the end of a part, numbers compare as numbers.
 */
export function compareDebianVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  return (
    compareRuns(left.epoch, right.epoch) ||
    compareRuns(left.upstream, right.upstream) ||
    compareRuns(left.revision, right.revision)
  );
}

function parts(version: string): { epoch: string; upstream: string; revision: string } {
  const colon = version.indexOf(":");
  const rest = version.slice(colon + 1);
  const dash = rest.lastIndexOf("-");
  return {
    epoch: colon === -1 ? "0" : version.slice(0, colon),
    upstream: dash === -1 ? rest : rest.slice(0, dash),
    revision: dash === -1 ? "0" : rest.slice(dash + 1),
  };
}

/** Runs of non-digits and of digits take turns, the former compared by `weight`, the latter as numbers of any length. */
function compareRuns(a: string, b: string): number {
  let [left, right] = [a, b];
  while (left !== "" || right !== "") {
    const [leftText, rightText] = [takeText(left), takeText(right)];
    for (let at = 0; at < Math.max(leftText.length, rightText.length); at++) {
      const difference = weight(leftText[at]) - weight(rightText[at]);
      if (difference !== 0) return difference;
    }
    [left, right] = [left.slice(leftText.length), right.slice(rightText.length)];
    const [leftDigits, rightDigits] = [takeDigits(left), takeDigits(right)];
    const difference = BigInt(leftDigits || "0") - BigInt(rightDigits || "0");
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    [left, right] = [left.slice(leftDigits.length), right.slice(rightDigits.length)];
  }
  return 0;
}

const takeText = (text: string): string => /^[^0-9]*/.exec(text)?.[0] ?? "";
const takeDigits = (text: string): string => /^[0-9]*/.exec(text)?.[0] ?? "";

/** `~`, then the end, then letters, then everything else. */
function weight(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === "~") return -1;
  const code = character.charCodeAt(0);
  return /[A-Za-z]/.test(character) ? code : code + 256;
}
