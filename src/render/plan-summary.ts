import type { PlanDocument } from "../model/plan-document.ts";
import { SUMMARY_LIMIT } from "../ports/workflow-run.ts";
import { markdownText } from "./markdown-text.ts";
import { planComment } from "./plan-comment.ts";
import type { PlanFrame } from "./plan-comment-frame.ts";

/** No UTF-16 unit takes more bytes of UTF-8. */
const MOST_BYTES = 3;

/** The plan comment with more room, for a job's summary; `trouble`: what could not be told or asked, a sentence each. */
export function planSummary(document: PlanDocument, frame: PlanFrame, trouble: readonly string[]): string {
  const lines = trouble.map((sentence) => `> ${markdownText(sentence.slice(0, 2000))}`);
  const warning = lines.length === 0 ? "" : `> [!WARNING]\n${lines.join("\n>\n")}\n\n`;
  const room = Math.floor((SUMMARY_LIMIT - warning.length * MOST_BYTES) / MOST_BYTES);
  return `${warning}${planComment(document, { ...frame, mark: null }, room)}`;
}
