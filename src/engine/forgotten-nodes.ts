import type { ObservedFiles } from "../ports.ts";

const OF_NODE = /^(?:nodes\/[^/]+\/([^/]+)\/(?:state|report)\.json|reports\/[^/]+\/([^/]+)\.json)$/;

/** Paths of what is recorded of nodes that are retired or have left the roster: it goes with them (DESIGN §3). */
export function forgotten(files: ObservedFiles, nodes: ReadonlySet<string>): readonly string[] {
  return files.paths.filter((path) => {
    const [, recorded, live] = OF_NODE.exec(path) ?? [];
    const node = recorded ?? live;
    return node !== undefined && !nodes.has(node);
  });
}
