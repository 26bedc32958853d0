import { describe, expect, it } from "vitest";
import { answer } from "../../src/adapters/memory/answers.ts";
import { putFile } from "../../src/adapters/memory/debian-node.ts";
import { perform } from "../../src/adapters/memory/effects.ts";
import { putFolders, putLink } from "../../src/adapters/memory/file-effects.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { letTimePass } from "../../src/adapters/memory/unit-effects.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import type { UnitName } from "../../src/model/node-question.ts";
import { asking, node, unit } from "./memory-fixture.ts";

const LIB = "/lib/systemd/system";
const ETC = "/etc/systemd/system";
const simple = "[Service]\nExecStart=/bin/x\n[Install]\nWantedBy=multi-user.target\n";

const does = (of: MemoryNode, verb: (NodeEffect & { unit: UnitName })["do"], name: UnitName) =>
  perform(of, { do: verb, unit: name, how: "restart", because: [] } as NodeEffect);
const fact = (of: MemoryNode, name: UnitName) => {
  const [found] = answer(of, asking({ units: [name] })).units.values();
  if (found === undefined) throw new Error("no answer");
  return found;
};

describe("a unit file's state", () => {
  const cases: readonly [string, string, string, ((of: MemoryNode) => void)?][] = [
    ["disabled", "x.service", simple],
    ["static", "x.service", "[Service]\nExecStart=/bin/x\n"],
    ["indirect", "x.service", "[Service]\nExecStart=/bin/x\n[Install]\nAlso=x.socket\n"],
    ["disabled", "x@one.service", ""],
    ["masked", "x.service", simple, (of) => putLink(of, `${ETC}/x.service`, "/dev/null")],
    ["masked", "x.service", simple, (of) => putFile(of, `${ETC}/x.service`, "")],
    ["masked-runtime", "x.service", simple, (of) => mask(of, "/run/systemd/system/x.service")],
    [
      "enabled-runtime",
      "x.service",
      simple,
      (of) => mask(of, "/run/systemd/system/multi-user.target.wants/x.service", `${LIB}/x.service`),
    ],
    ["generated", "gen.service", "", (of) => putFile(of, "/run/systemd/generator/gen.service", simple)],
    ["transient", "tra.service", "", (of) => putFile(of, "/run/systemd/transient/tra.service", simple)],
    [
      "linked",
      "out.service",
      "",
      (of) => {
        putFile(of, "/srv/out.service", simple);
        putLink(of, `${ETC}/out.service`, "/srv/out.service");
      },
    ],
    ["", "nowhere.service", ""],
  ];
  it.each(cases)("%s (%s)", (state, name, text, prepare) => {
    const web = node();
    putFile(web, `${LIB}/x@.service`, simple);
    if (text !== "") putFile(web, `${LIB}/${name}`, text);
    prepare?.(web);
    expect(fact(web, unit(name)).unitFileState).toBe(state);
  });

  function mask(of: MemoryNode, path: string, target = "/dev/null"): void {
    putFolders(of, path.slice(0, path.lastIndexOf("/")));
    putLink(of, path, target);
  }
});

describe("enabling", () => {
  it("links an instance to its template", () => {
    const web = node();
    putFile(web, `${LIB}/x@.service`, simple);
    expect(does(web, "enable-unit", unit("x@one.service"))).toBeNull();
    expect(web.files.get(`${ETC}/multi-user.target.wants/x@one.service`)).toMatchObject({
      target: `${LIB}/x@.service`,
    });
    expect(fact(web, unit("x@one.service"))).toMatchObject({ id: "x@one.service", unitFileState: "enabled" });
    expect(fact(web, unit("x@two.service")).unitFileState).toBe("disabled");
  });

  it("answers under the unit's own name for an alias, and acts on it", () => {
    const web = node();
    putFile(web, `${LIB}/mariadb.service`, `${simple}Alias=mysql.service\n`);
    expect(does(web, "enable-unit", unit("mariadb.service"))).toBeNull();
    expect(fact(web, unit("mysql.service"))).toMatchObject({ id: "mariadb.service", unitFileState: "enabled" });
    expect(does(web, "enable-unit", unit("mysql.service"))).toBeNull();
    expect(does(web, "start-unit", unit("mysql.service"))).toBeNull();
    expect(fact(web, unit("mariadb.service")).activeState).toBe("active");
    expect(does(web, "disable-unit", unit("mysql.service"))).toBeNull();
    expect(fact(web, unit("mysql.service")).loadState).toBe("not-found");
  });

  it("of an indirect unit enables what it names, and leaves it indirect", () => {
    const web = node();
    putFile(web, `${LIB}/x.service`, "[Service]\nExecStart=/bin/x\n[Install]\nAlso=x.socket\n");
    putFile(web, `${LIB}/x.socket`, "[Socket]\nListenStream=/run/x\n[Install]\nWantedBy=sockets.target\n");
    expect(does(web, "enable-unit", unit("x.service"))).toBeNull();
    expect(fact(web, unit("x.service")).unitFileState).toBe("indirect");
    expect(fact(web, unit("x.socket")).unitFileState).toBe("enabled");
  });

  it("of a static unit does nothing, and says so with success", () => {
    const web = node();
    putFile(web, `${LIB}/x.service`, "[Service]\nExecStart=/bin/x\n");
    expect(does(web, "enable-unit", unit("x.service"))).toBeNull();
    expect(fact(web, unit("x.service")).unitFileState).toBe("static");
  });
});

describe("a running unit", () => {
  it("reloads, or restarts where it cannot, or starts", () => {
    const web = node();
    const of = unit("x.service");
    putFile(web, `${ETC}/x.service`, simple);
    expect(does(web, "reload-unit", of)).toBeNull();
    expect(fact(web, of)).toMatchObject({ activeState: "active", activeForMs: 0 });
    web.nowMs += 1000;
    expect(does(web, "reload-unit", of)).toBeNull();
    expect(fact(web, of).activeForMs).toBe(0);
    putFile(web, `${ETC}/x.service`, simple.replace("[Install]", "ExecReload=/bin/y\n[Install]"));
    perform(web, { do: "reload-daemon", user: null });
    web.nowMs += 1000;
    expect(does(web, "reload-unit", of)).toBeNull();
    // An effect takes a millisecond: the reload of the manager, and this one.
    expect(fact(web, of).activeForMs).toBe(1002);
  });

  it("that failed stays failed when it is stopped, and starts afresh", () => {
    const web = node();
    putFile(web, `${ETC}/x.service`, simple.replace("/bin/x", "/bin/false"));
    does(web, "start-unit", unit("x.service"));
    letTimePass(web, 1);
    expect(does(web, "stop-unit", unit("x.service"))).toBeNull();
    expect(fact(web, unit("x.service"))).toMatchObject({ activeState: "failed", result: "exit-code" });
    expect(does(web, "stop-unit", unit("nowhere.service"))).toBeNull();
    expect(does(web, "start-unit", unit("x.service"))).toBeNull();
    expect(fact(web, unit("x.service"))).toMatchObject({ activeState: "active", result: "success" });
  });

  it("keeps what it was loaded from until a daemon-reload", () => {
    const web = node();
    putFile(web, `${ETC}/x.service`, simple);
    does(web, "start-unit", unit("x.service"));
    putFile(web, `${ETC}/x.service.d/oneshot.conf`, "[Service]\nType=oneshot\nRemainAfterExit=yes\n");
    expect(fact(web, unit("x.service"))).toMatchObject({ type: "simple", needDaemonReload: true });
    does(web, "restart-unit", unit("x.service"));
    expect(fact(web, unit("x.service"))).toMatchObject({ subState: "running", needDaemonReload: true });
    perform(web, { do: "reload-daemon", user: null });
    expect(fact(web, unit("x.service"))).toMatchObject({
      type: "oneshot",
      subState: "running",
      needDaemonReload: false,
    });
    does(web, "restart-unit", unit("x.service"));
    expect(fact(web, unit("x.service"))).toMatchObject({ subState: "exited" });
  });

  it("runs on when its files are gone", () => {
    const web = node();
    putFile(web, `${ETC}/x.service`, simple);
    does(web, "start-unit", unit("x.service"));
    perform(web, { do: "remove-file", path: `${ETC}/x.service` });
    expect(fact(web, unit("x.service"))).toMatchObject({ loadState: "loaded", needDaemonReload: true });
    perform(web, { do: "reload-daemon", user: null });
    expect(fact(web, unit("x.service"))).toMatchObject({
      loadState: "not-found",
      activeState: "active",
      needDaemonReload: false,
    });
    expect(does(web, "stop-unit", unit("x.service"))).toBeNull();
    expect(fact(web, unit("x.service")).activeState).toBe("inactive");
  });

  it("that ends at once is remembered as long as a target wants it", () => {
    const web = node();
    putFile(web, `${ETC}/x.service`, simple.replace("[Service]", "[Service]\nType=oneshot"));
    does(web, "start-unit", unit("x.service"));
    expect(fact(web, unit("x.service"))).toMatchObject({ activeState: "inactive", hasRun: false, referenced: false });
    does(web, "enable-unit", unit("x.service"));
    does(web, "start-unit", unit("x.service"));
    expect(fact(web, unit("x.service"))).toMatchObject({ activeState: "inactive", hasRun: true, referenced: true });
  });

  it("is not started when a condition does not hold, and is then as soon as it does", () => {
    const web = node();
    putFile(web, `${ETC}/x.service`, `[Unit]\nConditionPathExists=/etc/x\nConditionPathExists=!/etc/y\n${simple}`);
    does(web, "enable-unit", unit("x.service"));
    expect(does(web, "start-unit", unit("x.service"))).toBeNull();
    expect(fact(web, unit("x.service"))).toMatchObject({ activeState: "inactive", skipped: true, hasRun: false });
    putFile(web, "/etc/x", "");
    does(web, "start-unit", unit("x.service"));
    expect(fact(web, unit("x.service"))).toMatchObject({ activeState: "active", skipped: false, hasRun: true });
  });

  it("of a user is reached while the user lingers", () => {
    const web = node();
    const agent = unit("agent.service", "www-data");
    putFile(web, "/home/www-data/.config/systemd/user/agent.service", simple.replace("multi-user", "default"));
    expect(fact(web, agent)).toMatchObject({ reachable: false, id: "agent.service" });
    web.lingering.add("www-data");
    does(web, "enable-unit", agent);
    does(web, "start-unit", agent);
    expect(fact(web, agent)).toMatchObject({ reachable: true, activeState: "active", unitFileState: "enabled" });
    expect(fact(web, unit("agent.service")).loadState).toBe("not-found");
    expect(web.files.get("/home/www-data/.config/systemd/user/default.target.wants/agent.service")).toBeDefined();
  });
});

describe("a unit file", () => {
  it("is read with its comments, continued lines and emptied lists", () => {
    const web = node();
    const text =
      "[Service]\n# ExecStart=/bin/no\n;Type=oneshot\nExecStart=/bin/a\nExecStart=\nExecStart=/bin/b \\\n  --flag\nEnvironmentFile=-/etc/a\nEnvironmentFile=/etc/b\n";
    putFile(web, `${ETC}/x.service`, text);
    expect(fact(web, unit("x.service"))).toMatchObject({ type: "simple", environmentFiles: ["/etc/a", "/etc/b"] });
  });
});
