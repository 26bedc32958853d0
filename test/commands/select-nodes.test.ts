import { describe, expect, it } from "vitest";
import { type Selection, WHOLE_FLEET } from "../../src/commands/criteria.ts";
import { selectNodes } from "../../src/commands/select-nodes.ts";
import { loadDesired } from "../../src/desired/load-desired.ts";
import { FLEET, role, textFiles } from "../desired/text-files.ts";
import { givenSecrets } from "../engine/given-secrets.ts";

const node = (name: string, kind: string, more: string) =>
  `name: ${name}\nclass: ${kind}\naddress: ${name}.example.org\n${more}`;
const { state } = loadDesired(
  textFiles({
    "roster/fleet.yaml": FLEET,
    "roster/nodes/db-01.yaml": node("db-01", "database", "roles: [db]\nlabels: { region: eu, tier: a }\n"),
    "roster/nodes/web-01.yaml": node(
      "web-01",
      "server",
      "roles: [web]\naliases: [www]\nlabels: { region: eu, tier: b }\n",
    ),
    "roster/nodes/web-02.yaml": node("web-02", "server", "roles: [web, db]\nlabels: { region: us }\n"),
    "roster/nodes/old-01.yaml": node("old-01", "server", "roles: [web]\nstate: retired\nlabels: { region: asia }\n"),
    "host-roles/host.yaml": role("host"),
    "host-roles/web.yaml": role("web"),
    "host-roles/db.yaml": role("db"),
    "host-roles/unused.yaml": role("unused"),
  }),
);

function select(selection: Partial<Selection>) {
  if (state === null) throw new Error("no state");
  const selected = selectNodes(state, { ...WHOLE_FLEET, ...selection }, givenSecrets());
  if ("code" in selected) return `${selected.code}: ${selected.message} | ${selected.hint}`;
  return {
    nodes: selected.works.map((work) => work.node.name).join(" "),
    roles: [...new Set(selected.works.flatMap((work) => work.roles.map(({ name }) => name)))].sort().join(" "),
    leftOut: `${selected.leftOut.nodes.join(" ")} / ${selected.leftOut.roles.join(" ")}`,
  };
}
const EVERY = "db host web";

describe("nodes that were asked for", () => {
  it.each<readonly [string, Partial<Selection>, string, string, string]>([
    ["nothing: all", {}, "db-01 old-01 web-01 web-02", EVERY, " / "],
    ["a name and an alias", { nodes: ["db-01", "www"] }, "db-01 web-01", EVERY, "old-01 web-02 / "],
    ["a name twice", { nodes: ["db-01", "db-01"] }, "db-01", "db host", "old-01 web-01 web-02 / "],
    ["a pattern", { patterns: ["web-*"] }, "web-01 web-02", EVERY, "db-01 old-01 / "],
    ["a pattern of an alias", { patterns: ["ww?"] }, "web-01", "host web", "db-01 old-01 web-02 / "],
    ["a name or a pattern", { nodes: ["db-01"], patterns: ["*-02"] }, "db-01 web-02", EVERY, "old-01 web-01 / "],
    ["a class", { classes: ["database"] }, "db-01", "db host", "old-01 web-01 web-02 / "],
    ["two classes", { classes: ["database", "server"] }, "db-01 old-01 web-01 web-02", EVERY, " / "],
    ["a label", { labels: ["region=eu"] }, "db-01 web-01", EVERY, "old-01 web-02 / "],
    ["two values of a label", { labels: ["region=eu", "region=us"] }, "db-01 web-01 web-02", EVERY, "old-01 / "],
    ["two labels", { labels: ["region=eu", "tier=b"] }, "web-01", "host web", "db-01 old-01 web-02 / "],
    [
      "a pattern and a class",
      { patterns: ["*-01"], classes: ["server"] },
      "old-01 web-01",
      "host web",
      "db-01 web-02 / ",
    ],
    ["a role", { roles: ["db"] }, "db-01 web-02", "db", "old-01 web-01 / host web"],
    ["two roles", { roles: ["db", "host"] }, "db-01 old-01 web-01 web-02", "db host", " / web"],
    ["a unit", { unit: "role:db", nodes: ["web-02"] }, "web-02", "db", "db-01 old-01 web-01 / host web"],
  ])("%s", (_what, selection, nodes, roles, leftOut) => {
    expect(select(selection)).toEqual({ nodes, roles, leftOut });
  });

  it.each<readonly [string, Partial<Selection>, string]>([
    ["an unknown name", { nodes: ["web-1"] }, "unknown-node: there is no node web-1 | did you mean web-01?"],
    [
      "a pattern as a name",
      { nodes: ["web-*"] },
      "unknown-node: there is no node web-* | for a pattern write --node 'web-*'",
    ],
    [
      "a pattern that fits nothing",
      { patterns: ["mail*x"] },
      "unknown-node: --node mail*x fits no node | * and ? are the wildcards; there are: db-01, old-01, web-01, web-02",
    ],
    [
      "an unknown class",
      { classes: ["databse"] },
      "unknown-class: no node has the class databse | did you mean database?",
    ],
    [
      "an unknown label",
      { labels: ["planet=mars"] },
      "unknown-label: no node has the label planet=mars | labels here: region=eu, tier=a",
    ],
    ["a label of a prototype", { labels: ["constructor=x"] }, "unknown-label: no node has the label constructor=x"],
    ["no label", { labels: ["eu"] }, "unknown-label: eu is not a label | write --label key=value"],
    ["an unknown role", { roles: ["wbe"] }, "unknown-role: there is no role wbe | did you mean web?"],
    [
      "a role of nobody",
      { roles: ["unused"] },
      "unused-role: no node has the role unused | give it to one: rollcall node set",
    ],
    ["an unknown unit", { unit: "parcel:x" }, "unknown-unit: there is no unit parcel:x | units here: role:db"],
    [
      "what never comes together",
      { classes: ["database"], labels: ["region=us"] },
      "nothing-selected: no node fits all that was asked for | --class database: db-01; --label region=us: web-02",
    ],
    [
      "one that fits beside one that does not",
      { patterns: ["web-*", "gone-*"] },
      "unknown-node: --node gone-* fits no node",
    ],
  ])("%s is refused, with a hint", (_what, selection, text) => expect(select(selection)).toContain(text));
});
