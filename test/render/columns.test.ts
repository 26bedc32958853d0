import { describe, expect, it } from "vitest";
import { columns } from "../../src/render/columns.ts";

describe("columns", () => {
  it("stand two spaces apart, and nothing follows the last one", () => {
    const rows = [
      ["write", "file:/etc/a", "content"],
      ["start", "systemd_unit:b.service", ""],
    ];
    expect(columns(rows, "  ")).toEqual([
      "  write  file:/etc/a             content",
      "  start  systemd_unit:b.service",
    ]);
  });

  it("one very long cell does not push away what stands beside the others", () => {
    const long = `file:/srv/${"x".repeat(300)}`;
    const rows = [
      [long, "content"],
      ["file:/etc/a", "mode"],
    ];
    const [first, second] = columns(rows);
    expect(first).toBe(`${long}  content`);
    expect(second?.length).toBeLessThan(80);
  });
});
