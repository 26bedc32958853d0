/**
 * The rule `inline-secret` (host-state §2, DESIGN §3.2): a value written in the repository under a name that says secret,
 * or in a form that only secrets have. A path, a URL without a password, an empty value and a switch are not secrets,
 * whatever their name: `TOKEN_FILE: /run/token`, `AUTH_ENABLED: "true"`.
 */
export function secretReason(name: string, value: string): string | null {
  const form = FORMS.find(({ pattern }) => pattern.test(value));
  if (form !== undefined) return `the value is ${form.what}`;
  const word = SECRET_WORD.exec(name)?.[2];
  return word !== undefined && !HARMLESS_VALUE.test(value) ? `its name says ${word}` : null;
}

const SECRET_WORD =
  /(^|_)(PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)_?KEY)(_[0-9]+|_VALUE)?$/i;

const HARMLESS_VALUE = /^(|true|false|yes|no|on|off|none|[0-9]{1,5}|\/\S*|https?:\/\/[^\s@]*)$/i;

const FORMS = [
  { what: "a private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  { what: "a GitHub token", pattern: /\b(gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/ },
  { what: "an AWS access key", pattern: /\b(AKIA|ASIA)[A-Z0-9]{16}\b/ },
  { what: "a Slack token", pattern: /\bxox[abprs]-[A-Za-z0-9-]{10,}/ },
  { what: "a URL with a password", pattern: /^[a-z][a-z0-9+.-]*:\/\/[^\s:@/]+:[^\s@/]+@/i },
] as const;
