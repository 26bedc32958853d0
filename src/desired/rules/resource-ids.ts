import { at, type Rule } from "./rule.ts";

/** An id names one resource of its role, in drift items, in `restart_on` and in markers (cases.md 50). */
export const resourceIds: Rule = ({ roles }) =>
  roles.flatMap((entry) => {
    const first = new Map<string, number>();
    return entry.value.resources.flatMap(({ index, declared: { record } }) => {
      const before = first.get(record.id);
      if (before !== undefined) {
        return at(entry, ["resources", index, "id"], {
          code: "duplicate-id",
          message: `the id ${record.id} is already that of resource ${before + 1} of this role`,
          hint: "Remove one of the two, or give one an id: of its own.",
        });
      }
      first.set(record.id, index);
      return [];
    });
  });
