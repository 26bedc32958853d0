import { createHash, createHmac } from "node:crypto";

/**
 * The one source of host identity (DESIGN §3): `roster/known_hosts`, read as OpenSSH reads it (sshd(8), SSH_KNOWN_HOSTS
 * FILE FORMAT). Nothing is ever learned.
 */
export interface KnownHosts {
  /** Lines of plain names, by each of their names in lower case, so that a large fleet costs no search. */
  readonly named: ReadonlyMap<string, readonly KnownHostsLine[]>;
  /** Lines with wildcards or negations. */
  readonly patterns: readonly KnownHostsLine[];
  readonly hashed: readonly KnownHostsLine[];
}

export interface KnownHostsLine {
  readonly marker: "revoked" | "cert-authority" | null;
  /** Comma separated patterns, or one hashed name. */
  readonly names: string;
  readonly key: HostKey;
}

/** A public key in its wire form, base64; its type is what the wire form says. */
export interface HostKey {
  readonly type: string;
  readonly base64: string;
}

/** What is known of one host. */
export interface HostIdentity {
  readonly keys: readonly HostKey[];
  readonly revoked: readonly HostKey[];
  /** Only a certificate authority is known for it, which this adapter cannot check. */
  readonly authorityOnly: boolean;
  /** Keys come from lines without the port, which OpenSSH accepts too; another key is then unknown rather than changed. */
  readonly withoutPort: boolean;
}

export type HostVerdict = "known" | "unknown" | "changed" | "revoked";

/** Lines that cannot be read are left out, as OpenSSH does. */
export function parseKnownHosts(text: string): KnownHosts {
  const named = new Map<string, KnownHostsLine[]>();
  const patterns: KnownHostsLine[] = [];
  const hashed: KnownHostsLine[] = [];
  for (const line of text.split(/\r?\n/).flatMap((written) => parseLine(written) ?? [])) {
    if (line.names.startsWith("|1|")) hashed.push(line);
    else if (/[*?!]/.test(line.names)) patterns.push(line);
    else for (const name of new Set(line.names.toLowerCase().split(","))) append(named, name, line);
  }
  return { named, patterns, hashed };
}

function parseLine(line: string): KnownHostsLine | undefined {
  const words = line.trim().split(/[ \t]+/);
  if (words[0] === "" || words[0]?.startsWith("#")) return undefined;
  const marker = words[0]?.startsWith("@") ? words.shift()?.slice(1) : null;
  if (marker !== null && marker !== "revoked" && marker !== "cert-authority") return undefined;
  const [names, , base64] = words;
  if (names === undefined || base64 === undefined) return undefined;
  const key = hostKey(Buffer.from(base64, "base64"));
  return key === undefined ? undefined : { marker, names, key };
}

/** Undefined when the bytes are not a public key. */
export function hostKey(wire: Buffer): HostKey | undefined {
  if (wire.length < 8) return undefined;
  const length = wire.readUInt32BE(0);
  if (length === 0 || length > wire.length - 4) return undefined;
  return { type: wire.toString("latin1", 4, 4 + length), base64: wire.toString("base64") };
}

/** What is known of the host at `address` and `port`. */
export function identityOf(hosts: KnownHosts, address: string, port: number): HostIdentity {
  const plain = address.toLowerCase();
  const exact = port === 22 ? plain : `[${plain}]:${port}`;
  const found = matching(hosts, exact);
  const other = found.length === 0 && port !== 22 ? matching(hosts, plain) : [];
  const lines = found.length === 0 ? other : found;
  const keys = (marker: KnownHostsLine["marker"]) =>
    lines.filter((line) => line.marker === marker).map((line) => line.key);
  return {
    keys: keys(null),
    revoked: keys("revoked"),
    authorityOnly: keys(null).length === 0 && keys("cert-authority").length > 0,
    withoutPort: other.length > 0,
  };
}

export function verifyHostKey(identity: HostIdentity, presented: HostKey): HostVerdict {
  const isPresented = (key: HostKey) => key.base64 === presented.base64;
  if (identity.revoked.some(isPresented)) return "revoked";
  if (identity.keys.some(isPresented)) return "known";
  return identity.keys.length === 0 || identity.withoutPort ? "unknown" : "changed";
}

/** `SHA256:…` as OpenSSH prints it. */
export function fingerprint(key: HostKey): string {
  const digest = createHash("sha256").update(Buffer.from(key.base64, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}

function append(lines: Map<string, KnownHostsLine[]>, name: string, line: KnownHostsLine): void {
  const known = lines.get(name);
  if (known === undefined) lines.set(name, [line]);
  else known.push(line);
}

function matching(hosts: KnownHosts, name: string): readonly KnownHostsLine[] {
  return [
    ...(hosts.named.get(name) ?? []),
    ...hosts.patterns.filter((line) => matchesPatterns(line.names, name)),
    ...hosts.hashed.filter((line) => isHashOf(line.names, name)),
  ];
}

/** `|1|salt|hash`: HMAC-SHA1 of the name, keyed by the salt. */
function isHashOf(hashed: string, name: string): boolean {
  const [, , salt, hash] = hashed.split("|");
  if (salt === undefined || hash === undefined) return false;
  const digest = createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest();
  return digest.equals(Buffer.from(hash, "base64"));
}

/** A negated pattern that matches rules the whole line out, wherever it stands. */
function matchesPatterns(patterns: string, name: string): boolean {
  let matches = false;
  for (const pattern of patterns.toLowerCase().split(",")) {
    const negated = pattern.startsWith("!");
    if (!matchesPattern(negated ? pattern.slice(1) : pattern, name)) continue;
    if (negated) return false;
    matches = true;
  }
  return matches;
}

/** `*` and `?` only, and never exponential, because patterns come from a repository. */
function matchesPattern(pattern: string, name: string): boolean {
  let star = -1;
  let resume = 0;
  let at = 0;
  let position = 0;
  while (position < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      resume = position;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[position])) {
      at++;
      position++;
    } else if (star !== -1) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
