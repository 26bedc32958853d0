import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PackageFact } from "../../src/model/node-facts.ts";
import { NO_QUESTIONS } from "../../src/model/node-question.ts";
import { parseQuestions, renderQuestions } from "../../src/shell/questions/index.ts";
import { fakeTools } from "./fake-tools.ts";
import { answerOf, inFolder, SHELLS } from "./real-shells.ts";

/** Status as dpkg 1.21 prints it: of the names asked, then of all packages with what they provide. */
const DATABASE = `
dpkg|install ok installed|amd64|1.21.23|
curl|install ok installed|amd64|7.88.1-10+deb12u15|
libc6|install ok installed|amd64|2.36-9|
libc6|hold ok installed|i386|2.36-9|
old|deinstall ok config-files|all|1:2.0~rc1-1|
half|install reinstreq half-installed|amd64|3|
demo-mta|unknown ok not-installed||
exim|install ok installed|amd64|4.96|mail-transport-agent, demo-mta (= 4.96), default-mta:amd64
gone-mta|deinstall ok config-files|amd64|1|demo-mta
`.trim();

/** dpkg-query over that database: names it does not know are errors, as with the real one. */
function dpkgQuery(folder: string): string {
  const rows = DATABASE.split("\n").map((row) => row.split("|"));
  const cases = rows.map(
    ([name, status, architecture, version]) =>
      `${name}) printf '%s\\n' '${name}|${status}|${architecture}|${version}' ;;`,
  );
  const all = rows.map(([name, status, , , provides]) => `=${status}|${name}|${provides ?? ""}`).join("\n");
  const byName = new Map<string, string[]>();
  for (const [index, [name = ""]] of rows.entries())
    byName.set(name, [...(byName.get(name) ?? []), cases[index] ?? ""]);
  const arms = [...byName].map(
    ([name, lines]) =>
      `${name}) ${lines.map((line) => line.replace(`${name}) `, "").replace(" ;;", "")).join("; ")} ;;`,
  );
  return `shift 2
if [ $# -eq 0 ]; then cat <<'ALL'\n${all}\nALL\nexit 0; fi
status=0
for name; do case $name in\n${arms.join("\n")}\n*) echo "no packages found matching $name" >&2; status=1 ;;\nesac; done
echo "$@" >>${folder}/asked
exit $status`;
}

async function ask(
  shell: readonly string[],
  names: readonly string[],
): Promise<{ facts: ReadonlyMap<string, PackageFact>; calls: string }> {
  return inFolder(async (folder) => {
    const before = fakeTools(folder, { "dpkg-query": dpkgQuery(folder), grep: null });
    const questions = { ...NO_QUESTIONS, packages: names };
    const { frame } = await answerOf(shell, before + renderQuestions(questions), `${folder}/state`);
    expect(frame.status).toBe(0);
    return {
      facts: parseQuestions(frame.sections, questions).packages,
      calls: readFileSync(`${folder}/calls`, "utf8"),
    };
  });
}

const instance = (words: string) => {
  const [want = "", flag = "", status = "", version = "", architecture = "", foreign] = words.split(" ");
  return { want, flag, status, version, architecture, native: foreign === undefined };
};

describe.each(SHELLS)("packages, asked by %s %s", (...shell) => {
  it("known names cost one process, each instance is one", async () => {
    const { facts, calls } = await ask(shell, ["curl", "libc6", "libc6:i386", "old", "half"]);
    expect(calls).toBe("dpkg-query\n");
    const libc = [instance("install ok installed 2.36-9 amd64"), instance("hold ok installed 2.36-9 i386 foreign")];
    expect(Object.fromEntries(facts)).toEqual({
      curl: { instances: [instance("install ok installed 7.88.1-10+deb12u15 amd64")], providedBy: [] },
      libc6: { instances: libc, providedBy: [] },
      "libc6:i386": { instances: libc, providedBy: [] },
      old: { instances: [instance("deinstall ok config-files 1:2.0~rc1-1 all")], providedBy: [] },
      half: { instances: [instance("install reinstreq half-installed 3 amd64")], providedBy: [] },
    });
  });

  it("unknown names cost two more, however many there are", async () => {
    const unknown = Array.from({ length: 100 }, (_all, index) => `no-such-${index}`);
    for (const names of [["demo-mta"], ["curl", "mail-transport-agent", "default-mta", "demo-mta", ...unknown]]) {
      const { facts, calls } = await ask(shell, names);
      expect(calls.split("\n").slice(0, -1).sort()).toEqual(["dpkg-query", "dpkg-query", "grep"]);
      expect(facts.get("demo-mta")).toEqual({ instances: [], providedBy: ["exim"] });
      if (names.length === 1) continue;
      expect(facts.get("mail-transport-agent")?.providedBy).toEqual(["exim"]);
      expect(facts.get("default-mta")?.providedBy).toEqual(["exim"]);
      expect(facts.get("no-such-7")).toEqual({ instances: [], providedBy: [] });
    }
  });

  it("without a dpkg nothing is known", () =>
    inFolder(async (folder) => {
      const questions = { ...NO_QUESTIONS, packages: ["curl"] };
      const before = fakeTools(folder, { "dpkg-query": "exit 2" });
      const { frame } = await answerOf(shell, before + renderQuestions(questions), `${folder}/state`);
      expect(parseQuestions(frame.sections, questions).packages).toEqual(new Map());
    }));
});

it("nothing that a node prints makes the reader fail", () => {
  const piece = fc.oneof(
    fc.constantFrom("dpkg|install ok installed|amd64|1\n", "curl|", "=", "|", "\n", ",", "("),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const { packages } = parseQuestions(new Map([["packages", pieces.join("")]]), {
        ...NO_QUESTIONS,
        packages: ["curl"],
      });
      expect(packages.size).toBeLessThanOrEqual(1);
    }),
  );
});
