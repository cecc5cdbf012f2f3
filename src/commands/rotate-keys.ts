import { type Environment, readConfig } from "../config/config.ts";
import { closeDatabase } from "../db/database.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { rotateSigningKeys, TOKEN_ALGORITHMS } from "../oauth/token/signing-key.ts";
import { createRowAuthority } from "../audit/row-authority.ts";
import { readArguments } from "./process/arguments.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { random } from "./process/random.ts";
import { UsageError } from "./process/refusal.ts";
import { openConfiguredVault } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const ROTATE_KEYS_USAGE = `rotate-keys [--algorithm ${TOKEN_ALGORITHMS.join("|")}]`;

type Algorithm = (typeof TOKEN_ALGORITHMS)[number];

/**
 * Creates new token-signing keys and returns their ids (RFC 7638). Publishes them at once and signs with them after
 * an hour. The old ones stay published until all tokens they signed have expired. A service may be running.
 */
export async function rotateKeys(
  config: StorageConfig,
  algorithms: readonly Algorithm[],
  context: { readonly now: Instant; readonly random: RandomBytes },
): Promise<string[]> {
  const { db, vault } = await openConfiguredVault(config, context);
  try {
    const authority = createRowAuthority(vault, () => context.now);
    const services = { vault, authority, groupCommit: createGroupCommit(db) };
    return await rotateSigningKeys(db, services, { algorithms, now: context.now });
  } finally {
    await closeDatabase(db);
  }
}

function readAlgorithms(list: readonly string[]): readonly Algorithm[] {
  const name = readArguments(list, { values: ["algorithm"] }).values.get("algorithm");
  if (name === undefined) return TOKEN_ALGORITHMS;
  const algorithm = TOKEN_ALGORITHMS.find((known) => known === name);
  if (algorithm === undefined) {
    throw new UsageError(`--algorithm must be one of ${TOKEN_ALGORITHMS.join(", ")}`);
  }
  return [algorithm];
}

export async function rotate(environment: Environment, list: readonly string[]): Promise<void> {
  const algorithms = readAlgorithms(list);
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const job = (): Promise<string[]> => rotateKeys(config, algorithms, { now: Date.now(), random });
  for (const kid of await withDatabaseLock(config, "use", job)) printResult(kid + "\n");
}
