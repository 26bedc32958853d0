import { describe, expect, it } from "vitest";
import { textContent } from "../../src/model/text-content.ts";
import { mergeFence } from "../../src/plan/merge-fence.ts";
import type { Lineage } from "../../src/ports.ts";

// A history is a line of merges, newest last: what each has for content, and the number in its fleet.yaml.
interface Merge {
  readonly content: string;
  readonly generation: number | null;
}

const id = (index: number): string => `${index}`.padStart(40, "0");
const fleet = ({ generation }: Merge) =>
  textContent(`version: 2\n${generation === null ? "" : `generation: ${generation}\n`}`);
const is = (content: string, generation: number | null): Merge => ({ content, generation });

/** What git says of the newest commit of such a line, when the one at `recorded` was reconciled last. */
function fence(line: readonly Merge[], recorded: number | null, over: Partial<Lineage> = {}) {
  const differs = (index: number) => JSON.stringify(line[index]) !== JSON.stringify(line[index - 1]);
  const newest = line.findLastIndex((_merge, index) => index === 0 || differs(index));
  const [head, at, parent] = [line.at(-1), line[newest], line[newest - 1]];
  if (head === undefined || at === undefined) throw new Error("no history");
  const before = recorded === null ? undefined : line[recorded];
  const lineage: Lineage = {
    shallow: false,
    descends: true,
    same: JSON.stringify(before) === JSON.stringify(head),
    newest: { commit: id(newest), fleetFile: fleet(at), parentFleetFile: parent && fleet(parent) },
    ...over,
  };
  const last =
    before === undefined ? null : { v: 1 as const, generation: before.generation ?? 1, commit: id(recorded ?? 0) };
  return mergeFence(lineage, { generation: head.generation ?? 1, commit: id(line.length - 1) }, last);
}

describe("the fence at a merge", () => {
  it.each<[string, readonly Merge[], number | null]>([
    ["the first commit of a fleet", [is("a", 1)], null],
    ["the first run on a fleet with a history", [is("a", 1), is("b", 2)], null],
    ["the merge that gave a fleet its first number", [is("a", null), is("a", 1)], null],
    ["a raise", [is("a", 42), is("b", 43)], 0],
    ["a gap in the numbers", [is("a", 42), is("b", 57)], 0],
    ["several merges since, each raised", [is("a", 42), is("b", 43), is("c", 44)], 0],
    ["a raise after two merges with one number", [is("a", 42), is("b", 43), is("c", 43), is("c", 44)], 0],
    ["a raise after one of two with one number was reconciled", [is("a", 43), is("b", 43), is("b", 44)], 0],
    ["a scheduled run on what was reconciled", [is("a", 42), is("b", 43)], 1],
    ["a scheduled run on what was let through before it was wrong", [is("a", 43), is("b", 43)], 1],
    ["a commit that touches no desired file", [is("a", 42), is("b", 43), is("b", 43)], 1],
  ])("lets %s pass", (_what, line, recorded) => {
    expect(fence(line, recorded)).toBeNull();
  });

  it.each<[string, readonly Merge[], number | null, string]>([
    ["two merges with one number", [is("a", 42), is("b", 43), is("c", 43)], 0, "--generation 43"],
    [
      "two merges with one number, the first of them reconciled",
      [is("a", 42), is("b", 43), is("c", 43)],
      1,
      "--generation 43",
    ],
    ["two merges with one number before the first run", [is("a", 43), is("b", 43)], null, "--generation 43"],
    ["a merge that raised nothing", [is("a", 42), is("b", 42)], 0, "--generation 42"],
    ["a revert that lowers the number", [is("a", 42), is("b", 43), is("a", 42)], 1, "--generation 42 --above 43"],
    [
      "a raise after a fall, still below what was reconciled",
      [is("a", 50), is("b", 42), is("c", 43)],
      0,
      "--generation 43 --above 50",
    ],
  ])("stops %s", (_what, line, recorded, bump) => {
    const refusal = fence(line, recorded);
    expect(refusal?.code).toBe("stale-generation");
    expect(refusal?.hint).toBe(`Run: rollcall generation bump ${bump}`);
  });

  it("names the merge that did it", () => {
    expect(fence([is("a", 42), is("b", 43), is("c", 43)], 0)?.message).toContain(`${id(2).slice(0, 12)} changed`);
  });

  it("stops what does not descend, even with the same content, and says how it descends again", () => {
    const refusal = fence([is("a", 42), is("a", 42)], 0, { descends: false });
    expect(refusal).toMatchObject({ code: "not-descending", hint: `Run: git merge ${id(0)}` });
  });

  it("stops where the clone cannot tell, before anything else", () => {
    expect(fence([is("a", 42), is("b", 43)], 0, { shallow: true, descends: false })?.code).toBe("shallow-clone");
  });

  it("lets a fleet pass that has no desired files yet", () => {
    expect(fence([is("a", 1)], null, { newest: null })).toBeNull();
  });
});
