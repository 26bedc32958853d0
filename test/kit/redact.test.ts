import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEnvironmentFile } from "../../src/kit/environment-file-format.ts";
import { redact, redactor } from "../../src/kit/redact.ts";
import { quote } from "../../src/shell/quote.ts";

const TOKEN = "p@ss/w0rd 'x' é+\\";
const PEM = "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const asciiJson = (text: string): string =>
  inJson(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const environmentLine = (text: string): string => {
  const answer = formatEnvironmentFile(new Map([["A", text]]));
  return answer.kind === "formatted" ? answer.text.slice(2, -1) : "";
};

/** How a secret shows up in logs, errors, reports and requests. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  "as it is": (secret) => secret,
  "in base64": base64,
  "in base64 without padding": (secret) => base64(secret).replace(/=+$/, ""),
  "in base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "in base64 with its newline": (secret) => base64(`${secret}\n`),
  "in base64 after one byte": (secret) => base64(`:${secret}`).slice(2),
  "in base64 after two bytes": (secret) => base64(`u:${secret}`).slice(3),
  "in base64 before more": (secret) => base64(`${secret}:more`),
  "in wrapped base64": (secret) => base64(secret).replace(/.{5}/g, "$&\n"),
  "in base64 wrapped inside JSON": (secret) => inJson(base64(secret).replace(/.{5}/g, "$&\n")),
  "in base64 in a URL": (secret) => encodeURIComponent(base64(secret)),
  "URL-encoded": encodeURIComponent,
  "URL-encoded in small letters": (secret) => encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  "URL-encoded completely": (secret) => Buffer.from(secret).toString("hex").replace(/../g, "%$&"),
  "as a form sends it": (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  "in JSON": inJson,
  "in ASCII JSON": asciiJson,
  "in JSON in JSON": (secret) => inJson(inJson(secret)),
  "quoted for a shell": quote,
  "quoted for a shell with the other quotes": (secret) => `'${secret.replaceAll("'", `'"'"'`)}'`,
  "in double quotes of a shell": (secret) => `"${secret.replace(/["\\$`]/g, "\\$&")}"`,
  "with backslashes for a shell": (secret) => secret.replace(/[^A-Za-z0-9\n]/gu, "\\$&"),
  "in an environment file": environmentLine,
  "in octal as git writes it": (secret) =>
    [...Buffer.from(secret)]
      .map((byte) => {
        const named = { 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\" }[byte];
        if (named !== undefined) return `\\${named}`;
        return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
      })
      .join(""),
  "with other line ends": (secret) => secret.replaceAll("\n", "\r\n"),
  indented: (secret) => secret.replace(/^/gm, "    "),
};

/** Of secrets that are hardly more than quotes and blanks only the usual spellings are known. */
const isSubstantial = (secret = ""): boolean => secret.replace(/[\s'"\\]|\\[nrt]/g, "").length >= 4;

describe("redact", () => {
  it("masks what it is given and leaves the rest", () => {
    expect(redact("curl -H 'Auth: hunter2' https://x", ["hunter2"])).toBe("curl -H 'Auth: ***' https://x");
    expect(redact("hunter2hunter2, unter2", ["hunter2"])).toBe("***, unter2");
    expect(redact("abcdefgh", ["abcde", "defgh"])).toBe("***");
    expect(redact("abcdefgh!", ["cdef", "abcdefgh"])).toBe("***!");
    expect(redact("nothing", [])).toBe("nothing");
    expect(redact("abcd", ["abc", ""])).toBe("abcd");
    expect(redact("é😀éa\u0000é😀é", ["é😀éa"])).toBe("***\u0000é😀é");
  });

  it.each(Object.entries(FORMS))("masks a secret %s", (_what, form) => {
    for (const secret of [TOKEN, "hunter2-Hunter2", "1234", "\\\\\\'\"", "'''''x", "😀😀😀😀"]) {
      expect(redact(`<${form(secret)}>`, [secret])).not.toContain(form(secret));
      expect(redact(`<${form(secret)}>`, [secret])).toContain("*");
    }
    expect(redact(form(PEM), [PEM])).not.toMatch(/MIIB|hkiG|BADANBgkq/);
  });

  it("masks a URL that encodes more than it must, exactly as far as it goes", () => {
    expect(redact("x=p%61ss%2fw0rd%2F&y", ["pass/w0rd/"])).toBe("x=***&y");
  });

  it("masks each line of a secret by itself, as far as it is long enough", () => {
    expect(redact("+ MIIBVgIBADANBgkq\n- abc\n", [`${PEM}abc\n`])).toBe("+ ***\n- abc\n");
  });

  it("masks a secret that was broken into lines", () => {
    expect(redact("key: hunt\n     er2-\n     long", ["hunter2-long"])).toBe("key: ***");
  });

  it("makes the mask of what no secret has, so that none arises from it", () => {
    expect(redact("abcdz", ["abcd", "***z"])).toBe("▀▀▀z");
    expect(redact("****", ["****", "▀▀▀▀"])).toBe("▁▁▁");
  });

  const secret = fc
    .oneof(
      fc.string({ unit: "grapheme", minLength: 4, maxLength: 30 }),
      fc.string({ unit: "binary", minLength: 4, maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom("'", '"', "\\", "a", "\n", " ", "%", "4", "+", "*", "$"),
        minLength: 4,
        maxLength: 12,
      }),
      fc.base64String({ minLength: 4 }),
    )
    .filter((text) => [...text].length >= 4 && !/\0|\p{Noncharacter_Code_Point}/u.test(text));

  it("lets no secret through in any form, wherever it stands", () => {
    const form = fc.constantFrom(...Object.keys(FORMS));
    const around = fc.string({
      unit: fc.constantFrom("a", " ", "'", '"', "\\", "%", "2", "\n", "=", "é", "*"),
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(around, fc.nat(2), form), { minLength: 1, maxLength: 5 }),
        (secrets, pieces) => {
          const spelled = (index: number, name: string): string =>
            FORMS[name]?.(secrets[index % secrets.length] ?? "") ?? "";
          const text = pieces.map(([before, index, name]) => before + spelled(index, name)).join("");
          const output = redact(text, secrets);
          for (const each of secrets) {
            for (const name of ["as it is", "in base64", "URL-encoded", "in JSON", "quoted for a shell"]) {
              expect(output).not.toContain(FORMS[name]?.(each));
            }
          }
          for (const [, index, name] of pieces) {
            if (isSubstantial(secrets[index % secrets.length])) expect(output).not.toContain(spelled(index, name));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("changes nothing the second time, and nothing in a text without secrets", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), text, (secrets, other) => {
        const mask = redactor(secrets);
        const once = mask(secrets.join(other) + other);
        expect(mask(once)).toBe(once);
      }),
    );
    fc.assert(
      fc.property(
        fc.array(secret),
        fc.string({ unit: fc.constantFrom("<", "~", "^", "|", "ß", "\n", "'", "\\") }),
        (secrets, other) => {
          const foreign = secrets.filter((each) => !/[<~^|ß\n'\\]/.test(each));
          expect(redact(other, foreign)).toBe(other);
        },
      ),
    );
  });

  it("takes time linear in the text", { timeout: 20_000 }, () => {
    const mask = redactor(Array.from({ length: 40 }, (_, index) => `${"a".repeat(500)}${index}`));
    expect(mask(`${"a".repeat(1_000_000)}7`).length).toBeLessThan(1_000_000);
    expect(mask("%".repeat(500_000)).length).toBe(500_000);
    expect(mask("\\".repeat(500_000)).length).toBe(500_000);
  });
});
