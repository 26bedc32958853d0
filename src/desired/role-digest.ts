import { sha256Hex } from "../kit/digest.ts";
import { stableJson } from "../kit/stable-json.ts";
import type { RoleFile } from "./read-role.ts";

/**
 * The unit digest of a role (DESIGN §3.2): lower-case hex SHA-256 over its manifest, defaults filled in, and the digests
 * of the files it ships. Comments and the order of keys do not count; everything that is read does.
 */
export function roleDigest(role: RoleFile): string {
  return sha256Hex(stableJson(digested(role)));
}

/** The same without `version`: what must not change under an unchanged version. */
export function roleContentDigest(role: RoleFile): string {
  return sha256Hex(stableJson({ ...digested(role), version: null }));
}

function digested({ resources, complete: _complete, ...manifest }: RoleFile) {
  const files = resources.flatMap(({ declared: { record, content } }) =>
    content !== null && "source" in record ? [{ source: record.source, sha256: content.sha256 }] : [],
  );
  files.sort((a, b) => (String(a.source) < String(b.source) ? -1 : 1));
  return { ...manifest, resources: resources.map(({ declared }) => declared.record), files };
}
