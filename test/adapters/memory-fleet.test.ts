import { describe, expect, it } from "vitest";
import { MemoryTransport } from "../../src/adapters/memory/memory-transport.ts";
import { textContent } from "../../src/adapters/memory/text-content.ts";
import type { NodeEffect } from "../../src/model/node-effect.ts";
import { asking, node, path, request, step, target, unit } from "./memory-fixture.ts";

const NODES = 10_000;
const prober = unit("gyrum-prober.service");
const content = textContent("heartbeat_interval_seconds: 60\n");
const write = (at: string): NodeEffect => {
  return { do: "write-file", path: at, content, mode: "0640", owner: "root", group: "gyrum" };
};
const folders = ["/etc/gyrum", "/etc/gyrum/conf.d", "/srv/gyrum"];
const files = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `/etc/gyrum/conf.d/${number}.yaml`);
const questions = asking({
  packages: ["gyrum-prober", "tool"],
  paths: [...folders, ...files].map(path),
  units: [prober],
});
const STEPS = [
  step([{ do: "install-package", name: "gyrum-prober", version: null, repair: false }]),
  ...folders.map((at) => step([{ do: "make-directory", path: at, mode: "0755", owner: "root", group: "gyrum" }])),
  ...files.map((at) => step([{ do: "note-pending", unit: prober, how: "restart", because: [at] }, write(at)])),
  step([
    { do: "enable-unit", unit: prober },
    { do: "start-unit", unit: prober },
    { do: "clear-pending", unit: prober },
  ]),
];

describe("ten thousand nodes in memory", () => {
  it("are read, changed, read and changed again in a moment, each in one round trip a phase", async () => {
    const fleet = new Map(Array.from({ length: NODES }, (_, index) => [`node-${index}`, node(`node-${index}`)]));
    const transport = new MemoryTransport(fleet);
    const begun = performance.now();
    let done = 0;
    for (const name of fleet.keys()) {
      const to = target(name);
      for (const epoch of [1, 2]) {
        const seen = await transport.observe(to, questions);
        if (seen.kind !== "observed") throw new Error(seen.outcome);
        const result = await transport.change(
          to,
          request(STEPS, { epoch, seen: seen.facts.fence }, { questions }),
          () => {},
        );
        if (result.kind === "changed") done += result.steps.filter((one) => one.state === "done").length;
      }
    }
    const seconds = (performance.now() - begun) / 1000;
    expect(done).toBe(NODES * 2 * STEPS.length);
    expect(transport.calls("node-77")).toEqual({ observe: 2, change: 2 });
    // Against a slip into quadratic time, on a machine as busy as may be.
    expect(seconds).toBeLessThan(30);
  }, 60_000);
});
