import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { effectFunctions, renderEffect } from "../../src/shell/effects/index.ts";
import { effectLibrary } from "../../src/shell/library.ts";
import { fakeTools } from "./fake-tools.ts";
import { answerOf, inFolder, SHELLS } from "./real-shells.ts";

const { username, gid } = userInfo();

/** Runs one effect as the body of a function on this machine, as a step does; what it printed comes last. */
async function perform(shell: readonly string[], folder: string, effect: NodeEffect, before = ""): Promise<string> {
  const body = `${before}${effectLibrary(5)}
${effectFunctions([effect])}
rc_body() {
${renderEffect(effect)}
}
rc_code='' rc_detail=''
rc_section out
rc_body
rc_status=$?
rc_section result
printf '%s %s %s\\n' "$rc_status" "$rc_code" "$rc_detail"`;
  const { frame, stderr } = await answerOf(shell, body, `${folder}/state`);
  if (frame.status !== 0) throw new Error(stderr);
  const [status = "", ...words] = (frame.sections.get("result") ?? "").trim().split(" ");
  return status === "0" ? "done" : words.join(" ");
}

const write = (path: string, text: string, more: object = {}): NodeEffect => ({
  do: "write-file",
  path,
  content: textContent(text),
  mode: "0640",
  owner: username,
  group: String(gid),
  ...more,
});

describe.each(SHELLS)("files, in %s %s", (...shell) => {
  it("a file is written whole, with its mode, and nothing is left beside it", () =>
    inFolder(async (folder) => {
      for (const text of ["", "a\n\n\n", "no newline", "\0\r\n$HOME`id`'\"\\", "x".repeat(300_000)]) {
        expect(await perform(shell, folder, write(`${folder}/-a 'b' ü`, text))).toBe("done");
        expect(readFileSync(`${folder}/-a 'b' ü`, "utf8")).toBe(text);
        expect(statSync(`${folder}/-a 'b' ü`).mode & 0o7777).toBe(0o640);
      }
      expect(readdirSync(folder).filter((name) => name !== "state")).toEqual(["-a 'b' ü"]);
    }));

  it("what cannot be done is named, the old file stays, and nothing is left beside it", () =>
    inFolder(async (folder) => {
      writeFileSync(`${folder}/f`, "old");
      symlinkSync("f", `${folder}/link`);
      mkdirSync(`${folder}/d`);
      expect(await perform(shell, folder, write(`${folder}/link`, "new"))).toMatch(/^link-in-the-way /);
      expect(await perform(shell, folder, write(`${folder}/d`, "new"))).toMatch(/^directory-in-the-way /);
      expect(await perform(shell, folder, write(`${folder}/none/f`, "new"))).toMatch(/^parent-missing /);
      expect(await perform(shell, folder, write(`${folder}/f`, "new", { owner: "no-such-user" }))).toMatch(
        /^no-such-owner /,
      );
      const torn = { ...textContent("new"), bytes: () => new TextEncoder().encode("ne") };
      expect(await perform(shell, folder, write(`${folder}/f`, "", { content: torn }))).toBe("content-mismatch");
      expect(readFileSync(`${folder}/f`, "utf8")).toBe("old");
      expect(readdirSync(folder).filter((name) => name.startsWith(".rollcall"))).toEqual([]);
    }));

  it("a pending restart is noted and cleared, again and again", () =>
    inFolder(async (folder) => {
      const unit = { name: "my\\x2dunit@a.service", user: null };
      const note = { do: "note-pending", unit, how: "restart", because: ["file:/etc/ü 'x'"] } as const;
      for (let time = 0; time < 2; time++) expect(await perform(shell, folder, note)).toBe("done");
      const [file = ""] = readdirSync(`${folder}/state/pending`);
      expect(JSON.parse(readFileSync(`${folder}/state/pending/${file}`, "utf8"))).toEqual({
        unit: unit.name,
        user: null,
        how: "restart",
        because: ["file:/etc/ü 'x'"],
      });
      for (let time = 0; time < 2; time++)
        expect(await perform(shell, folder, { do: "clear-pending", unit })).toBe("done");
      expect(existsSync(`${folder}/state/pending/${file}`)).toBe(false);
    }));
});

describe.each(SHELLS)("packages, in %s %s", (...shell) => {
  const said = (folder: string): string => (existsSync(`${folder}/said`) ? readFileSync(`${folder}/said`, "utf8") : "");
  const tools = (folder: string, more: Readonly<Record<string, string>> = {}) =>
    fakeTools(folder, {
      dpkg: "echo amd64",
      "dpkg-query": "exit 1",
      "apt-cache": "exit 100",
      "apt-get": `{ env | grep -E '^(DEBIAN_FRONTEND|NEEDRESTART_MODE|UCF_FORCE_CONFFOLD|APT_LISTCHANGES_FRONTEND)=' | sort; echo "$*"; } >>${folder}/said; exit 0`,
      ...more,
    });

  it("apt is asked for no terminal, keeps edited conffiles, waits for the lock, and removes nothing", () =>
    inFolder(async (folder) => {
      const effect = { do: "install-package", name: "libc6:i386", version: "2:0.9~rc1", repair: false } as const;
      expect(await perform(shell, folder, effect, tools(folder))).toBe("done");
      expect(said(folder)).toBe(`APT_LISTCHANGES_FRONTEND=none
DEBIAN_FRONTEND=noninteractive
NEEDRESTART_MODE=l
UCF_FORCE_CONFFOLD=1
-q -y -o DPkg::Lock::Timeout=3 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 -o APT::Get::AutomaticRemove=false install --no-remove --allow-downgrades libc6:i386=2:0.9~rc1
`);
    }));

  it("what is installed already is left alone", () =>
    inFolder(async (folder) => {
      const known = tools(folder, { "dpkg-query": "echo 'hold ok installed|1.10|all'" });
      for (const version of [null, "1.10"]) {
        const effect = { do: "install-package", name: "demo-tool", version, repair: true } as const;
        expect(await perform(shell, folder, effect, known)).toBe("done");
      }
      expect(said(folder)).toBe("");
    }));

  it("what no source offers is looked for once more with fresh lists, then named", () =>
    inFolder(async (folder) => {
      const missing = tools(folder, { "apt-get": `for a; do :; done; echo "$a" >>${folder}/said; [ "$a" = update ]` });
      const effect = { do: "install-package", name: "nothing", version: "1", repair: false } as const;
      expect(await perform(shell, folder, effect, missing)).toBe(
        "package-unknown no source of the node offers nothing in version 1",
      );
      expect(said(folder)).toBe("nothing=1\nupdate\nnothing=1\n");
    }));

  it("a removal that would take others along is not begun", () =>
    inFolder(async (folder) => {
      const effect = { do: "remove-package", name: "demo-tool" } as const;
      const needed = tools(folder, {
        "dpkg-query": "echo 'install ok installed|1.10|all'",
        "apt-get": `echo "$*" >>${folder}/said; echo 'Remv demo-depends [1.0]'; echo 'Remv demo-tool [1.10]'; echo 'Inst demo-other (1 x)'`,
      });
      expect(await perform(shell, folder, effect, needed)).toBe(
        "would-remove-others removing demo-tool would also change: demo-depends +demo-other",
      );
      expect(said(folder)).toContain(" -s remove demo-tool\n");
      expect(said(folder).split("\n").length).toBe(2);
    }));
});

describe.each(SHELLS)("units, in %s %s", (...shell) => {
  const user = { name: "agent.service", user: "no-such-user" };

  it("a manager that is not there is named, and nothing is started", () =>
    inFolder(async (folder) => {
      const unit = { name: "a.service", user: null };
      const tools = fakeTools(folder, { systemctl: "exit 0" });
      const expected = existsSync("/run/systemd/system") ? "done" : /^manager-unreachable /;
      expect(await perform(shell, folder, { do: "start-unit", unit }, tools)).toEqual(expect.stringMatching(expected));
      expect(await perform(shell, folder, { do: "start-unit", unit: user }, tools)).toMatch(/^manager-unreachable /);
      expect(await perform(shell, folder, { do: "reload-daemon", user: user.user }, tools)).toMatch(
        /^manager-unreachable /,
      );
    }));
});

describe("what is sent", () => {
  const effects: NodeEffect[] = [
    ...["a.service", "b.service"].map((name) => ({ do: "start-unit", unit: { name, user: null } }) as const),
    { do: "stop-unit", unit: { name: "-.mount", user: "it's" } },
    { do: "remove-file", path: "/a 'b'" },
  ];

  it("functions travel once, and only those that are called", () => {
    const functions = effectFunctions(effects);
    expect(functions.match(/^rc_my_run\(\)/gm)).toHaveLength(1);
    expect(functions.match(/^rc_my_write\(\)/gm)).toHaveLength(1);
    expect(functions).not.toContain("apt-get");
    expect(effectFunctions([{ do: "run-command", run: "true", creates: null }])).toBe("");
  });

  it("names that look like options or shell are words", () => {
    expect(effects.slice(0, 3).map(renderEffect)).toEqual([
      "rc_my_run '' start a.service",
      "rc_my_run '' start b.service",
      "rc_my_stop 'it'\\''s' -.mount",
    ]);
  });

  it.each(SHELLS.map(([program]) => program as string))("%s can parse every function", (program) => {
    const all = effectFunctions([...effects, { do: "remove-package", name: "x" }]);
    const { status, stderr } = spawnSync(program, program === "busybox" ? ["sh", "-n"] : ["-n"], { input: all });
    expect([status, stderr.toString()]).toEqual([0, ""]);
  });
});
