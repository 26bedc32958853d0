import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { boardSchema } from "../../src/model/board.ts";
import { boardExit, boardOf } from "../../src/plan/board.ts";
import { renderBoard } from "../../src/render/board.ts";
import { boardMarkdown } from "../../src/render/board-markdown.ts";
import { PLAIN } from "../../src/render/paint.ts";
import { heartbeat, item, report, stateOf } from "../plan/recorded.ts";
import { COMMIT, SimulatedFleet } from "../plan/simulated-run.ts";

const MAIN = { source: "main", branch: "origin/main", commit: COMMIT, unmerged: false } as const;
const SAID = { by: "octocat", at: "2026-11-06" };

const role = (description: string, content = "one\n", more: object = {}) => ({
  description,
  resources: [{ type: "file", path: `/etc/${description.slice(0, 4)}`, content }],
  ...more,
});
const EDGE = { edge: role("Edge proxy", "one\n", { version: "8" }) };
const has = (more: object = {}) => ({ roles: ["edge"], ...more });
const FOUR = { "web-01": has(), "web-02": has(), "web-03": has(), "desk-01": has({ class: "desktop" }) };

/** All answered at ten past nine, but those that are named otherwise. */
function answering(
  fleet: SimulatedFleet,
  others: Readonly<Record<string, Parameters<typeof heartbeat>[0] | null>> = {},
): SimulatedFleet {
  const beats = fleet.state.nodes.flatMap(({ name }) => {
    const own = others[name];
    if (own === null) return [];
    return [[name, heartbeat({ observed_at: "2026-11-30T09:10:00.123Z", ...own })] as const];
  });
  fleet.record = { ...fleet.record, heartbeats: new Map(beats) };
  return fleet;
}

function fleetOf(
  nodes: Readonly<Record<string, object>>,
  roles: Readonly<Record<string, object>> = EDGE,
): SimulatedFleet {
  return answering(new SimulatedFleet(stateOf(nodes, roles)));
}

const SCENES: Readonly<Record<string, () => SimulatedFleet>> = {
  "mid-rollout": () => {
    const fleet = fleetOf(FOUR);
    fleet.run({ budget: 2 });
    return answering(fleet, { "web-03": null });
  },
  "failed-canary": () => {
    const fleet = fleetOf({ ...FOUR, "db-01": { roles: ["db"] } }, { ...EDGE, db: role("Databases") });
    fleet.run({ fails: (_, node) => node === "web-01" });
    return fleet;
  },
  "all-in": () => {
    const fleet = fleetOf({ ...FOUR, "db-01": { roles: ["db"] } }, { ...EDGE, db: role("Databases") });
    fleet.run();
    return fleet;
  },
  "never-reported": () =>
    answering(
      new SimulatedFleet(stateOf(FOUR, EDGE)),
      Object.fromEntries(Object.keys(FOUR).map((node) => [node, null])),
    ),
  down: () => {
    const down = (since: string) => ({ down: { reason: "psu dead", since, by: "octocat" } });
    const failing = {
      failing_since: "2026-11-30T09:14:00Z",
      outcome: "unreachable",
      message: "no route to host",
    } as const;
    const nodes = { ...FOUR, "web-02": has(down("2026-11-20T10:00:00Z")), "web-03": has(down("2026-08-01")) };
    const fleet = answering(new SimulatedFleet(stateOf(nodes, EDGE)), { "web-02": failing, "web-03": failing });
    fleet.run({ fails: (_, node) => node === "web-03" });
    return fleet;
  },
  "claimed-and-declined": () => {
    const fleet = fleetOf({
      ...FOUR,
      "db-01": has({ claims: [{ unit: "role:edge", note: "moved by hand", ...SAID }] }),
      "desk-02": has({ declines: [{ unit: "role:edge", reason: "no desktop session", ...SAID }] }),
    });
    fleet.run();
    return fleet;
  },
  "all-declined": () => {
    const declines = [{ unit: "role:edge", reason: "frozen until the audit", ...SAID }];
    return fleetOf(Object.fromEntries(Object.keys(FOUR).map((node) => [node, has({ declines })])));
  },
  "observe-mode": () => {
    const fleet = fleetOf(
      { "web-01": { roles: ["edge", "seen"] } },
      { ...EDGE, seen: role("Taken in", "x", { mode: "observe" }) },
    );
    fleet.run();
    return fleet;
  },
  "nothing-enforced": () =>
    fleetOf({ "web-01": { roles: ["seen"] } }, { seen: role("Taken in", "x", { mode: "observe" }) }),
  "removed-role": () => {
    const fleet = fleetOf(FOUR);
    fleet.run();
    fleet.state = stateOf({ "web-01": {}, "web-02": {}, "web-03": {}, "desk-01": { class: "desktop" } }, {});
    return fleet;
  },
  "escapes-and-lost-proof": () => {
    const fleet = fleetOf({ ...FOUR, "db-01": has({ class: "database" }) });
    fleet.run({ fails: (_, node) => node === "web-01" });
    fleet.signal("role:edge", { signal: "skip", nodes: ["web-01"], reason: "its disk is being replaced" });
    fleet.signal("role:edge", { signal: "force", reason: "known to be the disk" });
    fleet.signal("role:edge", { signal: "rollback" });
    fleet.run({ at: "2026-11-30T09:05:00Z" });
    const digest = fleet.planOf("role:edge").unit.targets[0]?.digest ?? "";
    const lost = report({ node: "web-02", digests: { "role:edge": digest }, items: [item({ host: "web-02" })] });
    fleet.record = {
      ...fleet.record,
      reports: new Map([["web-02", lost]]),
      damaged: [{ path: "nodes/ab/db-02/state.json", message: "it is not JSON" }],
    };
    return fleet;
  },
  "300-nodes": () => {
    const names = Array.from({ length: 300 }, (_, index) => `web-${String(index + 1).padStart(3, "0")}`);
    const nodes = Object.fromEntries([...names.map((node) => [node, has()]), ["desk-01", has({ class: "desktop" })]]);
    const fleet = fleetOf(nodes);
    fleet.run({ budget: 150, fails: (_, node) => node.endsWith("7") && node !== "web-007" });
    const failing = {
      failing_since: "2026-11-30T09:14:00Z",
      outcome: "unreachable",
      message: "connection timed out",
    } as const;
    const silent = names.slice(200, 240).map((node) => [node, failing] as const);
    return answering(fleet, Object.fromEntries(silent));
  },
};

function drawn(fleet: SimulatedFleet, desired: Parameters<typeof boardOf>[1]["desired"] = MAIN) {
  const board = boardOf(fleet.plan(), { desired, record: fleet.record });
  const exit = boardExit(board);
  return { board, exit, text: renderBoard(board, exit, PLAIN), page: boardMarkdown(board) };
}

describe("the board", () => {
  it.each(Object.entries(SCENES))("%s", async (name, scene) => {
    const { board, text, page } = drawn(scene());
    expect(boardSchema.parse(board)).toEqual(board);
    await expect(text).toMatchFileSnapshot(`../golden/board/${name}.txt`);
    await expect(page).toMatchFileSnapshot(`../golden/board/${name}.md`);
    expect(valid(board)).toEqual([]);
  });

  it.each([
    ["mid-rollout", 1],
    ["failed-canary", 1],
    ["all-in", 0],
    ["all-declined", 1],
    ["claimed-and-declined", 1],
    ["observe-mode", 0],
    ["nothing-enforced", 1],
    ["removed-role", 1],
  ])("%s ends with exit %d", (name, exit) => {
    expect(SCENES[name] && drawn(SCENES[name]()).exit).toBe(exit);
  });

  it("has each target in exactly one of the four lists", () => {
    for (const scene of Object.values(SCENES)) {
      for (const unit of drawn(scene()).board.units) {
        const { applied, claimed, pending, not_for_me } = unit;
        const nodes = [
          ...applied,
          ...claimed,
          ...pending.map(({ node }) => node),
          ...not_for_me.map(({ node }) => node),
        ];
        expect([new Set(nodes).size, nodes.length]).toEqual([unit.targets, unit.targets]);
      }
    }
  });

  it("as a page is byte-equal when nodes were merely read again, or failed again with other words", () => {
    const fleet = SCENES.down?.() as SimulatedFleet;
    const before = drawn(fleet);
    const failing = (message: string) =>
      ({ failing_since: "2026-11-30T09:14:00Z", outcome: "unreachable", message }) as const;
    const again = { observed_at: "2026-11-30T09:15:00Z" };
    answering(fleet, {
      "web-01": again,
      "desk-01": again,
      "web-02": failing("timed out"),
      "web-03": failing("timed out"),
    });
    fleet.record = { ...fleet.record, commit: "9".repeat(40) };
    const after = drawn(fleet, { ...MAIN, commit: "4".repeat(40) });
    expect(after.page).toBe(before.page);
    expect(after.text).not.toBe(before.text);
  });

  it("says whose wishes it is about", () => {
    const fleet = SCENES["all-in"]?.() as SimulatedFleet;
    expect(drawn(fleet, { ...MAIN, unmerged: true }).text).toContain("besides origin/main is not in here");
    const tree = { source: "working-tree", branch: null, commit: null, unmerged: true } as const;
    expect(drawn(fleet, tree).text).toContain("nobody reviewed");
  });

  it("sends nothing of what others wrote to the terminal, and makes no mention, link or table of it on a page", () => {
    const evil = "x\u001b[2J @octocat [a](http://evil.example) | `<img src=x>` #12";
    const declines = [{ unit: "role:edge", reason: evil, ...SAID }];
    const { text, page } = drawn(fleetOf({ "web-01": has({ declines }), "web-02": has() }));
    expect(text).toContain("x\\x1b[2J @octocat");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(`${text}${page}`).not.toMatch(/\u001b/);
    expect(page).toContain("@\u200boctocat \\[a\\](http:\u200b//evil.example) \\| \\`\\<img src=x\\>\\` #\u200b12");
  });

  it("paints, and says the same", () => {
    const { board, exit, text } = drawn(SCENES["escapes-and-lost-proof"]?.() as SimulatedFleet);
    const wrap = (inner: string) => `<${inner}>`;
    const painted = renderBoard(board, exit, {
      bold: wrap,
      dim: wrap,
      red: wrap,
      green: wrap,
      yellow: wrap,
      cyan: wrap,
    });
    expect(painted).toContain("<ESCAPE    >");
    expect(painted.replaceAll(/[<>]/g, "")).toBe(text);
  });
});

it("each golden file is of a scene", () => {
  const files = readdirSync("test/golden/board").sort();
  expect(files).toEqual(
    Object.keys(SCENES)
      .flatMap((name) => [`${name}.md`, `${name}.txt`])
      .sort(),
  );
});

const schema = JSON.parse(readFileSync("schemas/board.v1.json", "utf8"));

/** By the schema that other languages' tools use. */
function valid(board: unknown): unknown {
  const ajv = new Ajv({ allErrors: true, strict: false });
  (addFormats as unknown as (target: Ajv) => void)(ajv);
  const validate = ajv.compile(schema);
  return validate(board) ? [] : validate.errors;
}
