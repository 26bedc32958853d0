import { visible } from "./visible.ts";

/**
 * Text that somebody else wrote, as plain words of a Markdown page on GitHub: it makes no link, image, table cell, HTML,
 * mention or reference, and stays one line (DESIGN §8). Not for the beginning of a line.
 */
export function markdownText(text: string): string {
  // What GitHub looks for in the page that is made already, an escape does not stop: there a character without width does.
  return visible(text)
    .replace(/[\\`*_[\]<>|~$&]/g, "\\$&")
    .replace(/@(?=[A-Za-z0-9])/g, "@\u200b")
    .replace(/#(?=[0-9])/g, "#\u200b")
    .replace(/\bGH-(?=[0-9])/gi, (word) => `${word}\u200b`)
    .replace(/\b(https?|ftp):\/\//gi, "$1:\u200b//")
    .replace(/\bwww\./gi, "www\u200b.");
}

/** The same as code, in a fence that the text itself cannot close. Not for a cell of a table where it may hold a `|`. */
export function markdownCode(text: string): string {
  const shown = visible(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const edge = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return shown === "" ? "" : `${fence}${edge}${shown}${edge}${fence}`;
}
