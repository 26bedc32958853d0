import { describe, expect, it } from "vitest";
import { COMMIT, desired, fails, NAMES, World } from "./apply-world.ts";

describe("an apply of what is new", () => {
  it("goes in waves: a canary, one of another class, the rest, and records what each node proved", async () => {
    const world = new World();
    const result = await world.applied(desired("one\n"));
    expect(result.said).toEqual(["a converged", "b converged", "c converged", "d converged"]);
    expect(result).toMatchObject({ held: [], stopped: null, unrecorded: [] });
    expect(world.events().filter((event) => /^(wave-started|node-succeeded)/.test(event))).toEqual([
      "wave-started 0",
      "node-succeeded a",
      "wave-started 1",
      "node-succeeded d",
      "wave-started 2",
      "node-succeeded b",
      "node-succeeded c",
    ]);
    expect(NAMES.map((name) => [world.marker(name)?.grade, world.marker(name, "role:base")?.commit])).toEqual(
      NAMES.map(() => ["transition", COMMIT]),
    );
    expect(result.reports.map(({ host, stage }) => `${host} ${stage}`)).toEqual(
      NAMES.flatMap((name) => [`${name} before`, `${name} after`]),
    );
    expect(result.reports[0]?.items.map(({ resource }) => resource.id)).toEqual(["file:/etc/base", "file:/etc/site"]);
  });

  it("stops at a canary that fails: nobody else gets it, and they say why", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    const result = await world.applied(desired("two\n"), NAMES, { faults: [fails("a")] });
    expect(result.said).toEqual(["a unreachable", "b not-converged", "c not-converged", "d not-converged"]);
    expect(result.outcomes[1]?.message).toContain("role:web is held back: its rollout is paused");
    expect(world.sites).toEqual(["one\n", "one\n", "one\n", "one\n"]);
    expect(result.held.map(({ node, unit }) => `${node} ${unit}`)).toContain("b role:web");
  });

  it("mends what else differs on nodes whose unit is held back, and nothing of that unit", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    world.byHand("b", "by hand\n", "/etc/base");
    await world.applied(desired("two\n"), NAMES, { faults: [fails("a")] });
    expect(world.site("b", "/etc/base")).toBe("base\n");
    expect(world.site("b")).toBe("one\n");
  });

  it("of nodes whose wave has not come is refused, and names who must come first; then their turn comes", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    const two = desired("two\n");
    expect(await world.apply(two, ["b"])).toMatchObject({
      kind: "refused",
      first: ["a"],
      held: [{ node: "b", unit: "role:web" }],
    });
    expect(world.site("b")).toBe("one\n");
    expect((await world.applied(two, ["a", "b"])).said).toEqual(["a converged", "b not-converged"]);
    expect(world.sites).toEqual(["two\n", "one\n", "one\n", "one\n"]);
    expect(await world.apply(two, ["b"])).toMatchObject({ kind: "refused", first: ["d"] });
    expect((await world.applied(two, ["d"])).said).toEqual(["d converged"]);
    expect((await world.applied(two, ["b"])).said).toEqual(["b converged"]);
    expect(world.sites).toEqual(["two\n", "two\n", "one\n", "two\n"]);
    expect((await world.applied(two)).said).toEqual(NAMES.map((name) => `${name} converged`));
  });

  it("that is safe needs no canary", async () => {
    const world = new World();
    await world.applied(desired("one\n", { risk: "safe" }), ["c"]);
    expect(world.sites).toEqual([null, null, "one\n", null]);
  });

  it("past all waves is an escape: it is made so at once, and the record says what was proved", async () => {
    const world = new World();
    const result = await world.applied(desired("mine\n"), ["b", "c"], { commit: null });
    expect(result.said).toEqual(["b converged", "c converged"]);
    expect(world.sites).toEqual([null, "mine\n", "mine\n", null]);
    expect([world.marker("b")?.commit, world.marker("b")?.grade, world.events()]).toEqual([null, "transition", []]);
  });
});

describe("an apply of what was proved", () => {
  it("mends at once what changed on a node, whether the record knows of it or not", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    world.byHand("c", "by hand\n");
    const result = await world.applied(desired("one\n"), ["c"]);
    expect([result.said, world.site("c")]).toEqual([["c converged"], "one\n"]);
    expect(result.reports.map(({ stage, items }) => [stage, items.length])).toEqual([
      ["before", 1],
      ["after", 0],
    ]);
  });

  it("changes nothing, and commits nothing, when there is nothing to do", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    const commits = world.refs.observed.commits.length;
    expect((await world.applied(desired("one\n"))).said).toEqual(NAMES.map((name) => `${name} converged`));
    expect(world.refs.observed.commits.length).toBe(commits);
  });

  it("leaves alone what a node declines or claims", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    for (const name of ["b", "c"]) world.byHand(name, "by hand\n");
    const word = { unit: "role:web", by: "y", at: "2026-01-01" };
    const nodes = { b: { declines: [{ ...word, reason: "x" }] }, c: { claims: [{ ...word, note: "x" }] } };
    const result = await world.applied(desired("one\n", { nodes }));
    expect(world.sites).toEqual(["one\n", "by hand\n", "by hand\n", "one\n"]);
    expect(result.held).toEqual([]);
  });

  it("of one role looks at that role", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    world.byHand("b", "by hand\n");
    await world.applied(desired("one\n"), NAMES, { roles: ["base"] });
    expect(world.site("b")).toBe("by hand\n");
    await world.applied(desired("one\n"), NAMES, { roles: ["web"] });
    expect(world.site("b")).toBe("one\n");
  });
});

describe("a down verdict", () => {
  const down = { reason: "psu", by: "y", since: "1970-01-01T00:00:00Z", recheck: "false" };

  it("keeps a node back unless it is named, which is said", async () => {
    const world = new World();
    const state = desired("one\n", { nodes: { b: { down } } });
    const result = await world.applied(state);
    expect(result.said).toEqual(["a converged", "b skipped", "c converged", "d converged"]);
    expect([world.site("b"), result.down, result.despiteVerdict]).toEqual([null, ["b"], []]);
    const named = await world.applied(state, ["b"], { named: true });
    expect([named.said, named.despiteVerdict, world.site("b")]).toEqual([["b converged"], ["b"], "one\n"]);
  });
});

describe("the record", () => {
  it("that another run took over ends the apply, and what was done is named", async () => {
    const world = new World();
    await world.applied(desired("one\n"));
    for (const name of NAMES) world.byHand(name, "by hand\n");
    const result = await world.applied(desired("one\n"), NAMES, {
      store: [{ on: "keep", nth: 1, fault: "lock-lost", by: "other" }],
    });
    expect(result.stopped).toMatchObject({ reason: "lock-lost" });
    expect(world.sites.filter((site) => site === "by hand\n").length).toBeGreaterThan(0);
  });

  it("that takes nothing is said with the nodes", async () => {
    const world = new World();
    const result = await world.applied(desired("one\n"), NAMES, {
      commit: null,
      store: [{ on: "record", fault: "refused", message: "no" }],
    });
    expect(result).toMatchObject({ stopped: { reason: "unrecorded" }, unrecorded: NAMES });
  });
});
