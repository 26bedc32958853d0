import ssh2 from "ssh2";

export interface KeyPair {
  /** OpenSSH format. */
  readonly privateKey: string;
  /** `ssh-ed25519 AAAA…`. */
  readonly publicKey: string;
}

/**
 * A fresh ed25519 pair. ssh2 now and then writes a key that it cannot read itself (a number with a leading zero byte
 * comes out short), hence the loop.
 */
export function newKeyPair(): KeyPair {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync("ed25519");
    const parsed = ssh2.utils.parseKey(pair.private);
    if (parsed instanceof Error) continue;
    const signature = parsed.sign(Buffer.from("probe"));
    if (signature instanceof Error) continue;
    return { privateKey: pair.private, publicKey: pair.public.trim().split(" ").slice(0, 2).join(" ") };
  }
}
