import { describe, expect, it } from "vitest";
import { nodeReportPath, nodeStatePath } from "../../src/model/observed-layout.ts";
import { bareRemote, fleetCheckout } from "../git-remote/bare-remote.ts";
import { liveFiles, liveHeartbeats, nodeNames, observedFiles, reportText, stateText } from "./large-record.ts";
import { held, movedClock, record, storeIn } from "./stores.ts";

const NODES = nodeNames(10_000);

describe("ten thousand nodes", () => {
  it("cost no history while nothing but signs of life changes, and little when one node changes", async () => {
    const remote = bareRemote();
    const folder = fleetCheckout(remote);
    const clock = movedClock();
    const store = storeIn(folder, clock);
    const lock = await held(store, "r1", { leaseMs: 48 * 3_600_000 });
    await record(store, () => observedFiles(NODES), lock);
    await store.publish(() => liveFiles(NODES, clock.now()));
    const reachable = () => remote.git("rev-list", "--all", "--objects").split("\n").length;
    const before = { tip: remote.refs()["refs/heads/observed"], objects: reachable() };

    for (let hour = 0; hour < 24; hour++) {
      clock.minutes(60);
      const answer = await store.publish(() => new Map([["heartbeats.json", liveHeartbeats(NODES, clock.now())]]));
      expect(answer.kind).toBe("recorded");
    }
    const same = await record(store, () => observedFiles(NODES), lock);
    expect(same.kind).toBe("unchanged");
    expect({ tip: remote.refs()["refs/heads/observed"], objects: reachable() }).toEqual(before);

    const [node = ""] = NODES.slice(4711);
    const change = new Map([
      [nodeStatePath(node), stateText(node, "2026-12-01T00:00:00Z")],
      [nodeReportPath(node), reportText(node, "of the other network")],
    ]);
    expect((await record(store, () => change, lock)).kind).toBe("recorded");
    const made = remote.git("rev-list", "--objects", "observed", "--not", before.tip ?? "").split("\n");
    // A commit, four folders and the two files.
    expect(made).toHaveLength(7);
  }, 480_000);
});
