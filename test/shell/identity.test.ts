import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pendingFile, pendingLine } from "../../src/shell/pending-record.ts";
import { parseIdentity, renderIdentity } from "../../src/shell/questions/identity.ts";
import { tryObserve } from "./change-trial.ts";
import { answerOf, inFolder, SHELLS } from "./real-shells.ts";

const MACHINE_ID = "/etc/machine-id";

describe.each(SHELLS)("the identity question in %s %s", (...shell) => {
  it("on a node that no run has been to", () =>
    inFolder(async (folder) => {
      const facts = await tryObserve(shell, `${folder}/state`);
      expect(facts).toMatchObject({ fence: null, busy: false, lastRun: null, pending: new Map() });
      expect(facts.identity.kernel).toBe("Linux");
    }));

  it.each([
    ["as systemd writes it", "0123456789abcdef0123456789abcdef\n"],
    ["without its newline", "0123456789abcdef0123456789abcdef"],
    ["before the first boot", "uninitialized\n"],
    ["empty", ""],
    ["of two lines, odd bytes and no end", "a b\\n \xe9\n\n x"],
  ])("hashes the machine id's exact bytes: %s", (_what, content) =>
    inFolder(async (folder) => {
      writeFileSync(`${folder}/machine-id`, content, "latin1");
      const body = renderIdentity().replaceAll(MACHINE_ID, `${folder}/machine-id`);
      const { frame } = await answerOf(shell, body, folder);
      const sha256 = createHash("sha256").update(content, "latin1").digest("hex");
      expect(parseIdentity(frame.sections).identity.machineId).toBe(sha256);
    }),
  );

  it("knows a machine id that is not there from one that is empty", () =>
    inFolder(async (folder) => {
      const body = renderIdentity().replaceAll(MACHINE_ID, `${folder}/nothing`);
      expect(parseIdentity((await answerOf(shell, body, folder)).frame.sections).identity.machineId).toBeNull();
    }));

  it("reads fence and pending records, and leaves out what is none", () =>
    inFolder(async (folder) => {
      mkdirSync(`${folder}/pending`);
      const unit = { name: "web.service", user: null };
      const record = { how: "restart", because: ["file:/etc/x"] } as const;
      writeFileSync(`${folder}/${pendingFile(unit)}`, `${pendingLine(unit, record)}\n`);
      writeFileSync(`${folder}/pending/+torn.service.new`, pendingLine({ ...unit, name: "torn.service" }, record));
      writeFileSync(`${folder}/pending/+junk.service`, "junk\n");
      writeFileSync(`${folder}/fence`, "12 run-1\n");
      writeFileSync(`${folder}/last`, "../../etc\n");
      expect(await tryObserve(shell, folder)).toMatchObject({
        fence: { epoch: 12, runId: "run-1" },
        pending: new Map([["web.service", record]]),
        lastRun: null,
      });
    }));

  it.each([
    "",
    "x run",
    "12",
    "12 a b",
    "012 run",
    "1234567890123456 run",
    "-1 run",
    "1 .run",
    "1 r/n",
    `1 ${"r".repeat(101)}`,
  ])("takes %j for no fence, on the node and off it", (content) =>
    inFolder(async (folder) => {
      writeFileSync(`${folder}/fence`, `${content}\n`);
      expect((await tryObserve(shell, folder)).fence).toBeNull();
    }),
  );

  it("changes nothing, not even by looking for a lock", () =>
    inFolder(async (folder) => {
      writeFileSync(`${folder}/lock`, "");
      await tryObserve(shell, folder);
      await tryObserve(shell, `${folder}/state`);
      expect(readFileSync(`${folder}/lock`, "utf8")).toBe("");
    }));
});
