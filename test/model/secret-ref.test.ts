import { describe, expect, it } from "vitest";
import { secretRef, secretRefText } from "../../src/model/secret-ref.ts";

describe("secretRef", () => {
  it.each([
    ["env:API_TOKEN", "env", "API_TOKEN"],
    ["file:/run/secrets/token", "file", "/run/secrets/token"],
    ["file:/dev/shm/token", "file", "/dev/shm/token"],
    ["file:secrets/a b:c", "file", "secrets/a b:c"],
    ["file:/processed/x", "file", "/processed/x"],
    ["file:.github/x", "file", ".github/x"],
    ["age:secrets/db.age", "age", "secrets/db.age"],
  ])("takes %s", (written, scheme, target) => {
    const ref = secretRef.parse(written);
    expect(ref).toEqual({ scheme, target });
    expect(secretRefText(ref)).toBe(written);
  });

  const scheme = "must begin with env:, file: or age:";
  const variable = "must name a variable of the runner, such as env:API_TOKEN";
  const file = "must name a file by a plain path: no //, ./, ../ or .git in it";
  const system = "must not name a file of /proc, /sys or /dev";
  const age = "must name a file of the repository by a plain path: no leading /, //, ./, ../ or .git";

  it.each([
    ["hunter2", scheme],
    ["", scheme],
    ["vault:x", scheme],
    ["ENV:X", scheme],
    ["constructor:x", scheme],
    ["env:", variable],
    ["env:1A", variable],
    ["env:A B", variable],
    ["env:$A", variable],
    ["env:ROLLCALL_SSH_KEY", "must not name one of rollcall's own variables"],
    ["file:", file],
    ["file:/", file],
    ["file:../x", file],
    ["file:/run/../etc/shadow", file],
    ["file:a//b", file],
    ["file:./a", file],
    ["file:a/", file],
    ["file:a\nb", file],
    ["file: a", file],
    ["file:.git/config", file],
    ["file:/srv/fleet/.GIT/config", file],
    ["file:/proc/self/environ", system],
    ["file:/dev/stdin", system],
    ["file:/sys", system],
    ["age:/etc/x.age", age],
    ["age:../x.age", age],
    ["age:secrets/db", "must name an encrypted file whose name ends in .age"],
  ])("refuses %j", (written, message) => {
    const result = secretRef.safeParse(written);
    expect(result.success ? result.data : result.error.issues.map((issue) => issue.message)).toEqual([message]);
  });
});
