import { resourceType } from "../../resources/index.ts";
import { at, type Rule } from "./rule.ts";

/** What a resource that was left out for errors of its own might have answered. */
const ABOUT_MISSING_SIBLINGS = new Set(["broken-unit-file", "unknown-resource"]);

/** What each resource type has to say of its own records. */
export const resourceProblems: Rule = ({ roles }) =>
  roles.flatMap((entry) => {
    const { resources, complete } = entry.value;
    const siblings = resources.map(({ declared }) => declared);
    return resources.flatMap(({ index, declared }) =>
      resourceType(declared.record.type)
        .problems(declared, siblings)
        .filter(({ code }) => complete || !ABOUT_MISSING_SIBLINGS.has(code))
        .map(({ key, ...problem }) =>
          at(entry, ["resources", index, ...(key === "" ? [] : key.split(".").map(step))], problem),
        ),
    );
  });

/** `restart_on.0` is the first item of a list. */
function step(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}
