import { describe, expect, it } from "vitest";
import { secretInText } from "../../src/model/secret-in-text.ts";

describe("a line that looks like a secret", () => {
  it.each([
    "-----BEGIN OPENSSH PRIVATE KEY-----",
    "API_TOKEN=s3cr3tvalue",
    'export DB_PASSWORD="hunter2!"',
    "db.password: hunter2!",
    '  "apiKey": "abcdef",',
    "requirepass hunter2x",
    "auth-token = abc.def",
    "PrivateKey = yAnz5TF+lXXJte14tjiBlFzkjHOR8Wfbd2HnP9fHrEk=",
    "Environment=DB_PASSWORD=hunter2!",
    "url: postgres://app:hunter2@db.example.org/app",
    "  - token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "root:$6$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789:19000:0:99999:7:::",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
  ])("is: %s", (line) => {
    const found = secretInText(`first\n${line}\nlast`);
    expect(found).toMatchObject({ line: 2, reason: expect.any(String) });
    expect(found?.reason).not.toContain("hunter2");
  });

  it.each([
    "heartbeat_interval_seconds: 60",
    "PasswordAuthentication no",
    "password required pam_unix.so",
    "TOKEN_FILE=/run/token",
    "PASSWORD=",
    "ExecStart=/usr/bin/app --token-file /run/token",
    "see https://example.org/docs?a=b",
    "-----BEGIN CERTIFICATE-----",
    "server { listen 80; }",
    "",
  ])("is not: %s", (line) => expect(secretInText(line)).toBeNull());

  it("is looked for in time that grows with the text, whatever a node wrote", () => {
    const nasty = [
      " ".repeat(262_144),
      "a=".repeat(131_072),
      ":".repeat(262_144),
      `${"$6$".repeat(80_000)}`,
      "eyJ".repeat(87_000),
    ];
    const begin = performance.now();
    for (const text of nasty) secretInText(text);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
