import { describe, expect, it } from "vitest";
import { debianNode, putFile } from "../../src/adapters/memory/debian-node.ts";
import { perform } from "../../src/adapters/memory/effects.ts";
import type { MemoryNode } from "../../src/adapters/memory/memory-node.ts";
import { repositoryPackage } from "../../src/adapters/memory/package-repository.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET, node as nodeFile, textFiles } from "../desired/text-files.ts";
import { run } from "./run-in-memory.ts";

const UNIT = "/etc/systemd/system/app.service";
const good = "[Service]\nExecStart=/bin/app\n[Install]\nWantedBy=multi-user.target\n";

function desired(...resources: object[]) {
  const role = { role: "web", version: "1", description: "Test.", requires: [], resources };
  const loaded = loadDesired(
    textFiles({
      "roster/fleet.yaml": FLEET,
      "roster/nodes/web-01.yaml": nodeFile("web-01", "roles: [web]\n"),
      "host-roles/web.yaml": JSON.stringify(role),
    }),
  );
  if (loaded.state === null) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.state;
}

const app = (more: object) =>
  desired(
    { type: "file", path: UNIT, content: good },
    { type: "systemd_unit", name: "app.service", unit_file: UNIT, ...more },
  );
const applied = async (state: ReturnType<typeof desired>, web: MemoryNode) =>
  (await run("apply", state, new Map([["web-01", web]]))).outcomes[0];

describe("what only an earlier step of the same run brings to light", () => {
  const eager = repositoryPackage({
    name: "eager",
    version: "1",
    starts: ["eager.service"],
    files: [{ path: "/lib/systemd/system/eager.service", content: textContent(good), mode: "0644", conffile: false }],
  });
  const cases: readonly [string, ReturnType<typeof desired>, (web: MemoryNode) => void][] = [
    [
      "a package starts and enables a service that is declared stopped and disabled",
      desired(
        { type: "package", name: "eager" },
        { type: "systemd_unit", name: "eager.service", state: "stopped", enabled: "false" },
      ),
      () => {},
    ],
    [
      "a link that enables a unit has outlived its file, and the unit is declared disabled",
      app({ state: "started", enabled: "false" }),
      (web) => {
        putFile(web, UNIT, good);
        perform(web, { do: "enable-unit", unit: { name: "app.service", user: null } });
        perform(web, { do: "remove-file", path: UNIT });
      },
    ],
    ["our unit file was emptied, which masks the unit", app({ state: "started" }), (web) => putFile(web, UNIT, "")],
  ];
  it.each(cases)("is foreseen: %s", async (_what, state, prepare) => {
    const web = debianNode({ name: "web-01", repository: [eager] });
    prepare(web);
    expect([await applied(state, web), await applied(state, web)]).toEqual(["converged", "converged"]);
  });
});

describe("a unit that was loaded from a broken file, which a run mended before it was cut off", () => {
  it("is reloaded and restarted by the next run", async () => {
    const web = debianNode({ name: "web-01" });
    putFile(web, UNIT, good);
    perform(web, { do: "start-unit", unit: { name: "app.service", user: null } });
    putFile(web, UNIT, "[Service]\n");
    perform(web, { do: "reload-daemon", user: null });
    perform(web, {
      do: "note-pending",
      unit: { name: "app.service", user: null },
      how: "restart",
      because: [`file:${UNIT}`],
    });
    putFile(web, UNIT, good);
    expect(await applied(app({ state: "started" }), web)).toBe("converged");
  });
});
