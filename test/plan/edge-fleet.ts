import { stateOf } from "./recorded.ts";
import { SimulatedFleet } from "./simulated-run.ts";

/** One role, `edge`, and three nodes that have it, one of another class. */
export const edge = { edge: { resources: [{ type: "file", path: "/etc/edge", content: "one\n" }] } };
export const node = (more: object = {}) => ({ roles: ["edge"], ...more });
export const three = { "web-01": node(), "web-02": node(), "desk-01": node({ class: "desktop" }) };

export const fleet = (nodes: Readonly<Record<string, object>>, roles: Readonly<Record<string, object>> = edge) =>
  new SimulatedFleet(stateOf(nodes, roles));
