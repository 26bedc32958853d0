import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fingerprint,
  type HostKey,
  hostKey,
  identityOf,
  parseKnownHosts,
  verifyHostKey,
} from "../../src/adapters/known-hosts.ts";

// Public keys made for this test.
const A = key("ssh-ed25519", "AAAAC3NzaC1lZDI1NTE5AAAAIDJVuyQ5VxJbz0HAjoXZmDlmuPpVrqODmYpkOS8Q2Vog");
const B = key("ssh-ed25519", "AAAAC3NzaC1lZDI1NTE5AAAAIEd1u2xS1nIoFqvXc0Zt0pXQ3y8nq1iZb7n4o1o2p3q4");
const E = key(
  "ecdsa-sha2-nistp256",
  "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBLzYxRlxbLLQ8oSPnpvVS2RYjGh8k1qlcdCVJvoVQTDP5xuYLTn/SHZ9vYPqeTlMBzPQFcbj4cKMe5FHmPCeJ24=",
);

function key(type: string, base64: string): HostKey {
  return { type, base64 };
}

function line(names: string, { type, base64 }: HostKey, marker = ""): string {
  return `${marker}${names} ${type} ${base64} a comment\n`;
}

function hashed(name: string): string {
  const salt = Buffer.from("twenty bytes of salt");
  const hash = createHmac("sha1", salt).update(name).digest("base64");
  return `|1|${salt.toString("base64")}|${hash}`;
}

const keysOf = (text: string, address: string, port = 22) => identityOf(parseKnownHosts(text), address, port).keys;

describe("known_hosts", () => {
  it.each([
    ["a plain name", line("web", A), "web", 22, [A]],
    ["one of several names", line("www,web,203.0.113.1", A), "web", 22, [A]],
    ["in any case", line("WEB.Example", A), "web.EXAMPLE", 22, [A]],
    ["several keys, in the file's order", line("web", A) + line("other", B) + line("web", E), "web", 22, [A, E]],
    ["a port", line("[web]:2222", A), "web", 2222, [A]],
    ["a port that is another", line("[web]:2222", A), "web", 22, []],
    ["an address of version 6", line("2001:db8::1", A), "2001:db8::1", 22, [A]],
    ["the same with a port", line("[2001:db8::1]:2222", A), "2001:db8::1", 2222, [A]],
    ["a hashed name", line(hashed("web"), A), "web", 22, [A]],
    ["a hashed name with its port", line(hashed("[web]:2222"), A), "web", 2222, [A]],
    ["a hash of another", line(hashed("db"), A), "web", 22, []],
    ["wildcards", line("*.example,10.0.?.1", A), "10.0.7.1", 22, [A]],
    ["a wildcard that does not fit", line("*.example", A), "example", 22, []],
    ["a negation after the match", line("*.example,!web.example", A), "web.example", 22, []],
    ["a negation before the match", line("!web.example,*.example", A), "db.example", 22, [A]],
    ["a negation alone", line("!web", A), "db", 22, []],
    ["a name that is only a part", line("webserver", A), "web", 22, []],
    ["comments and empty lines", `# web\n\n  \n ${line("web", A)}`, "web", 22, [A]],
    ["tabs and a carriage return", `web\t${A.type}\t${A.base64}\r\n`, "web", 22, [A]],
    [
      "lines that are none",
      `web\nweb ssh-ed25519\nweb ssh-ed25519 !!!\nweb ssh-rsa AAAA\n@other ${line("web", A)}`,
      "web",
      22,
      [],
    ],
    ["without its last newline", line("web", A).trimEnd(), "web", 22, [A]],
  ])("finds by %s", (_what, text, address, port, keys) => {
    expect(keysOf(text, address, port)).toEqual(keys);
  });

  it("tells known, unknown, changed and revoked", () => {
    const verdict = (text: string, presented: HostKey, port = 22) =>
      verifyHostKey(identityOf(parseKnownHosts(text), "web", port), presented);
    expect(verdict(line("web", A), A)).toBe("known");
    expect(verdict(line("web", A), B)).toBe("changed");
    expect(verdict(line("web", A), E)).toBe("changed");
    expect(verdict(line("db", A), A)).toBe("unknown");
    expect(verdict(line("web", A, "@revoked ") + line("web", A), A)).toBe("revoked");
    expect(verdict(line("*", B, "@revoked ") + line("web", A), B)).toBe("revoked");
    expect(verdict(line("web", A, "@cert-authority "), A)).toBe("unknown");
  });

  it("takes a line without the port where there is none with it, as OpenSSH does", () => {
    const text = line("web", A);
    const at = (presented: HostKey) => verifyHostKey(identityOf(parseKnownHosts(text), "web", 2222), presented);
    expect(at(A)).toBe("known");
    expect(at(B)).toBe("unknown");
    const both = text + line("[web]:2222", B);
    expect(verifyHostKey(identityOf(parseKnownHosts(both), "web", 2222), A)).toBe("changed");
  });

  it("knows a host of which only an authority is known", () => {
    const identity = (text: string) => identityOf(parseKnownHosts(text), "web", 22);
    expect(identity(line("web", A, "@cert-authority ")).authorityOnly).toBe(true);
    expect(identity(line("web", A, "@cert-authority ") + line("web", B)).authorityOnly).toBe(false);
    expect(identity("").authorityOnly).toBe(false);
  });

  it("names fingerprints as ssh-keygen does", () => {
    // `ssh-keygen -lf` of the same line.
    expect(fingerprint(A)).toBe("SHA256:dpxQe3cn2k41hXuwTAwNvYGYno+3HhjhwqR0t866K2I");
  });

  it("a key's type is what its bytes say, not what the line says", () => {
    expect(keysOf(`web ssh-rsa ${A.base64}\n`, "web")).toEqual([A]);
    expect(hostKey(Buffer.from([0, 0, 0, 99, 1, 2, 3, 4]))).toBeUndefined();
    expect(hostKey(Buffer.from([0, 0]))).toBeUndefined();
  });

  it("wildcards agree with a regular expression, and end in time", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pattern, name, (written, host) => {
        const expected = new RegExp(`^${written.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(host);
        expect(keysOf(line(written, A), host).length > 0).toBe(expected);
      }),
    );
    expect(keysOf(line(`${"*a".repeat(2000)}b`, A), "a".repeat(4000))).toEqual([]);
  });

  it("finds each of ten thousand hosts at once", () => {
    const hosts = parseKnownHosts(Array.from({ length: 10_000 }, (_, index) => line(`node-${index}`, A)).join(""));
    const started = performance.now();
    for (let index = 0; index < 10_000; index++) expect(identityOf(hosts, `node-${index}`, 22).keys).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
