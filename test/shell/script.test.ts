import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { wholeScript } from "../../src/shell/script.ts";
import { answerOf, inFolder, newBoundary, pipeInto, SHELLS } from "./real-shells.ts";

const BOUNDARY = "00112233445566778899aabbccddeeff";

describe("wholeScript", () => {
  it("reads as this", () => {
    expect(wholeScript("rc_section hello\necho world", { boundary: BOUNDARY })).toBe(
      `{ main() {
exec </dev/null
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
unset ENV BASH_ENV CDPATH GLOBIGNORE IFS LANGUAGE TMPDIR
umask 022
cd /
rc_state=/var/lib/rollcall
rc_mark=0011223344556677''8899aabbccddeeff
rc_section() { printf '\\n%s section %s\\n' "$rc_mark" "$1"; }
rc_end() { printf '\\n%s end %s\\n' "$rc_mark" "$1"; exit "$1"; }
printf '\\n%s begin\\n' "$rc_mark"
rc_section hello
echo world
rc_end 0
}
main; }
`,
    );
  });
});

describe.each(SHELLS)("a script in %s %s", (...shell) => {
  it("cut at any byte does nothing at all", { timeout: 120_000 }, () =>
    inFolder(async (folder) => {
      const touched = `${folder}/touched`;
      // Every line of it, and every beginning of every line, would leave a trace if it ran.
      const script = wholeScript(`echo first >>${touched}\ncat <<'END' >>${touched}\ndata\nEND\necho >>${touched}`, {
        boundary: BOUNDARY,
        stateFolder: folder,
      });
      const cuts = Array.from({ length: script.length - 1 }, (_, index) => index);
      // All but the last newline is needed.
      for (let i = 0; i < cuts.length; i += 8) {
        const batch = cuts.slice(i, i + 8);
        const runs = await Promise.all(batch.map((cut) => pipeInto(shell, script.slice(0, cut))));
        runs.forEach((run, index) => {
          expect(run.stdout, `cut at ${batch[index]}`).toBe("");
          expect(run.stderr, `cut at ${batch[index]}`).not.toMatch(/not found/);
        });
        expect(existsSync(touched), `cut in ${batch.join()}`).toBe(false);
      }
      await pipeInto(shell, script);
      expect(readFileSync(touched, "utf8")).toBe("first\ndata\n\n");
    }),
  );

  it("a child that reads stdin eats nothing of it", () =>
    inFolder(async (folder) => {
      const answer = await answerOf(shell, "rc_section a\ncat\n/bin/sh -c cat\nread -r x || echo closed\n", folder);
      expect(answer.frame.sections.get("a")).toBe("closed\n");
      expect(answer.frame.status).toBe(0);
      expect(answer.stderr).toBe("");
    }));

  it("runs in an environment that does not depend on the account", () =>
    inFolder(async (folder) => {
      const odd = [
        "env",
        "LC_ALL=de_DE.UTF-8",
        "CDPATH=/usr",
        "TMPDIR=/nowhere",
        "IFS=x",
        "PATH=/nowhere:/usr/bin:/bin",
      ];
      const body = `rc_section a\nprintf '%s|%s|%s|%s|' "$LC_ALL" "\${CDPATH-}" "\${TMPDIR-}" "$PATH"\numask\npwd\nset -- 'a b'\necho $*`;
      const answer = await answerOf([...odd, ...shell], body, folder);
      expect(answer.frame.sections.get("a")).toBe(
        "C|||/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin|0022\n/\na b\n",
      );
    }));

  it("carries 5 MB", { timeout: 30_000 }, () =>
    inFolder(async (folder) => {
      const bytes = Buffer.alloc(5_000_000, "rollcall\0\xff\n", "latin1");
      const base64 = bytes.toString("base64").replace(/.{76}/g, "$&\n");
      const body = `put() {\nbase64 -d >"$rc_state/big" <<'END'\n${base64}\nEND\n}\nput`;
      const answer = await answerOf(shell, body, folder);
      expect(answer.frame.status).toBe(0);
      expect(readFileSync(`${folder}/big`).equals(bytes)).toBe(true);
    }),
  );

  it("of many bytes, cut anywhere near its ends, does nothing at all", { timeout: 60_000 }, () =>
    inFolder(async (folder) => {
      const filler = `: '${"x".repeat(70_000)}'`;
      const script = wholeScript(`echo ran >"$rc_state/touched"\n${filler}`, {
        boundary: newBoundary(),
        stateFolder: folder,
      });
      const start = Array.from({ length: 80 }, (_, index) => index);
      const end = Array.from({ length: 60 }, (_, index) => script.length - 2 - index);
      for (const cut of [...start, ...end]) {
        const { stdout, stderr } = await pipeInto(shell, script.slice(0, cut));
        expect(stdout, `cut at ${cut}`).toBe("");
        expect(stderr, `cut at ${cut}`).not.toMatch(/not found/);
        expect(existsSync(`${folder}/touched`), `cut at ${cut}`).toBe(false);
      }
      await pipeInto(shell, script);
      expect(existsSync(`${folder}/touched`)).toBe(true);
    }),
  );
});
