import { insertAccount } from "../../src/accounts/account.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import type { KeyMaker } from "../../src/keys/key-row.ts";
import type { RandomBytes } from "../../src/lib/id.ts";
import { openTestDatabase } from "./database.ts";
import { createTestAuthority, createTestVault } from "./vault.ts";

export const NOW = Date.UTC(2026, 0, 31, 9, 30);

/** A database with accounts, and the services that create keys. */
export interface KeyStore extends AsyncDisposable {
  readonly db: Db;
  readonly maker: KeyMaker;
  readonly random: RandomBytes;
  /** `kind id` of every row that was found not authentic. */
  readonly rejected: string[];
}

/** Creates an in-memory database with the given accounts. */
export async function createKeyStore(accountIds: readonly string[]): Promise<KeyStore> {
  const db = await openTestDatabase();
  const vault = createTestVault();
  const authority = createTestAuthority(vault);
  for (const id of accountIds) {
    await insertAccount(db, authority, {
      id,
      email: `${id}@example.com`,
      emailProvedBy: "code",
      language: "en",
      now: NOW,
    });
  }
  return {
    db,
    maker: { vault, authority },
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    get rejected(): string[] {
      return authority.rejected.map(({ kind, row }) => `${kind} ${(row as { id?: string }).id}`);
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}
