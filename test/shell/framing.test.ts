import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Frame, frameReader, GREETING, openFrame } from "../../src/shell/framing.ts";
import { inFolder, newBoundary, pipeInto, SHELLS } from "./real-shells.ts";

const BOUNDARY = "00112233445566778899aabbccddeeff";

/** What a script prints: marks around the exact bytes of its sections. */
function printed(boundary: string, sections: readonly (readonly [string, string])[], status: number): string {
  const body = sections.map(([name, bytes]) => `\n${boundary} section ${name}\n${bytes}`).join("");
  return `\n${boundary} begin\n${body}\n${boundary} end ${status}\n`;
}

function read(answer: string, cuts: readonly number[] = []): Frame {
  const reader = frameReader(BOUNDARY);
  const places = [0, ...cuts.map((cut) => cut % (answer.length + 1)), answer.length].sort((a, b) => a - b);
  for (let i = 1; i < places.length; i++) reader.push(answer.slice(places[i - 1], places[i]));
  return reader.frame();
}

/** Bytes that try to look like the frame: newlines, the boundary's halves, the words of marks. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\n",
        "\r\n",
        "\0",
        BOUNDARY.slice(0, 16),
        `\n${BOUNDARY.slice(0, 31)}`,
        " section a\n",
        " end 0\n",
        " begin\n",
        `\n${BOUNDARY.toUpperCase()} end 0\n`,
        `\n${newBoundary()} end 0\n`,
        GREETING,
      ),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""))
  .filter((text) => !text.includes(`\n${BOUNDARY} `));

describe("frameReader", () => {
  it("gives back every byte of every section, however the answer is cut into pieces", () => {
    fc.assert(
      fc.property(
        hostile,
        fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z-]{1,8}$/), hostile), {
          selector: ([name]) => name,
          maxLength: 4,
        }),
        fc.nat(255),
        fc.array(fc.nat(), { maxLength: 8 }),
        hostile,
        (noise, sections, status, cuts, after) => {
          const frame = read(`${noise}${printed(BOUNDARY, sections, status)}${after}`, cuts);
          expect(frame.begun).toBe(true);
          expect(frame.status).toBe(status);
          expect([...frame.sections]).toEqual(sections);
        },
      ),
    );
  });

  it("cut anywhere before the end of its last mark is never complete", () => {
    const answer = printed(
      BOUNDARY,
      [
        ["a", "one\n"],
        ["b", ""],
      ],
      0,
    );
    for (let cut = 0; cut < answer.length; cut++) expect(read(answer.slice(0, cut)).status, `cut at ${cut}`).toBeNull();
    expect(read(answer).status).toBe(0);
  });

  it("takes nothing for a frame that holds another boundary", () => {
    fc.assert(
      fc.property(hostile, (noise) => {
        const frame = read(noise + printed(newBoundary(), [["a", noise]], 0));
        expect(frame.begun).toBe(false);
        expect(frame.status).toBeNull();
        expect(frame.sections.size).toBe(0);
      }),
    );
  });

  it("ignores marks before the begin mark and everything after the end mark", () => {
    const answer = `\n${BOUNDARY} section a\nearly\n${BOUNDARY} end 0\n${printed(BOUNDARY, [["a", "x"]], 3)}\n${BOUNDARY} section a\nlate`;
    expect(read(answer)).toMatchObject({ begun: true, status: 3, sections: new Map([["a", "x"]]) });
  });

  it("tells of progress as it comes, and keeps it out of the sections", () => {
    const steps: number[] = [];
    const reader = frameReader(BOUNDARY, (index) => steps.push(index));
    reader.push(`\n${BOUNDARY} begin\n\n${BOUNDARY} step 0\n`);
    expect(steps).toEqual([0]);
    reader.push(`\n${BOUNDARY} step 12\n\n${BOUNDARY} step x\n`);
    expect(steps).toEqual([0, 12]);
    expect(reader.frame().sections.size).toBe(0);
  });

  it("sees the greeting in a login shell's noise only", () => {
    expect(read(`welcome\n${GREETING}\n`, [9, 12]).greeted).toBe(true);
    expect(read("welcome\n").greeted).toBe(false);
    expect(read(printed(BOUNDARY, [["a", GREETING]], 0)).greeted).toBe(false);
  });

  it("stays linear on an answer of many megabytes in one section", () => {
    const piece = "x".repeat(32_768);
    const reader = frameReader(BOUNDARY);
    reader.push(`\n${BOUNDARY} begin\n\n${BOUNDARY} section a\n`);
    const started = performance.now();
    for (let i = 0; i < 1000; i++) reader.push(piece);
    reader.push(`\n${BOUNDARY} end 0\n`);
    expect(reader.frame().sections.get("a")?.length).toBe(32_768_000);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe.each(SHELLS)("openFrame in %s %s", (...shell) => {
  it("prints what frameReader reads", async () => {
    const boundary = newBoundary();
    const { stdout, code } = await pipeInto(
      shell,
      `${openFrame(boundary)}\nrc_section one\nprintf 'no newline'\nrc_section two\nrc_end 7\necho not reached\n`,
    );
    const reader = frameReader(boundary);
    reader.push(stdout);
    expect(reader.frame()).toEqual({
      greeted: false,
      begun: true,
      sections: new Map([
        ["one", "no newline"],
        ["two", ""],
      ]),
      status: 7,
    });
    expect(code).toBe(7);
  });
});

it("a login shell that only echoes the script produces no mark", async () => {
  const boundary = newBoundary();
  const { stdout } = await inFolder(() => pipeInto(["cat"], openFrame(boundary)));
  const reader = frameReader(boundary);
  reader.push(stdout);
  expect(reader.frame()).toMatchObject({ begun: false, status: null });
});
