import type { NodeFacts } from "../../model/node-facts.ts";
import type { NodeQuestions } from "../../model/node-question.ts";
import { packages } from "./packages.ts";
import { paths } from "./paths.ts";
import { texts } from "./texts.ts";
import { units } from "./units.ts";

/** What the questions of resources are answered with; the rest of the facts is asked of every node. */
export type AnsweredFacts = Pick<NodeFacts, "packages" | "paths" | "units" | "texts">;

/** Sections of the answer. */
const PACKAGES = "packages";
const PATHS = "paths";
const UNITS = "units";
const TEXTS = "texts";

/** The questions as shell; a kind nobody asks costs nothing (DESIGN §3.2: a fixed number of processes). */
export function renderQuestions(questions: NodeQuestions): string {
  const parts: string[] = [];
  const ask = (section: string, shell: string): void => {
    parts.push(`rc_section ${section}\n${shell}`);
  };
  if (questions.packages.length > 0) ask(PACKAGES, packages.render(questions.packages));
  if (questions.paths.length > 0) ask(PATHS, paths.render(questions.paths));
  if (questions.units.length > 0) ask(UNITS, units.render(questions.units));
  if (questions.texts.length > 0) ask(TEXTS, texts.render(questions.texts));
  return parts.join("\n");
}

/** What has no entry could not be asked: the node lacks the program, or another one goes by its name. */
export function parseQuestions(sections: ReadonlyMap<string, string>, questions: NodeQuestions): AnsweredFacts {
  return {
    packages: packages.parse(sections.get(PACKAGES) ?? "", questions.packages),
    paths: paths.parse(sections.get(PATHS) ?? "", questions.paths),
    units: units.parse(sections.get(UNITS) ?? "", questions.units),
    texts: texts.parse(sections.get(TEXTS) ?? "", questions.texts),
  };
}
