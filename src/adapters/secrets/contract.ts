/** What became of a reference. Messages name places, never values. */
export type SecretResolution =
  | { readonly kind: "value"; readonly value: string }
  /** This machine does not have it: what depends on it is deferred, and nothing is broken. */
  | { readonly kind: "absent"; readonly why: string }
  /** It is there and must not or cannot be used. */
  | {
      readonly kind: "problem";
      readonly code: SecretProblemCode;
      readonly message: string;
      /** What to do next. */
      readonly hint: string;
    };

export type SecretProblemCode =
  /** The file is in git, so whoever can read the repository has the secret. */
  | "secret-committed"
  /** Nothing keeps the next `git add` from committing it. */
  | "secret-not-ignored"
  | "outside-repository"
  | "forbidden-path"
  | "no-such-file"
  | "not-a-file"
  | "unreadable"
  | "git-failed"
  | "too-large"
  | "not-text"
  | "no-key"
  | "not-encrypted"
  | "undecryptable";

export type SecretProblem = Extract<SecretResolution, { kind: "problem" }>;

export function problem(code: SecretProblemCode, message: string, hint: string): SecretProblem {
  return { kind: "problem", code, message, hint };
}

/** One scheme: what stands after its colon → what became of it. It throws only when it is broken. */
export type SecretSource = (target: string) => Promise<SecretResolution>;
