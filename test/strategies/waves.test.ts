import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Candidate, WavePolicy, WaveState } from "../../src/strategies/contract.ts";
import { STRATEGIES, strategy } from "../../src/strategies/index.ts";

const PLAIN: WavePolicy = { canary: null, concurrent: false };
const waves = (candidates: readonly Candidate[], policy: Partial<WavePolicy> = {}) =>
  strategy("waves").waves(candidates, { ...PLAIN, ...policy }, "seed");

function node(name: string, more: Partial<Candidate> = {}): Candidate {
  return {
    node: name,
    action: "converge",
    digest: "d".repeat(64),
    class: "headless-server",
    os: "linux",
    down: false,
    observedAt: "2026-11-29T06:00:00Z",
    silent: false,
    ...more,
  };
}

const db = (name: string, more: Partial<Candidate> = {}) => node(name, { class: "database", ...more });

describe("waves", () => {
  it("takes a canary of the majority class and OS, then a node of another class, then the rest", () => {
    const { waves: list, reasons } = waves([node("web-03"), db("db-01"), node("web-02"), node("web-04")]);
    expect(list).toEqual([["web-02"], ["db-01"], ["web-03", "web-04"]]);
    expect(reasons.canary).toBe(
      "web-02: of the majority class headless-server on linux (3 of 4), last answered 2026-11-29 06:00 UTC",
    );
    expect(reasons.second_look).toEqual({
      missing: false,
      why: "db-01: database on linux, last answered 2026-11-29 06:00 UTC",
    });
    expect(reasons.warnings).toEqual([]);
  });

  it("takes another OS for the second look where there is no other class", () => {
    expect(waves([node("a"), node("b"), node("m", { os: "macos" })]).waves).toEqual([["a"], ["m"], ["b"]]);
  });

  it("prefers another class to only another OS, and who answers to both", () => {
    const mac = node("m", { os: "macos" });
    expect(waves([node("a"), node("b"), mac, db("z")]).waves[1]).toEqual(["z"]);
    expect(waves([node("a"), node("b"), mac, db("z", { silent: true })]).waves[1]).toEqual(["m"]);
  });

  it("says loudly that the second look is missing", () => {
    const { waves: list, reasons } = waves([node("a"), node("b"), node("c")]);
    expect(list).toEqual([["a"], ["b", "c"]]);
    expect(reasons.second_look).toEqual({
      missing: true,
      why: "no other class or OS among 3 nodes: all are headless-server on linux",
    });
    expect(waves([node("a")]).reasons.second_look).toEqual({ missing: true, why: "nobody but a is to change" });
    const other = waves([node("a"), node("b"), db("z", { down: true })]).reasons.second_look;
    expect(other).toEqual({ missing: true, why: "what is of another class or OS is down: z" });
  });

  it("takes a canary that answered lately, whatever its name", () => {
    const silent = node("a", { silent: true });
    expect(waves([silent, node("b", { observedAt: null }), node("c")]).waves[0]).toEqual(["c"]);
    const hushed = waves([silent, node("b", { observedAt: null })]);
    expect(hushed.waves[0]).toEqual(["a"]);
    expect(hushed.reasons.warnings).toEqual(["the canary a has been silent since it answered 2026-11-29 06:00 UTC"]);
  });

  it("has the same waves when a node answered an hour later", () => {
    const later = [node("a"), node("b", { observedAt: "2026-11-29T07:00:00Z" }), db("z")];
    expect(waves(later).waves).toEqual(waves([node("a"), node("b"), db("z")]).waves);
  });

  it("breaks a tie between classes by who answers, then by name, and says so", () => {
    const tie = waves([node("a"), db("z")]);
    expect(tie.waves).toEqual([["z"], ["a"]]);
    expect(tie.reasons.canary).toContain(
      "(1 of 2), as large as headless-server and taken because it comes first by name",
    );
    const fresh = waves([node("a"), db("z", { silent: true })]);
    expect(fresh.waves).toEqual([["a"], ["z"]]);
    expect(fresh.reasons.canary).toContain("as large as database and taken because more of it answered lately");
  });

  it("lets the author name the canary", () => {
    const named = waves([node("a"), node("b"), db("z")], { canary: "z" });
    expect(named.waves).toEqual([["z"], ["a"], ["b"]]);
    expect(named.reasons.canary).toMatch(/^z: named by the author; database on linux \(1 of 3\), last answered/);
  });

  it.each([
    [
      "is not to change now",
      "q",
      "the canary that the author named, q, is not among the nodes to change now: a goes first instead",
    ],
    ["is down", "b", "the canary that the author named, b, is down: a goes first instead"],
  ])("says so when the named canary %s", (_what, canary, warning) => {
    const { waves: list, reasons } = waves([node("a"), node("b", { down: true })], { canary });
    expect([list[0], reasons.warnings]).toEqual([["a"], [warning]]);
  });

  it("puts two of one kind first when races matter", () => {
    const { waves: list, reasons } = waves([node("a"), db("d"), node("b"), node("c")], { concurrent: true });
    expect(list).toEqual([["a", "b"], ["d"], ["c"]]);
    expect(reasons.canary).toContain("; and b at the same time");
    expect(reasons.warnings).toEqual([]);
  });

  it("says loudly when two cannot go first, or only two of different kinds", () => {
    expect(waves([node("a")], { concurrent: true })).toMatchObject({
      waves: [["a"]],
      reasons: { warnings: [expect.stringContaining("a is alone")] },
    });
    const mixed = waves([node("a"), db("z")], { concurrent: true, canary: "a" });
    expect(mixed.waves).toEqual([["a", "z"]]);
    expect(mixed.reasons.warnings).toEqual([expect.stringContaining("no second headless-server on linux")]);
    expect(mixed.reasons.second_look.missing).toBe(true);
  });

  it("keeps who is down for last, unless there is nobody else", () => {
    const list = waves([node("a", { down: true }), node("c"), db("d", { down: true }), node("b")]).waves;
    expect(list).toEqual([["b"], ["c", "a", "d"]]);
    const all = waves([node("b", { down: true }), node("a", { down: true })]);
    expect(all.waves).toEqual([["a"], ["b"]]);
    expect(all.reasons.warnings).toEqual([expect.stringContaining("every candidate is down")]);
  });
});

const candidate = (name: string): fc.Arbitrary<Candidate> =>
  fc
    .record({
      class: fc.constantFrom("web", "db", "desktop"),
      os: fc.constantFrom("linux", "macos"),
      down: fc.boolean(),
      observedAt: fc.constantFrom(null, "2026-11-29T06:00:00Z"),
      silent: fc.boolean(),
    })
    .map((facts) => node(name, facts));

const fleet = fc
  .uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 12 })
  .chain((names) => fc.tuple(...names.map(candidate)));
const policy = fc.record({
  canary: fc.option(fc.stringMatching(/^[a-z]{1,3}$/), { nil: null }),
  concurrent: fc.boolean(),
});

describe("every strategy, of any fleet", () => {
  it.each(STRATEGIES.map((one) => [one.name, one] as const))(
    "%s has each candidate in exactly one wave",
    (_name, one) => {
      fc.assert(
        fc.property(fleet, policy, (candidates, wish) => {
          const { waves: list } = one.waves(candidates, wish, "seed");
          expect([...list.flat()].sort()).toEqual(candidates.map((each) => each.node).sort());
          expect(list.every((wave) => wave.length > 0)).toBe(true);
        }),
      );
    },
  );

  it.each(STRATEGIES.map((one) => [one.name, one] as const))("%s does not mind their order", (_name, one) => {
    const shuffled = fleet.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, policy, ([candidates, other], wish) => {
        expect(one.waves(other, wish, "seed")).toEqual(one.waves(candidates, wish, "seed"));
      }),
    );
  });

  it("waves begins with the largest class that can be attempted, and looks again at something else", () => {
    fc.assert(
      fc.property(fleet, policy, (all, { concurrent }) => {
        const up = all.some(({ down }) => !down) ? all.filter(({ down }) => !down) : all;
        const { waves: list, reasons } = waves(all, { concurrent });
        const of = (name: string | undefined) => all.find((each) => each.node === name) as Candidate;
        const canary = of(list[0]?.[0]);
        const count = (kind: string) => up.filter((each) => each.class === kind).length;
        expect(up).toContain(canary);
        for (const kind of new Set(up.map((each) => each.class)))
          expect(count(canary.class)).toBeGreaterThanOrEqual(count(kind));
        const like = (each: Candidate) => each.class === canary.class && each.os === canary.os;
        if (concurrent && up.filter(like).length > 1) expect(list[0]?.map(of).every(like)).toBe(true);
        expect(list[0]).toHaveLength(concurrent && up.length > 1 ? 2 : 1);
        if (!reasons.second_look.missing) {
          expect(list[1]).toHaveLength(1);
          expect(like(of(list[1]?.[0]))).toBe(false);
          expect(up).toContain(of(list[1]?.[0]));
        } else if (!concurrent) expect(up.every(like)).toBe(true);
      }),
    );
  });

  it("waves has nobody who is down before somebody who is not", () => {
    fc.assert(
      fc.property(fleet, policy, (all, wish) => {
        const down = waves(all, wish)
          .waves.flat()
          .map((name) => all.find((each) => each.node === name)?.down);
        expect(down).toEqual([...down].sort((a, b) => Number(a) - Number(b)));
      }),
    );
  });
});

type State = WaveState["nodes"][number]["state"];
const seen = (...list: readonly (readonly State[])[]): WaveState[] =>
  list.map((states, wave) => ({ nodes: states.map((state, index) => ({ node: `n${wave}${index}`, state })) }));

describe("the gate of waves", () => {
  const gate = (next: "wave" | "completion", ...list: readonly (readonly State[])[]) =>
    strategy("waves").gate(seen(...list), next);

  it.each<[string, State[][]]>([
    ["all applied", [["applied"], ["applied"]]],
    ["applied, and one who declines", [["applied", "not-for-me"]]],
    ["applied, and one skipped", [["applied", "skipped"]]],
  ])("opens: %s", (_what, list) => expect(gate("wave", ...list)).toEqual({ open: true }));

  it.each<[string, State[][], string]>([
    ["a canary that failed", [["failed"]], "wave 1: n00 failed"],
    ["a canary that declines opens nothing", [["not-for-me"]], "wave 1: nobody applied it; n00 declines it"],
    ["a canary that was skipped opens nothing", [["skipped"]], "wave 1: nobody applied it; n00 was skipped"],
    ["a claim never opens it", [["applied", "claimed"]], "wave 1: n01 is only claimed, which nobody's machine read"],
    ["one that is at work", [["applied"], ["open"]], "wave 2: n10 is not through yet"],
    ["a second look that nobody took", [["applied"], ["skipped"]], "wave 2: nobody applied it; n10 was skipped"],
    ["an earlier wave, whatever the later says", [["failed"], ["applied"]], "wave 1: n00 failed"],
    ["nobody at all", [[]], "wave 1: nobody applied it; it has no nodes"],
  ])("stays shut: %s", (_what, list, why) => expect(gate("wave", ...list)).toEqual({ open: false, why }));

  it("calls it completed when the last wave was all down, and not when anybody failed or nobody applied", () => {
    expect(gate("completion", ["applied"], ["skipped", "skipped"])).toEqual({ open: true });
    expect(gate("completion", ["applied"], ["failed"])).toEqual({ open: false, why: "wave 2: n10 failed" });
    expect(gate("completion", ["skipped"], ["not-for-me"])).toMatchObject({ open: false });
    expect(strategy("safe").gate(seen(["applied", "open"]), "completion")).toMatchObject({ open: false });
    expect(strategy("safe").gate(seen(["applied", "skipped"]), "completion")).toEqual({ open: true });
  });

  it("opens only when every wave has proof and no doubt", () => {
    const state = fc.constantFrom<State>("applied", "not-for-me", "claimed", "failed", "skipped", "open");
    fc.assert(
      fc.property(fc.array(fc.array(state, { maxLength: 4 }), { minLength: 1, maxLength: 4 }), (list) => {
        const proved = list.every((wave) => wave.includes("applied"));
        const doubt = list.flat().some((one) => one === "failed" || one === "open" || one === "claimed");
        expect(gate("wave", ...list).open).toBe(proved && !doubt);
      }),
    );
  });
});

describe("ten thousand nodes", () => {
  it("have waves in no time", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => node(`n${index}`, { class: `c${index % 7}` }));
    const started = performance.now();
    expect(waves(many).waves.map((wave) => wave.length)).toEqual([1, 1, 9998]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
