import { join } from "node:path";
import { armor, Decrypter } from "age-encryption";
import { AGE_KEY_HINT, readAgeKeys } from "./age-keys.ts";
import { problem, type SecretProblem, type SecretSource } from "./contract.ts";
import { secretText } from "./secret-text.ts";
import { isBelow, locate, readSmallFile } from "./small-file.ts";

export interface AgeSourceOptions {
  /** The fleet repository. */
  readonly root: string;
  /** Holds the identity. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Bytes; with its header, its armor and many recipients, more than any secret makes. */
const FILE_LIMIT = 1024 * 1024;

/**
 * `age:PATH`, a committed file that is encrypted with age, armored or not. Without an identity here it is absent; a file
 * that is missing is a mistake in the repository, and a problem.
 */
export function ageSource({ root, environment }: AgeSourceOptions): SecretSource {
  return async (target) => {
    const what = `the file ${target}`;
    const content = await encryptedFile(root, target, what);
    if (!(content instanceof Uint8Array)) return content;
    const keys = await readAgeKeys(environment);
    if (keys.kind === "problem") return keys;
    if (keys.kind === "none") {
      return { kind: "absent", why: `${what} is encrypted, and ROLLCALL_AGE_KEY is not set here` };
    }
    const decrypter = decrypterFor(keys.identities);
    if (decrypter === null) return problem("no-key", "an age identity of ROLLCALL_AGE_KEY is damaged", AGE_KEY_HINT);
    const opened = await open(content, decrypter);
    return opened instanceof Uint8Array
      ? secretText(opened, what)
      : problem(opened.code, `${what} ${opened.message}`, opened.hint);
  };
}

type Failure = Pick<SecretProblem, "code" | "message" | "hint">;

/** What the library says of a failure is dropped: it repeats the first line of a file that is not encrypted at all. */
async function open(content: Uint8Array, decrypter: Decrypter): Promise<Uint8Array | Failure> {
  const file = dearmored(content);
  if (file === null || !hasAgeHeader(file)) return NOT_ENCRYPTED;
  try {
    await decrypter.decryptHeader(file);
  } catch {
    return WRONG_KEY;
  }
  try {
    return await decrypter.decrypt(file);
  } catch {
    return DAMAGED;
  }
}

const NOT_ENCRYPTED: Failure = {
  code: "not-encrypted",
  message: "is not encrypted with age",
  hint: "If it is the secret itself, change that: it is in the history now. Then encrypt it.",
};
const WRONG_KEY: Failure = {
  code: "undecryptable",
  message: "is encrypted for other recipients than the identities here, or its header is damaged",
  hint: "Encrypt it for the recipient of ROLLCALL_AGE_KEY (`age-keygen -y` prints it).",
};
const DAMAGED: Failure = {
  code: "undecryptable",
  message: "is damaged",
  hint: "Encrypt it again; .gitattributes must say that *.age files are binary.",
};

async function encryptedFile(root: string, target: string, what: string): Promise<Uint8Array | SecretProblem> {
  const found = await locate(join(root, target), what);
  if (found.kind === "problem") return found;
  if (found.kind === "missing") {
    return problem("no-such-file", `${what} is not in the repository`, `\`age -r RECIPIENT -o ${target}\` writes it.`);
  }
  if (!(await isBelow(found.path, root))) {
    return problem(
      "outside-repository",
      `${what} is a link that leads out of the repository`,
      "Commit the file itself.",
    );
  }
  const content = await readSmallFile(found.path, what, FILE_LIMIT);
  if (!(content instanceof Uint8Array) || content.length <= FILE_LIMIT) return content;
  return problem("too-large", `${what} has more than ${FILE_LIMIT} bytes`, "Keep one secret in one small file.");
}

/** null when an identity is not one: a character of it is missing or wrong. */
function decrypterFor(identities: readonly string[]): Decrypter | null {
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
    return decrypter;
  } catch {
    return null;
  }
}

/** null: armor that is broken. */
function dearmored(content: Uint8Array): Uint8Array | null {
  const text = new TextDecoder("latin1").decode(content);
  if (!text.trimStart().startsWith("-----BEGIN AGE ENCRYPTED FILE-----")) return content;
  try {
    return armor.decode(text);
  } catch {
    return null;
  }
}

function hasAgeHeader(file: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(file.subarray(0, 22)) === "age-encryption.org/v1\n";
}
