import { readFile } from "node:fs/promises";
import ssh2 from "ssh2";

/** What is offered to a node, in this order: what was named for rollcall first, then what an agent holds. */
export interface PrivateKeys {
  readonly kind: "keys";
  readonly offers: readonly Offer[];
}

export interface Offer {
  /** For messages: which variable it comes from. */
  readonly source: string;
  readonly method:
    | { readonly type: "publickey"; readonly key: string }
    | { readonly type: "agent"; readonly agent: string };
}

/** Said once per node, before anything is connected. */
export interface KeyTrouble {
  readonly kind: "trouble";
  readonly message: string;
}

/** Reads the keys that the environment names (DESIGN §5); one that cannot be used is trouble even when another could. */
export async function readPrivateKeys(environment: NodeJS.ProcessEnv): Promise<PrivateKeys | KeyTrouble> {
  const offers: Offer[] = [];
  const { ROLLCALL_SSH_KEY: text, ROLLCALL_SSH_KEY_FILE: file, SSH_AUTH_SOCK: agent } = environment;
  const named: { source: string; text: string }[] = [];
  if (text !== undefined && text.trim() !== "") named.push({ source: "ROLLCALL_SSH_KEY", text });
  if (file !== undefined && file !== "") {
    const source = `ROLLCALL_SSH_KEY_FILE ${file}`;
    try {
      named.push({ source, text: await readFile(file, "utf8") });
    } catch (error) {
      return trouble(`${source} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
    }
  }
  for (const { source, text: written } of named) {
    const key = tidied(written);
    const problem = problemOf(key);
    if (problem !== undefined) return trouble(`${source} ${problem}`);
    offers.push({ source, method: { type: "publickey", key } });
  }
  if (agent !== undefined && agent !== "") offers.push({ source: "SSH_AUTH_SOCK", method: { type: "agent", agent } });
  if (offers.length > 0) return { kind: "keys", offers };
  return trouble(
    "there is no key to log in with: set ROLLCALL_SSH_KEY_FILE or ROLLCALL_SSH_KEY, or start an ssh-agent",
  );
}

function trouble(message: string): KeyTrouble {
  return { kind: "trouble", message };
}

/** Secrets lose their last newline and gain carriage returns on their way through forms and variables. */
function tidied(text: string): string {
  return `${text.replaceAll("\r", "").trim()}\n`;
}

function problemOf(text: string): string | undefined {
  if (isEncrypted(text)) {
    return "is encrypted, and nobody can type its passphrase here: use a key without one, or an ssh-agent that holds it";
  }
  const parsed = ssh2.utils.parseKey(text);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined || key instanceof Error) {
    return "is not a private key in a form that can be read: `ssh-keygen -p -f FILE` rewrites it in OpenSSH's";
  }
  return key.isPrivateKey() ? undefined : "is a public key; the private one is needed";
}

function isEncrypted(text: string): boolean {
  if (/^(Proc-Type: 4,ENCRYPTED|-----BEGIN ENCRYPTED PRIVATE KEY-----)$/m.test(text)) return true;
  const [, body] = /-----BEGIN OPENSSH PRIVATE KEY-----([^-]*)-----END/.exec(text) ?? [];
  if (body === undefined) return false;
  const wire = Buffer.from(body, "base64");
  const magic = "openssh-key-v1\0";
  if (wire.toString("latin1", 0, magic.length) !== magic || wire.length < magic.length + 4) return false;
  const length = wire.readUInt32BE(magic.length);
  return wire.toString("latin1", magic.length + 4, magic.length + 4 + length) !== "none";
}
