import { describe, expect, it } from "vitest";
import { adaptScript } from "./dialect.ts";
import { Machine } from "./machine.ts";

/** Each on a fresh node, as root: what Debian 12 prints, where just-bash alone would print something else or nothing. */
const PROGRAMS: readonly (readonly [string, string, string])[] = [
  ["stat does not follow a link", "ln -s /etc /l; stat -c '%F %N' /l", 'symbolic link "/l" -> "/etc"\n'],
  ["stat -L does", "ln -s /etc /l; stat -L -c %F /l", "directory\n"],
  ["stat goes on after what is not there", "stat -c %n /none /etc 2>/dev/null; echo $?", "/etc\n1\n"],
  ["stat prints the raw mode", "touch /a; chmod 4755 /a; stat -c '%f %a' -- /a", "89ed 4755\n"],
  ["chmod takes --", "touch ./-x; chmod -- 600 -x; stat -c %a -- -x", "600\n"],
  ["chmod takes letters", "touch a; chmod u=rwx,go+x,o-r a; stat -c %a a", "751\n"],
  [
    "chown knows users and groups",
    "touch a; chown deploy:root a; stat -c %U:%G a; chown nobody1 a 2>&1",
    "deploy:root\nchown: invalid user: 'nobody1'\n",
  ],
  ["chown takes set-id bits away", "touch a; chmod 4755 a; chown deploy a; stat -c %a a", "755\n"],
  ["a file belongs to who makes it", "runuser -u deploy -- touch /tmp/a; stat -c %U /tmp/a; id -un", "deploy\nroot\n"],
  ["umask holds in its subshell only", "(umask 077; mkdir a; : >b); mkdir c; stat -c %a a b c", "700\n600\n755\n"],
  [
    "a write keeps mode and owner",
    "touch a; chmod 600 a; chown deploy a; echo x >a; stat -c '%a %U' a",
    "600 deploy\n",
  ],
  ["a write goes through a link", "ln -s b a; echo x >a; readlink a; cat b", "b\nx\n"],
  ["a rename keeps mode and owner", "touch a; chmod 600 a; chown deploy a; mv a b; stat -c '%a %U' b", "600 deploy\n"],
  ["mv -T does not move into a directory", "touch a; mkdir d; mv -T a d 2>/dev/null; echo $?; ls d", "1\n"],
  ["rm takes a dangling link", "ln -s /none a; rm -f a; [ -L a ] || echo gone", "gone\n"],
  [
    "install sets all at once",
    "echo x >a; install -m 0640 -o deploy -g root a b; stat -c '%a %U %G' b",
    "640 deploy root\n",
  ],
  ["mktemp makes a file for its owner", 'stat -c %a "$(mktemp)" "$(mktemp -d)"', "600\n700\n"],
  ["sha256sum escapes names", "printf x >'a\\b'; sha256sum 'a\\b' | cut -c 1-9", "\\2d711642\n"],
  ["base64 of nothing is nothing", "printf '' | base64 -d | wc -c; printf '\\n' | base64 -d | wc -c", "0\n0\n"],
  ["base64 there and back", "printf 'a\\000b' | base64 | base64 -d | od -An -c", "   a  \\0   b\n"],
  ["urandom gives bytes", "head -c 16 /dev/urandom | wc -c", "16\n"],
  ["nothing stays in /dev/null", "echo x >/dev/null; wc -c </dev/null", "0\n"],
  ["an EXIT trap runs", "trap 'echo bye' EXIT; echo hello", "hello\nbye\n"],
  [
    "dpkg-query names what it does not know",
    "dpkg-query -W none dpkg 2>&1; echo $?",
    "dpkg\t1.21.22\ndpkg-query: no packages found matching none\n1\n",
  ],
  [
    "no systemd unit, no state",
    "systemctl is-active none.service; systemctl is-enabled none.service",
    "inactive\nnot-found\n",
  ],
  [
    "what a minimal Debian lacks is not there",
    "jq . /etc/hostname 2>/dev/null; echo $?; command -v rg; echo $?",
    "127\n1\n",
  ],
];

describe("a program of an embedded node", () => {
  it.each(PROGRAMS)("%s", async (_what, script, printed) => {
    const machine = new Machine({ name: "node" }, 0);
    await machine.boot("deploy");
    const { stdout } = await machine.run(script);
    expect(stdout).toBe(printed);
  });

  it("takes a lock that another process waits for", async () => {
    const machine = new Machine({ name: "node" }, 0);
    await machine.boot("deploy");
    const order: string[] = [];
    const first = machine
      .run("exec 9>>/lock; flock -n 9; until [ -e /go ]; do sleep 0.01; done")
      .then(() => order.push("first"));
    const refused = await machine.run("exec 9>>/lock; flock -n 9; echo $?; flock -s -n 9; echo $?");
    expect(refused.stdout).toBe("1\n1\n");
    await machine.run("touch /go");
    const second = machine.run("exec 9>>/lock; flock 9").then(() => order.push("second"));
    await Promise.all([first, second]);
    expect(order).toEqual(["first", "second"]);
  });

  it("does not hang a node: a loop without end is ended", async () => {
    const machine = new Machine({ name: "node" }, 0);
    await machine.boot("deploy");
    const { exitCode, stderr } = await machine.run("while :; do :; done");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("too many iterations");
  });
});

describe("what is rewritten for just-bash", () => {
  it.each([
    ["exec </dev/null", ":"],
    ["exec 3>&- 9>&-", ":"],
    ["exec 3>&1", "exec 3>&1"],
    ["case $x in '' | *[!0-9]*) return ;; esac", "case $x in '' | *[^0-9]*) return ;; esac"],
    ["case $x in Id=*) ;; *) continue ;; esac", "case $x in 'Id='*) ;; *) continue ;; esac"],
    ["LoadState=masked) rc_fail unit-masked ;;", "'LoadState=masked') rc_fail unit-masked ;;"],
    ["x=`echo [!0-9]*`", "x=`echo [!0-9]*`"],
    ["for rc_path do", 'for rc_path in "$@"; do'],
    ["for x in a b; do", "for x in a b; do"],
    ['s=$(sha256sum <"$2") || return 1', 's=$(sha256sum -- "$2") || return 1'],
  ])("%s", (line, adapted) => {
    expect(adaptScript(`echo before\n${line}\necho after\n`)).toBe(`echo before\n${adapted}\necho after\n`);
  });
});
