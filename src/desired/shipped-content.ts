import type { FileContent } from "../model/file-content.ts";
import { textContent } from "../model/text-content.ts";
import type { DesiredFiles } from "../ports.ts";
import type { ResourceRecord } from "../resources/contract.ts";
import { roleFilesFolder } from "./layout.ts";
import type { ProblemText } from "./problem-at.ts";

export interface Shipped {
  readonly content: FileContent | null;
  /** About the key `source`. */
  readonly problem: ProblemText | null;
}

/**
 * The bytes that a resource ships, whatever its type (host-state §2): its `content`, or the file that its `source` names
 * under the role's own folder. Whether it must have one of the two is for its type to say.
 */
export function shippedContent(record: ResourceRecord, role: string, files: DesiredFiles): Shipped {
  const { state, content, source }: ShippingKeys = record;
  if (state === "absent") return { content: null, problem: null };
  if (typeof content === "string") return { content: textContent(content), problem: null };
  return typeof source === "string" ? fromSource(source, role, files) : { content: null, problem: null };
}

interface ShippingKeys extends ResourceRecord {
  readonly state?: unknown;
  readonly content?: unknown;
  readonly source?: unknown;
}

function fromSource(source: string, role: string, files: DesiredFiles): Shipped {
  const folder = roleFilesFolder(role);
  if (source.split("/").some((part) => part === "" || part === "." || part === "..")) {
    const message = `source ${JSON.stringify(source)} does not stay inside ${folder}`;
    const hint = `Name a file under ${folder} by its path from there.`;
    return { content: null, problem: { code: "source-outside", message, hint } };
  }
  const content = files.read(folder + source);
  if (content !== undefined) return { content, problem: null };
  const message = `there is no file ${folder}${source}`;
  return { content: null, problem: { code: "source-missing", message, hint: "Add the file, or mend its name." } };
}
