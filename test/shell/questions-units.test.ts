import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UnitFact } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS, type UnitName } from "../../src/model/node-question.ts";
import { parseQuestions, renderQuestions } from "../../src/shell/questions/index.ts";
import { fakeTools } from "./fake-tools.ts";
import { answerOf, inFolder, SHELLS } from "./real-shells.ts";

/** `systemctl show` of a unit, as systemd 252 prints it: its own order, repeated keys, Names quoted. */
const block = (id: string, more: readonly string[]): string =>
  [
    "Type=simple",
    "Result=success",
    "NRestarts=0",
    `Id=${id}`,
    "LoadState=loaded",
    "ActiveState=active",
    "SubState=running",
    ...more,
  ].join("\n");

const BLOCKS: Readonly<Record<string, string>> = {
  "a.service": block("a.service", [
    "FragmentPath=/bin/sh",
    "UnitFileState=enabled",
    "ActiveEnterTimestampMonotonic=2000000",
    "ExecMainStartTimestampMonotonic=1999000",
    "EnvironmentFiles=/etc/default/a (ignore_errors=yes)",
    "EnvironmentFiles=/etc/a b/*.env (ignore_errors=no)",
    "WantedBy=multi-user.target",
    "NeedDaemonReload=yes",
  ]),
  "alias.service": block("real.service", ["FragmentPath=/bin/sh", "UnitFileState=disabled"]),
  "gone.service":
    "Id=gone.service\nLoadState=not-found\nActiveState=inactive\nSubState=dead\nFragmentPath=\nUnitFileState=",
  "b.service": block("b.service", ["FragmentPath=/bin/sh", "UnitFileState=enabled"]),
  "made.service": block("made.service", [
    "FragmentPath=/run/systemd/generator.late/made.service",
    "UnitFileState=generated",
  ]),
};
const ENABLED: Readonly<Record<string, string>> = {
  "a.service": "enabled",
  "alias.service": "alias",
  "b.service": "disabled",
};

/** Prints blocks in the order asked; is-enabled stops at the first unit that has no file, as systemd does before 253. */
const SYSTEMCTL = `verb=; for a; do shift; case $a in show | is-enabled) verb=$a ;; --) break ;; esac; done
first=yes
for u; do case $verb/$u in
${Object.entries(BLOCKS)
  .map(([name, text]) => `show/${name}) [ -n "$first" ] || echo; printf '%s\\n' '${text}' ;;`)
  .join("\n")}
${Object.entries(ENABLED)
  .map(([name, word]) => `is-enabled/${name}) echo ${word} ;;`)
  .join("\n")}
*) echo "Failed for $u" >&2; exit 1 ;;
esac; first=; done`;

async function ask(
  shell: readonly string[],
  units: readonly UnitName[],
  tools: Readonly<Record<string, string | null>> = { systemctl: SYSTEMCTL },
): Promise<{ facts: ReadonlyMap<string, UnitFact>; calls: string[] }> {
  return inFolder(async (folder) => {
    const questions = { ...NO_QUESTIONS, units };
    const { frame } = await answerOf(shell, fakeTools(folder, tools) + renderQuestions(questions), `${folder}/state`);
    expect(frame.status).toBe(0);
    const calls = readFileSync(`${folder}/calls`, "utf8").split("\n").slice(0, -1);
    return { facts: parseQuestions(frame.sections, questions).units, calls };
  });
}

const system = (...names: string[]): UnitName[] => names.map((name) => ({ name, user: null }));

describe.each(SHELLS)("units, asked by %s %s", (...shell) => {
  it("each answer finds its unit, two processes for all of them", async () => {
    const names = ["a.service", "gone.service", "alias.service", "made.service", "b.service"];
    const { facts, calls } = await ask(shell, system(...names));
    expect(calls).toEqual(["systemctl", "systemctl"]);
    expect(names.map((name) => facts.get(name)?.unitFileState)).toEqual([
      "enabled",
      "",
      "disabled",
      "generated",
      "disabled",
    ]);
    expect(facts.get("a.service")).toMatchObject({
      reachable: true,
      hasRun: true,
      referenced: true,
      needDaemonReload: true,
      environmentFiles: ["/etc/default/a", "/etc/a b/*.env"],
    });
    expect(facts.get("a.service")?.activeForMs).toBeGreaterThan(0);
    expect(facts.get("alias.service")).toMatchObject({
      id: "real.service",
      hasRun: false,
      referenced: false,
      activeForMs: null,
    });
    expect(facts.get("gone.service")).toMatchObject({ reachable: true, id: "gone.service", loadState: "not-found" });
  });

  it("(15) one that is asked alone costs the same as many", async () => {
    expect((await ask(shell, system("a.service"))).calls).toEqual(["systemctl", "systemctl"]);
    const many = Array.from({ length: 60 }, () => ["a.service", "b.service"]).flat();
    const { facts, calls } = await ask(shell, system(...many));
    expect(calls).toEqual(["systemctl", "systemctl"]);
    expect([...facts.keys()]).toEqual(["a.service", "b.service"]);
  });

  it("(16) a manager that does not answer is not known, and neither is a user who is not there", async () => {
    const refused = "echo 'Failed to connect to bus' >&2; exit 1";
    const units = [...system("a.service"), { name: "a.service", user: "no-such-user" }];
    const { facts } = await ask(shell, units, { systemctl: refused });
    expect([...facts].map(([key, { reachable, activeState }]) => [key, reachable, activeState])).toEqual([
      ["a.service", false, ""],
      ["no-such-user//a.service", false, ""],
    ]);
  });

  it("(16) a user's manager is asked as that user, with three processes", async () => {
    const units = [
      ...system("b.service"),
      { name: "a.service", user: "scribe" },
      { name: "gone.service", user: "scribe" },
    ];
    const { facts, calls } = await ask(shell, units, {
      systemctl: SYSTEMCTL,
      id: "echo 'uid=1234(scribe) gid=1235(scribe) groups=1235(scribe),27(sudo)'",
      setpriv: `case "$*" in *"--reuid=1234 --regid=1235 --init-groups env XDG_RUNTIME_DIR=/run/user/1234 systemctl --user"*) ;; *) exit 9 ;; esac
while [ "$1" != env ]; do shift; done; exec "$@"`,
    });
    expect(calls).toEqual(["systemctl", "systemctl", "id", "setpriv", "systemctl", "setpriv", "systemctl"]);
    expect(facts.get("scribe//a.service")).toMatchObject({
      reachable: true,
      activeState: "active",
      unitFileState: "enabled",
    });
    expect(facts.get("scribe//gone.service")).toMatchObject({ reachable: true, loadState: "not-found" });
    expect(facts.get("b.service")).toMatchObject({ unitFileState: "disabled" });
  });

  it("(11, 14) names that look like options or hold a backslash are names", () =>
    inFolder(async (folder) => {
      const systemctl = `for a; do printf '%s\\n' "$a"; done >>${folder}/words`;
      const questions = { ...NO_QUESTIONS, units: system("-.mount", "my\\x2dunit.service", "--help.service") };
      await answerOf(shell, fakeTools(folder, { systemctl }) + renderQuestions(questions), `${folder}/state`);
      const words = readFileSync(`${folder}/words`, "utf8").split("\n");
      expect(words.slice(words.indexOf("--"))).toEqual(["--", "-.mount", "my\\x2dunit.service", "--help.service", ""]);
      writeFileSync(`${folder}/words`, "");
    }));
});

it("states after the first unit without a file stay as the manager remembers them", () => {
  const shown = `${BLOCKS["a.service"]}\n\n${BLOCKS["b.service"]}\n\n${BLOCKS["alias.service"]}\n`;
  const section = `manager 0 10.5 3\n${shown}enabled 1 2 3\ndisabled\n`;
  const { units } = parseQuestions(new Map([["units", section]]), {
    ...NO_QUESTIONS,
    units: system("a.service", "b.service", "alias.service"),
  });
  expect([...units.values()].map(({ unitFileState }) => unitFileState)).toEqual(["disabled", "enabled", "disabled"]);
});

it("nothing that a node prints makes the reader fail, or an unknown unit known", () => {
  const piece = fc.oneof(
    fc.constantFrom("manager 0 1 1\n", "Id=a.service\n", "=", "\n\n", "enabled 1\n", "enabled 9 x\n"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const section = pieces.join("");
      const { units } = parseQuestions(new Map([["units", section]]), { ...NO_QUESTIONS, units: system("a.service") });
      if (!section.includes("Id=")) expect(units.get("a.service")?.reachable).toBe(false);
    }),
  );
});
