import { stableJson } from "../../kit/stable-json.ts";
import { name as nodeName } from "../../model/scalar.ts";
import { textContent } from "../../model/text-content.ts";
import type { DesiredFiles } from "../../ports.ts";
import { readDraft } from "../draft.ts";
import { fileKind, nodeFile } from "../layout.ts";
import { type ProblemText, problemAt, problemOf } from "../problem-at.ts";
import { nearest } from "../schema/nearest.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { changedNodeText, changedValue, newNodeText } from "./edit-node.ts";
import type { Wish } from "./guarded-edit.ts";
import type { NodeChange } from "./node-change.ts";

/** `node add`: a file that was not there. */
export function addNode(name: string, changes: readonly NodeChange[]): (files: DesiredFiles) => Wish {
  return (files) => {
    const path = nodeFile(name);
    if (!nodeName.safeParse(name).success) {
      const hint = "Use a-z 0-9 . _ - and begin with a letter or digit.";
      return refuse(path, { code: "invalid-name", message: `${JSON.stringify(name)} cannot be a node's name`, hint });
    }
    if (files.read(path) === undefined) return { writes: [{ path, text: newNodeText(name, changes) }] };
    const hint = `Change it with rollcall node set ${name}, or choose another name.`;
    return refuse(path, { code: "node-exists", message: `there is already a node ${name}`, hint });
  };
}

/** `node set`: comments, key order and every byte that need not change stay as they are. */
export function setNode(name: string, changes: readonly NodeChange[]): (files: DesiredFiles) => Wish {
  return (files) => {
    const path = nodeFile(name);
    const content = files.read(path);
    if (content === undefined) return refuse(path, unknownNode(name, files));
    const { source, diagnostics } = readYaml(path, content);
    if (source === null) return { diagnostics };
    const text = changedNodeText(source.text, changes);
    const wanted = changes.reduce(changedValue, source.value);
    const after = text === null ? null : readYaml(path, textContent(text)).source;
    if (text === null || after === null || stableJson(after.value) !== stableJson(wanted)) {
      const hint = `Change ${path} by hand and run rollcall generation bump.`;
      const message = "the file is written in a way that this edit cannot keep";
      return refuse(path, { code: "edit-not-possible", message, hint });
    }
    return { writes: [{ path, text }] };
  };
}

/** `node remove`: refused while another node is reached through it. */
export function removeNode(name: string): (files: DesiredFiles) => Wish {
  return (files) => {
    const path = nodeFile(name);
    if (files.read(path) === undefined) return refuse(path, unknownNode(name, files));
    const through = readDraft(files).nodes.filter(({ value }) => value.jump === name);
    if (through.length === 0) return { writes: [{ path, text: null }] };
    const hint = `Give it another way with rollcall node set, or let it retire too.`;
    return {
      diagnostics: through.map(({ stem, source }) =>
        problemAt(source, ["jump"], "value", {
          code: "node-in-use",
          message: `${stem} is reached through ${name}, so ${name} cannot be removed`,
          hint,
        }),
      ),
    };
  };
}

export function refuse(path: string, problem: ProblemText): Wish {
  return { diagnostics: [problemOf(path, problem)] };
}

function unknownNode(name: string, files: DesiredFiles): ProblemText {
  const names = files.paths.map(fileKind).flatMap((file) => (file.kind === "node" ? file.name : []));
  const meant = nearest(name, names);
  const hint = meant === undefined ? "Add it with rollcall node add." : `Did you mean ${meant}?`;
  return { code: "unknown-node", message: `there is no node ${name}`, hint };
}
