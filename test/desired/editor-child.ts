import { desiredEditor } from "../../src/adapters/desired-editor.ts";
import { runNodeSet } from "../../src/commands/node-edit.ts";

// A process of its own for desired-editor.test.ts: one `node set`, killed before its n-th effect when n is given.
const [root = "", generation = "", word = "", killAt = ""] = process.argv.slice(2);
let effects = 0;
const editor = desiredEditor(root, {
  beforeEffect: () => {
    if (killAt !== "" && effects++ === Number(killAt)) process.kill(process.pid, "SIGKILL");
  },
});
const { exitCode } = await runNodeSet(editor, { name: "a", words: [word], generation: Number(generation) });
process.exitCode = exitCode;
