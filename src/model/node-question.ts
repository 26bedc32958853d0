/**
 * What a node is asked, as values (host-state §3). The questions of all resources of a node are merged and travel in
 * one round trip; each kind costs a fixed number of processes there, however many names it holds. Transports turn them
 * into shell text or answer them from memory; the answers are {@link NodeFacts}.
 */
export interface NodeQuestions {
  /** dpkg package names, `:arch` allowed. */
  readonly packages: readonly string[];
  readonly paths: readonly PathQuestion[];
  readonly units: readonly UnitName[];
  /** Paths of small regular files whose bytes are wanted, {@link TEXT_LIMIT} at most. */
  readonly texts: readonly string[];
}

/** Bytes; what is larger is not read. */
export const TEXT_LIMIT = 262_144;

export interface PathQuestion {
  /** Absolute, without control characters. */
  readonly path: string;
  /** Also ask for the SHA-256 when a regular file is there. */
  readonly hash: boolean;
  /** Also ask whether a directory there is empty. */
  readonly entries: boolean;
}

export interface UnitName {
  readonly name: string;
  /** Login whose user manager owns the unit; null for the system manager. */
  readonly user: string | null;
}

export const NO_QUESTIONS: NodeQuestions = { packages: [], paths: [], units: [], texts: [] };

/** One set of questions out of many: names once each, a path's wishes joined, in the order of first mention. */
export function mergeQuestions(parts: readonly NodeQuestions[]): NodeQuestions {
  const paths = new Map<string, PathQuestion>();
  for (const question of parts.flatMap((part) => part.paths)) {
    const known = paths.get(question.path);
    paths.set(question.path, {
      path: question.path,
      hash: question.hash || (known?.hash ?? false),
      entries: question.entries || (known?.entries ?? false),
    });
  }
  const units = new Map(parts.flatMap((part) => part.units).map((unit) => [unitKey(unit), unit]));
  return {
    packages: [...new Set(parts.flatMap((part) => part.packages))],
    paths: [...paths.values()],
    units: [...units.values()],
    texts: [...new Set(parts.flatMap((part) => part.texts))],
  };
}

/** The key of a unit in {@link NodeFacts}: `caddy.service`, or `agents@scribe.service` of a user as `agents//scribe.service`. */
export function unitKey(unit: UnitName): string {
  return unit.user === null ? unit.name : `${unit.user}//${unit.name}`;
}
