/** What a path of the fleet repository is (DESIGN §3). */
export type FileKind =
  | { readonly kind: "fleet" }
  | { readonly kind: "node" | "profile" | "role"; readonly name: string }
  | { readonly kind: "role-file"; readonly role: string }
  /** Looks like desired state and is read by nothing: a wrong ending, a wrong folder. */
  | { readonly kind: "stray"; readonly hint: string }
  /** Parcels, known_hosts, allowed_signers, and notes for people. */
  | { readonly kind: "other" };

export const FLEET_FILE = "roster/fleet.yaml";

export function nodeFile(name: string): string {
  return `roster/nodes/${name}.yaml`;
}

export function roleManifest(role: string): string {
  return `host-roles/${role}.yaml`;
}

export function roleFilesFolder(role: string): string {
  return `host-roles/${role}/files/`;
}

const NAMED = [
  ["node", /^roster\/nodes\/([^/]+)\.yaml$/],
  ["profile", /^roster\/profiles\/([^/]+)\.yaml$/],
  ["role", /^host-roles\/([^/]+)\.yaml$/],
] as const;

export function fileKind(path: string): FileKind {
  if (path === FLEET_FILE) return { kind: "fleet" };
  for (const [kind, pattern] of NAMED) {
    const name = pattern.exec(path)?.[1];
    if (name !== undefined) return { kind, name };
  }
  const role = /^host-roles\/([^/]+)\/files\/./.exec(path)?.[1];
  if (role !== undefined) return { kind: "role-file", role };
  if (!path.startsWith("parcels/") && /\.ya?ml$/i.test(path)) return { kind: "stray", hint: strayHint(path) };
  return { kind: "other" };
}

function strayHint(path: string): string {
  if (!path.endsWith(".yaml")) return `Rename it to ${path.replace(/\.[^.]*$/, ".yaml")}, or move it elsewhere.`;
  if (path.startsWith("host-roles/"))
    return "Manifests are host-roles/<role>.yaml; shipped files lie in host-roles/<role>/files/.";
  return "Read are roster/fleet.yaml, roster/nodes/<name>.yaml and roster/profiles/<id>.yaml.";
}
