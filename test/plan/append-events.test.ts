import { describe, expect, it } from "vitest";
import { appendEvents } from "../../src/plan/append-events.ts";
import { readSegments } from "../../src/plan/read-segments.ts";
import type { ObservedFiles } from "../../src/ports.ts";
import { created, DIGEST, fail, STARTED, UNIT, unplaced } from "./rollout-log.ts";

const FOLDER = `rollouts/role/edge/${DIGEST.slice(0, 12)}`;
const files = (texts: Readonly<Record<string, string>>): ObservedFiles => ({
  commit: null,
  paths: Object.keys(texts).sort(),
  read: (path) => texts[path],
});
const append = (texts: Readonly<Record<string, string>>, run = "run-1", bodies = [STARTED]) =>
  Object.fromEntries(appendEvents(files(texts), UNIT, DIGEST, run, bodies.map(unplaced))) as Record<string, string>;
const places = (text: string | undefined) =>
  [...(text ?? "").matchAll(/"seq":(\d+)/g)].map(([, place]) => Number(place));

describe("appendEvents", () => {
  it("begins at 1 and goes on after every segment of the rollout", () => {
    const first = append({}, "run-1", [created([["a"]]), STARTED]);
    expect(places(first[`${FOLDER}/run-1.jsonl`])).toEqual([1, 2]);
    const second = append(first, "run-2");
    expect([Object.keys(second), places(second[`${FOLDER}/run-2.jsonl`])]).toEqual([[`${FOLDER}/run-2.jsonl`], [3]]);
    const third = append({ ...first, ...second }, "run-1");
    expect(places(third[`${FOLDER}/run-1.jsonl`])).toEqual([1, 2, 4]);
    const log = [...readSegments(files({ ...first, ...second, ...third }), []).values()].flat();
    expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it("does not count other rollouts, nor what a message says", () => {
    const other = { [`rollouts/role/edge/${"9".repeat(12)}/run-1.jsonl`]: '{"seq":40}\n' };
    expect(places(append(other)[`${FOLDER}/run-1.jsonl`])).toEqual([1]);
    const told = append({}, "run-1", [created([["a"]]), { ...fail("a"), message: '"seq":99' } as typeof STARTED]);
    expect(places(append(told, "run-2")[`${FOLDER}/run-2.jsonl`])).toEqual([3]);
  });

  it("leaves the places of lines that it cannot read, and begins a line of its own", () => {
    const newer = { [`${FOLDER}/run-1.jsonl`]: '{"event":"of-a-newer-version","seq":8}\n{"torn' };
    expect(append(newer)[`${FOLDER}/run-1.jsonl`]).toMatch(/\{"torn\n\{.*"seq":9/s);
    expect(places(append({ [`${FOLDER}/x.jsonl`]: "?\n?\n?\n" })[`${FOLDER}/run-1.jsonl`])).toEqual([4]);
  });

  it("writes nothing for nothing", () => expect(append({}, "run-1", [])).toEqual({}));
});
