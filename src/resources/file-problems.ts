import type { Declared, Problem, ResourceRecord } from "./contract.ts";
import { pathProblems } from "./path-problems.ts";

interface FileDeclaration extends ResourceRecord {
  readonly path: string;
  readonly content?: string | undefined;
  readonly source?: string | undefined;
  readonly state: "present" | "absent";
}

/** What the schema of a file cannot say (DESIGN §3.2). */
export function fileProblems({ record, content }: Declared<FileDeclaration>): readonly Problem[] {
  return [...contentProblems(record), ...pathProblems(record.path), ...textProblems(content?.bytes() ?? null)];
}

function contentProblems({ state, content, source }: FileDeclaration): readonly Problem[] {
  if (state === "absent") {
    if (content === undefined && source === undefined) return [];
    const hint = "leave content and source out, or set state: present";
    return [
      error("content-of-absent", content === undefined ? "source" : "content", "an absent file has no content", hint),
    ];
  }
  const hint = 'write content: | with the text (content: "" for an empty file), or source: with a name below files/';
  if (content === undefined && source === undefined)
    return [error("content-missing", "content", "a file needs content or source", hint)];
  if (content !== undefined && source !== undefined)
    return [error("content-twice", "source", "a file has content or source, not both", "remove one of the two")];
  return [];
}

/** A file that was committed with CRLF line ends is shipped so, and `#!/bin/sh\r` does not run (cases.md 38). */
function textProblems(bytes: Uint8Array | null): readonly Problem[] {
  if (bytes === null || bytes.includes(0)) return [];
  const at = bytes.indexOf(0x0d);
  if (at === -1 || bytes[at + 1] !== 0x0a) return [];
  return [
    {
      code: "carriage-return",
      severity: "warning",
      key: "",
      message: "the text has CRLF line ends, and is written with them",
      hint: "convert it to LF, and keep it so with `* text=auto eol=lf` in .gitattributes",
    },
  ];
}

function error(code: string, key: string, message: string, hint: string): Problem {
  return { code, severity: "error", key, message, hint };
}
