import { primitives } from "../../src/runtime/crypto.ts";
import type { AuthorityKind, RowAuthority } from "../../src/vault/authority.ts";
import { createRowAuthority } from "../../src/vault/row-authority.ts";
import { Vault } from "../../src/vault/vault.ts";

/** A vault over a fixed seed: the same addresses, MACs and signatures each time. Sealing draws fresh salts. */
export function createTestVault(seedByte = 7): Vault {
  return new Vault({
    seed: new Uint8Array(32).fill(seedByte),
    primitives,
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
