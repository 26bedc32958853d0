import { describe, expect, it } from "vitest";
import { answerOf, closeServers, trial } from "./forge-fixture.ts";

const MARK = "<!-- rollcall:plan -->";
const BOT = "github-actions[bot]";

closeServers();

describe("our comment", () => {
  it("is made, found again and edited in place", async () => {
    const { forge, world } = await trial();
    const { number } = world.pull("octocat");
    const made = answerOf(await forge.createComment(number, `${MARK}\nfirst`));
    expect(made).toMatchObject({ ours: true, author: BOT });
    const found = answerOf(await forge.findComment(number, MARK));
    expect(found).toEqual(made);
    answerOf(await forge.updateComment(made.id, `${MARK}\nsecond`));
    expect([...world.comments.values()].map((one) => one.body)).toEqual([`${MARK}\nsecond`]);
  });

  it("is not the same mark by another author", async () => {
    const { forge, world } = await trial();
    world.person("mallory", "read");
    const { number } = world.pull("mallory");
    world.comment(number, "mallory", `${MARK}\nall is well`);
    expect(answerOf(await forge.findComment(number, MARK))).toBeNull();
    expect(answerOf(await forge.comments(number))).toMatchObject([{ author: "mallory", ours: false }]);
  });

  it("is not a quotation of the mark, nor a longer mark", async () => {
    const { forge, world } = await trial();
    const { number } = world.pull("octocat");
    world.comment(number, BOT, `answer\n${MARK}\nquoted`);
    world.comment(number, BOT, `${MARK}-other\nlonger`);
    expect(answerOf(await forge.findComment(number, MARK))).toBeNull();
  });

  it("is found past a hundred comments, and the oldest of two counts", async () => {
    const { forge, world } = await trial();
    const { number } = world.pull("octocat");
    for (let index = 0; index < 205; index++) world.comment(number, "octocat", `talk ${index}`);
    const oldest = world.comment(number, BOT, MARK);
    world.comment(number, BOT, MARK);
    expect(answerOf(await forge.findComment(number, MARK))?.id).toBe(oldest.id);
    expect(answerOf(await forge.comments(number))).toHaveLength(207);
  });

  it("is a person's where the token is", async () => {
    const { forge, world } = await trial({ login: "octocat" });
    const { number } = world.pull("octocat");
    world.comment(number, BOT, MARK);
    const mine = world.comment(number, "octocat", MARK);
    expect(answerOf(await forge.findComment(number, MARK))?.id).toBe(mine.id);
  });

  it("tells when somebody deleted it, and deletes what is gone", async () => {
    const { forge, world } = await trial();
    const { number } = world.pull("octocat");
    const made = answerOf(await forge.createComment(number, MARK));
    world.comments.delete(made.id);
    expect(await forge.updateComment(made.id, "again")).toMatchObject({ kind: "failed", code: "not-found" });
    expect(await forge.deleteComment(made.id)).toEqual({ kind: "ok", value: null });
  });

  it("is told on a closed pull request too, and not on a deleted or locked issue", async () => {
    const { forge, world } = await trial();
    const closed = world.pull("octocat", { merged: true }, { state: "closed" });
    answerOf(await forge.createComment(closed.number, MARK));
    const deleted = world.issue(BOT, { deleted: true });
    expect(await forge.createComment(deleted.number, MARK)).toMatchObject({ code: "gone" });
    const locked = world.issue(BOT, { locked: true });
    expect(await forge.createComment(locked.number, MARK)).toMatchObject({ code: "forbidden" });
  });

  it("holds 65,536 characters and no more", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    const made = answerOf(await forge.createComment(number, "x".repeat(65_536)));
    const before = github.requests.length;
    expect(await forge.createComment(number, "x".repeat(65_537))).toMatchObject({ code: "too-large" });
    expect(await forge.updateComment(made.id, "x".repeat(65_537))).toMatchObject({ code: "too-large" });
    expect(github.requests).toHaveLength(before);
  });

  it("gets a reaction, once", async () => {
    const { forge, world } = await trial();
    const { number } = world.pull("octocat");
    const { id } = world.comment(number, "octocat", "/rollcall plan --live");
    answerOf(await forge.react(id, "eyes"));
    answerOf(await forge.react(id, "eyes"));
    expect(world.reactions).toEqual([{ comment: id, login: BOT, content: "eyes" }]);
    expect(await forge.react(1, "eyes")).toMatchObject({ code: "not-found" });
  });
});

describe("a comment whose answer was lost", () => {
  it.each(["lost", "truncated"] as const)("is not made twice (%s)", async (kind) => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    github.fault({ on: "issues/create-comment", kind });
    const made = answerOf(await forge.createComment(number, MARK));
    expect([...world.comments.keys()]).toEqual([made.id]);
  });

  it("is not made twice when the answer was a 502", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    github.fault({ on: "issues/create-comment", kind: "answer", status: 502, done: true });
    answerOf(await forge.createComment(number, MARK));
    expect(world.comments.size).toBe(1);
  });

  it("is made again when it surely is not there, though one like it is from before", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    world.comment(number, BOT, MARK);
    world.comment(number, "octocat", MARK);
    world.now += 600_000;
    github.fault({ on: "issues/create-comment", kind: "reset" });
    answerOf(await forge.createComment(number, MARK));
    expect(world.comments.size).toBe(3);
  });

  it("is left when nobody can say", async () => {
    const { forge, world, github } = await trial();
    const { number } = world.pull("octocat");
    github.fault({ on: "issues/create-comment", kind: "lost" });
    github.fault({ on: "issues/list-comments", kind: "reset", times: 99 });
    expect(await forge.createComment(number, MARK)).toMatchObject({ code: "network" });
    expect(github.requests.filter((one) => one === "issues/create-comment")).toHaveLength(1);
  });
});
