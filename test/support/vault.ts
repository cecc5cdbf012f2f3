import { primitives } from "../../src/runtime/crypto.ts";
import type { AuthorityKind, RowAuthority } from "../../src/vault/authority.ts";
import type { NewSigningKey, VaultPrimitives } from "../../src/vault/primitives.ts";
import { createRowAuthority } from "../../src/vault/row-authority.ts";
import { Vault } from "../../src/vault/vault.ts";

const rsaKeys: Promise<NewSigningKey>[] = [];

/**
 * The service's own primitives, but that a vault's first RSA key is that of the others of this process, and so on: to
 * make one takes 60 to 90 ms. For a database of its own alone: over one database no two vaults make the same key.
 */
export function withSharedRsaKeys(): VaultPrimitives {
  let made = 0;
  return {
    ...primitives,
    async makeSigningKey(parameters) {
      if (parameters.name !== "RSASSA-PKCS1-v1_5") return await primitives.makeSigningKey(parameters);
      const { publicJwk, pkcs8 } = await (rsaKeys[made++] ??= primitives.makeSigningKey(parameters));
      return { publicJwk, pkcs8: pkcs8.slice() };
    },
  };
}

/** A vault over a fixed seed: the same addresses, MACs and signatures each time. Sealing draws fresh salts. */
export function createTestVault(seedByte = 7, own: VaultPrimitives = primitives): Vault {
  return new Vault({
    seed: new Uint8Array(32).fill(seedByte),
    primitives: own,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
}

/** A row authority over that vault which remembers what it rejected. */
export function createTestAuthority(
  vault: Vault = createTestVault(),
): RowAuthority & { readonly rejected: { kind: AuthorityKind; row: object }[] } {
  const rejected: { kind: AuthorityKind; row: object }[] = [];
  return { ...createRowAuthority(vault, (kind, row) => rejected.push({ kind, row })), rejected };
}
