/** What of a unit's files decides how it behaves here: the keys that facts or effects depend on (systemd.unit(5)). */
export interface UnitDefinition {
  /** `simple`, `oneshot`, …; empty for a unit that is no service. */
  readonly type: string;
  readonly remainAfterExit: boolean;
  /** Command lines as written. */
  readonly execStart: readonly string[];
  readonly execReload: readonly string[];
  readonly restart: string;
  /** As written: with a leading dash, the file may be missing. */
  readonly environmentFiles: readonly string[];
  /** ConditionPathExists=: a start does nothing when one is not met. */
  readonly conditionPaths: readonly string[];
  /** Links that enabling makes: `multi-user.target.wants`, `reboot.target.requires`. */
  readonly linkFolders: readonly string[];
  readonly aliases: readonly string[];
  readonly also: readonly string[];
  /** A service that nothing could start: systemd calls it `bad-setting`. */
  readonly incomplete: boolean;
}

/** Reads a unit's fragment followed by its drop-ins, as one text. */
export function parseUnit(name: string, text: string): UnitDefinition {
  const settings = readSettings(text);
  const list = (key: string): string[] => settings.get(key) ?? [];
  const words = (key: string): string[] => list(key).flatMap((value) => value.split(/\s+/).filter(Boolean));
  const last = (key: string, otherwise: string): string => list(key).at(-1) ?? otherwise;
  const service = name.endsWith(".service");
  const execStart = list("Service.ExecStart");
  return {
    type: service ? last("Service.Type", execStart.length === 0 ? "oneshot" : "simple") : "",
    remainAfterExit: /^(yes|true|on|1)$/i.test(last("Service.RemainAfterExit", "no")),
    execStart,
    execReload: list("Service.ExecReload"),
    restart: last("Service.Restart", "no"),
    environmentFiles: list("Service.EnvironmentFile"),
    conditionPaths: list("Unit.ConditionPathExists"),
    linkFolders: [
      ...words("Install.WantedBy").map((target) => `${target}.wants`),
      ...words("Install.RequiredBy").map((target) => `${target}.requires`),
    ],
    aliases: words("Install.Alias"),
    also: words("Install.Also"),
    incomplete: service && execStart.length === 0 && list("Service.ExecStop").length === 0,
  };
}

/** `Section.Key` → values in order; an empty value forgets the ones before it. */
function readSettings(text: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  let section = "";
  for (const line of text.replace(/\\\n\s*/g, " ").split("\n")) {
    const header = /^\[(.+)\]\s*$/.exec(line);
    const setting = /^\s*([A-Za-z0-9]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (header?.[1] !== undefined) section = header[1];
    if (setting?.[1] === undefined) continue;
    const key = `${section}.${setting[1]}`;
    const value = setting[2] ?? "";
    settings.set(key, value === "" ? [] : [...(settings.get(key) ?? []), value]);
  }
  return settings;
}
