import type { RolloutEventBody, Signal } from "../../src/model/rollout-event.ts";
import { desiredFleet, file, type World } from "./reconcile-world.ts";

/** Five nodes of two classes: three waves. */
export const NODES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "web-01": { roles: ["web"] },
  "web-02": { roles: ["web"] },
  "web-03": { roles: ["web"] },
  "desk-01": { roles: ["web"], class: "desktop" },
  "desk-02": { roles: ["web"], class: "desktop" },
};
export const NAMES = Object.keys(NODES);
export const web = (content: string, more: object = {}) => ({ resources: [file("/etc/app.conf", content)], ...more });
export const fleet = (content: string, nodes = NODES, more: object = {}) =>
  desiredFleet({ nodes, roles: { web: web(content, more) } });
export const withNode = (name: string, more: object) => ({ ...NODES, [name]: { ...NODES[name], ...more } });
export const by = { by: "octocat", at: "2026-12-01T09:00:00Z" };
export const down = { reason: "psu dead", recheck: "reachable", by: "octocat", since: "2026-12-01T09:00:00Z" };
export const unreachable = (node: string) => ({ node, fault: "unreachable" as const });

export function say(signal: Signal, nodes: string[] = [], reason: string | null = "because"): RolloutEventBody {
  return { event: "signal", signal, nodes, reason, accept_already_true: false };
}

export const states = (world: World) =>
  Object.fromEntries([...world.rollout("role:web").nodes.values()].map(({ node, state }) => [node, state]));
export const text = (world: World, node: string) => {
  const entry = world.node(node).files.get("/etc/app.conf");
  return entry?.type === "file" ? new TextDecoder().decode(entry.content.bytes()) : null;
};
