import process from "node:process";
import { findAnyAccount } from "../accounts/account.ts";
import { type Environment, readConfig } from "../config/config.ts";
import { closeDatabase } from "../db/database.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { createRowAuthority } from "../audit/row-authority.ts";
import { getValue, readArguments, readNumber } from "./process/arguments.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { random } from "./process/random.ts";
import { UsageError } from "./process/refusal.ts";
import { openConfiguredVaultToRead } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const DERIVE_USAGE = "derive --account ID --index N [--count N]";

const LAST_INDEX = 0xffff_ffff;
const MOST = 10_000;

/** The requested addresses: `count` indexes of an account, from `index` on. */
export interface Derivation {
  readonly accountId: string;
  readonly index: number;
  readonly count: number;
}

export interface DerivedAddresses {
  readonly isKnownAccount: boolean;
  readonly addresses: readonly { readonly index: number; readonly address: string }[];
}

/**
 * Derives the addresses of an account's keys with EIP-55 checksum, created or not. Never returns a private key.
 * Writes nothing, so that a service may be running. Also derives addresses for an unknown account.
 */
export async function deriveAddresses(
  config: StorageConfig,
  { accountId, index, count }: Derivation,
  context: { readonly now: Instant; readonly random: RandomBytes },
): Promise<DerivedAddresses> {
  const { db, vault } = await openConfiguredVaultToRead(config, context);
  try {
    const account = await findAnyAccount(db, createRowAuthority(vault, Date.now), accountId);
    const addresses = Array.from({ length: count }, (_, offset) => {
      const { address } = vault.ethereumPublicKey(accountId, index + offset);
      return { index: index + offset, address: toChecksumAddress(address) };
    });
    return { isKnownAccount: account !== undefined, addresses };
  } finally {
    await closeDatabase(db);
  }
}

function readDerivation(list: readonly string[]): Derivation {
  const given = readArguments(list, { values: ["account", "index", "count"] });
  const accountId = getValue(given, "account");
  const index = readNumber(getValue(given, "index"), { option: "index", least: 0, most: LAST_INDEX });
  const count = readNumber(given.values.get("count") ?? "1", { option: "count", least: 1, most: MOST });
  if (index + count - 1 > LAST_INDEX) throw new UsageError(`the last index is ${LAST_INDEX}`);
  return { accountId, index, count };
}

export async function derive(environment: Environment, list: readonly string[]): Promise<void> {
  const derivation = readDerivation(list);
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const derived = await withDatabaseLock(
    config,
    "use",
    () => deriveAddresses(config, derivation, { now: Date.now(), random }),
  );
  if (!derived.isKnownAccount) {
    process.stderr.write(
      `holdfast: the database has no account ${derivation.accountId}; its keys would have these addresses:\n`,
    );
  }
  printResult(derived.addresses.map(({ index, address }) => `${index} ${address}\n`).join(""));
}
