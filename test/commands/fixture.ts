import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import type { OpenedVault } from "../../src/commands/open/vault.ts";
import { addConfiguredSlot } from "../../src/commands/seal-add.ts";
import { listSlots } from "../../src/commands/seal-list.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { transaction } from "../../src/db/transaction.ts";
import { toChecksumAddress } from "../../src/ethereum/address.ts";
import { createKey } from "../../src/keys/key.ts";
import { insertAccount } from "../../src/accounts/account.ts";
import { MOST_SLOTS } from "../../src/sealing/slots.ts";
import { createRowAuthority } from "../../src/audit/row-authority.ts";

/** The time at which the commands run. */
export const NOW = Date.UTC(2026, 0, 31, 9, 30);

export function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

export const MEANS = { now: NOW, random };

export function placesIn(folder: string): StorageConfig {
  return readConfig({ DATA_DIR: folder, TEE: "simulated" });
}

/** Returns the path of the configured key file. */
export function configuredKey({ dataDir }: StorageConfig): string {
  return join(dataDir, "simulated-sealing-key");
}

/** Creates a key file of 32 random bytes with mode 0600. */
export function makeKey(path: string): string {
  writeFileSync(path, random(32), { mode: 0o600 });
  return path;
}

/** Replaces the configured key; undefined deletes it. */
export function useKey(places: StorageConfig, path: string | undefined): void {
  rmSync(configuredKey(places), { force: true });
  if (path === undefined) return;
  copyFileSync(path, configuredKey(places));
  chmodSync(configuredKey(places), 0o600);
}

/** Adds slots for keys of files in a folder, until no more is accepted. */
export async function fillSlots(places: StorageConfig, folder: string): Promise<void> {
  for (let count = (await listSlots(places)).length; count < MOST_SLOTS; count++) {
    const to = `file:${makeKey(join(folder, `filling-${count}`))}`;
    await addConfiguredSlot(places, { to, mode: "write" }, MEANS);
  }
}

/** Opens the database like a start, runs the job and closes it. */
export async function started<T>(
  places: StorageConfig,
  job: (openedVault: OpenedVault) => Promise<T>,
): Promise<T> {
  const openedVault = await openConfiguredVault(places, MEANS);
  try {
    return await job(openedVault);
  } finally {
    await closeDatabase(openedVault.db);
  }
}

/** Adds an account with that many keys to the open database. */
export async function addAccount({ db, vault }: OpenedVault, id: string, keys: number): Promise<void> {
  const authority = createRowAuthority(vault, Date.now);
  const account = { id, email: `${id}@example.com`, emailProvedBy: null, language: "en", now: NOW } as const;
  const value = { accountId: id, label: undefined, now: NOW, random };
  for (let count = 0; count < keys; count++) {
    await transaction(db, async (tx) => {
      // In one transaction with the first key, whose entry names the state of both.
      if (count === 0) await insertAccount(tx, authority, account);
      await createKey(tx, { vault, authority }, value);
    });
  }
}

/** The files of a folder, restored with mode 0600. */
export type Snapshot = readonly (readonly [name: string, bytes: Uint8Array])[];

/** Reads every file of a folder. Copies are faster than the starts that created them. */
export function snapshotOf(folder: string): Snapshot {
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]);
}

/** Writes the files into a folder. */
export function putSnapshot(folder: string, files: Snapshot): void {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes, { mode: 0o600 });
}

let sealed: Snapshot | undefined;

/** Creates a folder as a start leaves it, with an account of two keys. The sealing key is always the same. */
export async function makeSealed(folder: string): Promise<StorageConfig> {
  const places = placesIn(folder);
  if (sealed !== undefined) {
    putSnapshot(folder, sealed);
    return places;
  }
  await started(places, (openedVault) => addAccount(openedVault, "acct_1", 2));
  sealed = snapshotOf(folder);
  return places;
}

/** Starts, derives every key again and returns the addresses in the rows. */
export async function addressesAfterStart(places: StorageConfig): Promise<string[]> {
  return await started(places, async ({ db, vault }) => {
    const rows = await db.selectFrom("ethereum_key").selectAll().orderBy("account_id").orderBy("key_index")
      .execute();
    return rows.map((row) => {
      const derived = vault.ethereumPublicKey(row.account_id, row.key_index).address.toHex();
      if (derived !== row.address.toHex()) throw new Error("A key has another address than its row");
      return toChecksumAddress(row.address);
    });
  });
}

/** Returns the SHA-256 of every file in a folder. Skips indexes, locks and empty logs, which contain no data. */
export function contents(folder: string): Record<string, string> {
  const holdsData = (name: string): boolean =>
    !/-shm$|\.lock$/.test(name) && !(name.endsWith("-wal") && readFileSync(join(folder, name)).length === 0);
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder).filter(holdsData).sort();
  return Object.fromEntries(
    names.map((name) => [name, createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")]),
  );
}
