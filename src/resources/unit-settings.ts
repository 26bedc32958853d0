import type { FileContent } from "../model/file-content.ts";

/** Settings of a unit file by `Section.Key`, values in order of appearance (systemd.syntax(7)). */
export type UnitSettings = ReadonlyMap<string, readonly string[]>;

/** Reads a unit file as systemd does: comments, joined lines, and an empty value that forgets the ones before it. */
export function readUnitSettings(content: FileContent): UnitSettings {
  const settings = new Map<string, string[]>();
  let section = "";
  for (const line of logicalLines(new TextDecoder().decode(content.bytes()))) {
    const header = /^\[(.+)\]$/.exec(line)?.[1];
    if (header !== undefined) section = header;
    const [, key, value] = /^([^=]*?)\s*=\s*(.*)$/s.exec(line) ?? [];
    if (key === undefined || value === undefined || header !== undefined) continue;
    const name = `${section}.${key}`;
    settings.set(name, value === "" ? [] : [...(settings.get(name) ?? []), value]);
  }
  return settings;
}

/** A backslash at the end joins the next line with a blank; comment lines in between are passed over. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let joined = "";
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    if (/^[#;]/.test(line) || (line === "" && joined === "")) continue;
    if (line.endsWith("\\")) joined += `${line.slice(0, -1)} `;
    else {
      lines.push((joined + line).trim());
      joined = "";
    }
  }
  return joined === "" ? lines : [...lines, joined.trim()];
}

/**
 * EnvironmentFile= of a unit, as patterns of absolute paths: specifiers that follow from the unit's name are resolved,
 * and what holds others is left out, since only the node knows them.
 */
export function environmentFiles(settings: UnitSettings, unit: string): readonly string[] {
  return (settings.get("Service.EnvironmentFile") ?? [])
    .map((value) => resolveSpecifiers(value.replace(/^-/, ""), unit))
    .filter((path) => path?.startsWith("/") === true)
    .map(String);
}

function resolveSpecifiers(text: string, unit: string): string | undefined {
  const stem = unit.slice(0, unit.lastIndexOf("."));
  const at = stem.indexOf("@");
  const prefix = at === -1 ? stem : stem.slice(0, at);
  const instance = at === -1 ? "" : stem.slice(at + 1);
  const known: Readonly<Record<string, string>> = {
    "%": "%",
    n: unit,
    N: stem,
    p: prefix,
    P: unescapeUnitName(prefix),
    i: instance,
    I: unescapeUnitName(instance),
    j: prefix.slice(prefix.lastIndexOf("-") + 1),
  };
  let unknown = false;
  const resolved = text.replace(/%(.)/g, (_all, letter: string) => {
    unknown ||= known[letter] === undefined;
    return known[letter] ?? "";
  });
  return unknown ? undefined : resolved;
}

/** systemd-escape(1) backwards: `-` is `/`, `\x2d` a byte. */
function unescapeUnitName(name: string): string {
  return name
    .replaceAll("-", "/")
    .replace(/\\x([0-9a-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Does a path match a glob(7) pattern as EnvironmentFile= takes it? `*` and `?` do not cross a `/`. */
export function matchesGlob(path: string, pattern: string): boolean {
  if (!/[*?[]/.test(pattern)) return path === pattern;
  const source = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("[!", "[^");
  try {
    return new RegExp(`^${source}$`).test(path);
  } catch {
    return false;
  }
}
