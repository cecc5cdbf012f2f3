import { fromBase64url, toBase64url, toHex, utf8 } from "../../src/lib/bytes.ts";
import type { NewSigningKey, SigningParameters, VaultPrimitives } from "../../src/lib/crypto.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import type { RowAuthority } from "../../src/vault/authority.ts";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { Vault } from "../../src/vault/vault.ts";
import { getSharedFixture } from "./shared-fixture.ts";

const derived = new Map<string, Uint8Array<ArrayBuffer>>();

/**
 * The service's primitives, but derivations that vaults over one seed share are cached: a third of their cost on Deno.
 */
const quick: VaultPrimitives = {
  ...primitives,
  hkdfSha256(secret, salt, info, length) {
    // A vault's own keys. Derivations of a seal differ each time.
    if (length !== 32) return primitives.hkdfSha256(secret, salt, info, length);
    const asked = [secret, salt, info].map(toHex).join();
    const found = derived.get(asked) ?? primitives.hkdfSha256(secret, salt, info, length);
    derived.set(asked, found);
    return found.slice();
  },
};

const rsaKeys: Promise<NewSigningKey>[] = [];

async function rsaKey(number: number, parameters: SigningParameters): Promise<NewSigningKey> {
  const bytes = await getSharedFixture(`rsa-${number}`, async () => {
    const { publicJwk, pkcs8 } = await primitives.makeSigningKey(parameters);
    return utf8(JSON.stringify({ publicJwk, pkcs8: toBase64url(pkcs8) }));
  });
  const { publicJwk, pkcs8 } = JSON.parse(new TextDecoder().decode(bytes));
  return { publicJwk, pkcs8: fromBase64url(pkcs8)! };
}

/**
 * Returns the service's primitives, but all vaults share their first RSA key, their second, and so on: making one
 * takes 60 to 220 ms. Use it only for a database of its own, because no two vaults over one database make the same
 * key.
 */
export function withSharedRsaKeys(): VaultPrimitives {
  let made = 0;
  return {
    ...quick,
    async makeSigningKey(parameters) {
      if (parameters.name !== "RSASSA-PKCS1-v1_5") return await primitives.makeSigningKey(parameters);
      const number = made++;
      const { publicJwk, pkcs8 } = await (rsaKeys[number] ??= rsaKey(number, parameters));
      return { publicJwk, pkcs8: pkcs8.slice() };
    },
  };
}

/**
 * Creates a vault over a fixed seed, with the same addresses, MACs and signatures each time. Sealing draws new salts.
 */
export function createTestVault(
  seedByte = 7,
  own: VaultPrimitives = quick,
  random: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length)),
): Vault {
  return new Vault({ seed: new Uint8Array(32).fill(seedByte), primitives: own, random });
}

/** Creates a row authority over that vault which records what it rejected, and which rows did not add up. */
export function createTestAuthority(vault: Vault = createTestVault()): RowAuthority & {
  readonly rejected: { kind: AuthorityKind; row: object }[];
  readonly inconsistent: { owner: string; kind: AuthorityKind }[];
} {
  const rejected: { kind: AuthorityKind; row: object }[] = [];
  const inconsistent: { owner: string; kind: AuthorityKind }[] = [];
  const authority = createRowAuthority(vault, () => 1_700_000_000_000, {
    onRejected: (kind, row) => void rejected.push({ kind, row }),
    onInconsistent: (owner, kind) => void inconsistent.push({ owner, kind }),
  });
  return { ...authority, rejected, inconsistent };
}
