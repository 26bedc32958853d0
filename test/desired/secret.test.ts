import { describe, expect, it } from "vitest";
import { secretReason } from "../../src/model/secret.ts";

describe("inline-secret", () => {
  it.each([
    ["TOKEN", "hunter2"],
    ["DB_PASSWORD", "hunter2"],
    ["db_password", "correct horse battery staple"],
    ["PASSWORD_2", "hunter2"],
    ["API_KEY", "0123456789abcdef"],
    ["APIKEY", "0123456789abcdef"],
    ["AWS_SECRET_ACCESS_KEY", "abc/def+ghi"],
    ["CREDENTIALS", '{"a":1}'],
    ["SECRET_VALUE", "x"],
    ["ANYTHING", "-----BEGIN RSA PRIVATE KEY-----\nMIIE"],
    ["ANYTHING", `ghp_${"a".repeat(36)}`],
    ["ANYTHING", "AKIAIOSFODNN7EXAMPLE"],
    ["DATABASE_URL", "postgres://app:hunter2@db.example.org/app"],
  ])("takes %s=%s for one", (name, value) =>
    expect(secretReason(name, value)).toMatch(/^(its name says|the value is) /),
  );

  it.each([
    ["LOG", "info"],
    ["TOKEN", ""],
    ["TOKEN_FILE", "/run/secrets/token"],
    ["PASSWORD", "/run/secrets/password"],
    ["TOKEN_URL", "https://auth.example.org/token"],
    ["AUTH_TOKEN", "https://auth.example.org/token"],
    ["TOKEN_TTL", "60s"],
    ["MAX_TOKENS", "4096"],
    ["SECRET", "false"],
    ["PASSENGER_COUNT", "3"],
    ["KEYBOARD", "us"],
    ["MONKEY", "banana"],
    ["DATABASE_URL", "postgres://app@db.example.org/app"],
    ["CERT", "-----BEGIN CERTIFICATE-----"],
  ])("lets %s=%s pass", (name, value) => expect(secretReason(name, value)).toBeNull());
});
