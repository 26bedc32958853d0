import { groupBy } from "../../kit/group-by.ts";
import { at, type Rule, some } from "./rule.ts";

/** Two active nodes must not be one machine: their reports would stand in for each other (cases.md 92). */
export const machines: Rule = ({ nodes }) => {
  const active = nodes.filter(({ value }) => value.state === "active" && value.machineId !== null);
  const byMachine = groupBy(active, ({ value }) => value.machineId);
  return [...byMachine.values()]
    .filter((group) => group.length > 1)
    .flatMap((group) =>
      group.map((entry) =>
        at(entry, ["machine_id"], {
          code: "duplicate-machine-id",
          message: `another node is the same machine: ${some(group.filter((other) => other !== entry).map(({ stem }) => stem))}`,
          hint: "A cloned machine needs a new /etc/machine-id; a renamed node's old file needs state: retired.",
        }),
      ),
    );
};
