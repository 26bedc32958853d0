import { describe, expect, it } from "vitest";
import { FORGE_BODY_LIMIT } from "../../src/model/forge.ts";
import { planComment } from "../../src/render/plan-comment.ts";
import { planSummary } from "../../src/render/plan-summary.ts";
import { documentOf, expectGolden, FRAME, largeStory } from "./plan-comment-story.ts";

describe("a plan of a thousand nodes", () => {
  it("is over the limit of a comment, which keeps what is to be decided; the summary has more", async () => {
    const document = await documentOf(largeStory(1000));
    expect(planComment(document, FRAME, 10_000_000).length).toBeGreaterThan(FORGE_BODY_LIMIT);
    const text = planComment(document, FRAME, FORGE_BODY_LIMIT);
    expectGolden("thousand-nodes", text);
    expect(text).toContain("Shortened to fit");
    expect(text.length).toBeLessThanOrEqual(FORGE_BODY_LIMIT);
    expect(planSummary(document, FRAME, [])).toContain("**1250 change · 20 remove**");
    const least = planComment(document, FRAME, 4000);
    expect(least).toContain("**Removes** `file:/etc/old.conf` from ");
    expect(least).toContain("**1250 change · 20 remove**");
  });
});
