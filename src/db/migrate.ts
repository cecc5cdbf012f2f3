import { Migrator, sql } from "kysely";
import type { Migration } from "kysely";
import { printable } from "../lib/text.ts";
import { DatabaseError } from "./error.ts";
import * as init from "./migrations/0001_init.ts";
import * as oauth from "./migrations/0002_oauth.ts";
import * as identity from "./migrations/0003_identity.ts";
import * as outbox from "./migrations/0004_outbox.ts";
import * as devices from "./migrations/0005_devices.ts";
import * as broker from "./migrations/0006_broker.ts";
import * as outboxDue from "./migrations/0008_outbox_due.ts";
import * as refreshTokens from "./migrations/0008_refresh_tokens.ts";
import * as auditWatch from "./migrations/0012_audit_watch.ts";
import * as apiTokens from "./migrations/0014_api_tokens.ts";
import * as grantState from "./migrations/0015_grant_state.ts";
import * as tokenPolicy from "./migrations/0016_token_policy.ts";
import * as keyPolicy from "./migrations/0017_key_policy.ts";
import * as dpopProofs from "./migrations/0018_dpop_proofs.ts";
import * as keyGrants from "./migrations/0019_key_grants.ts";
import * as tokenKeys from "./migrations/0019_token_keys.ts";
import * as keyAddress from "./migrations/0021_key_address.ts";
import * as signingRequests from "./migrations/0020_signing_requests.ts";
import * as invitations from "./migrations/0022_invitations.ts";
import * as recovery from "./migrations/0023_recovery.ts";
import * as accountChanges from "./migrations/0024_account_changes.ts";
import * as accountDeletions from "./migrations/0025_account_deletions.ts";
import * as clientSecrets from "./migrations/0026_client_secrets.ts";
import * as accountLanguage from "./migrations/0027_account_language.ts";
import * as idempotentAnswers from "./migrations/0029_idempotent_answers.ts";
import * as declaredClients from "./migrations/0031_declared_clients.ts";
import * as backchannelLogout from "./migrations/0032_backchannel_logout.ts";
import * as accountVersions from "./migrations/0033_account_versions.ts";
import * as fewerPages from "./migrations/0034_fewer_pages.ts";
import * as hintedSid from "./migrations/0035_hinted_sid.ts";
import * as cheapPredicate from "./migrations/0036_cheap_predicate.ts";
import * as rejectedRows from "./migrations/0037_rejected_rows.ts";
import { engineOf, forMigrator, inTransaction } from "./port.ts";
import type { Db } from "./schema.ts";

/**
 * Every migration by name, in order of name. Forward only; what is released is never edited. Each is written once, for
 * every engine, in the words of a strict SQLite table: `text`, `integer`, `blob`, `) strict`. What PostgreSQL is told in
 * their place stands in `language/postgres-migration.ts`, which refuses words that it does not know; a statement is one
 * `sql` with no parameters. A test goes through all of them.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001_init": init,
  "0002_oauth": oauth,
  "0003_identity": identity,
  "0004_outbox": outbox,
  "0005_devices": devices,
  "0006_broker": broker,
  "0008_outbox_due": outboxDue,
  "0008_refresh_tokens": refreshTokens,
  "0012_audit_watch": auditWatch,
  "0014_api_tokens": apiTokens,
  "0015_grant_state": grantState,
  "0016_token_policy": tokenPolicy,
  "0017_key_policy": keyPolicy,
  "0018_dpop_proofs": dpopProofs,
  "0019_key_grants": keyGrants,
  "0019_token_keys": tokenKeys,
  "0020_signing_requests": signingRequests,
  "0021_key_address": keyAddress,
  "0022_invitations": invitations,
  "0023_recovery": recovery,
  "0024_account_changes": accountChanges,
  "0025_account_deletions": accountDeletions,
  "0026_client_secrets": clientSecrets,
  "0027_account_language": accountLanguage,
  "0029_idempotent_answers": idempotentAnswers,
  "0031_declared_clients": declaredClients,
  "0032_backchannel_logout": backchannelLogout,
  "0033_account_versions": accountVersions,
  "0034_fewer_pages": fewerPages,
  "0035_hinted_sid": hintedSid,
  "0036_cheap_predicate": cheapPredicate,
  "0037_rejected_rows": rejectedRows,
};

/** The same, by name alone. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);

/** Where a database has the names of its migrations. */
export const MIGRATION_TABLE = "kysely_migration";

/**
 * Brings the schema up to date: all pending migrations in one transaction, so that a failing one leaves nothing and
 * of several processes starting at once exactly one runs them. Throws `DatabaseError` `newer_schema`, with nothing
 * written, when the database has migrations this program does not know. With `names` it stops after those: as an older
 * version of the program.
 */
export async function migrate(db: Db, names: readonly string[] = MIGRATION_NAMES): Promise<void> {
  const { applied } = await refuseNewerSchema(db);
  // A migration ends with a look at all references, which takes half a minute over a million accounts.
  if (applied.length > 0 && names.every((name) => applied.includes(name))) return;
  await inTransaction(db, engineOf(db).migration, async (tx) => {
    // A newer process may have migrated between the two looks.
    await refuseNewerSchema(tx);
    const migrations = Object.fromEntries(names.map((name) => [name, MIGRATIONS[name]!]));
    const provider = { getMigrations: () => Promise.resolve(migrations) };
    const migrator = new Migrator({ db: forMigrator(tx), provider, disableTransactions: true });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  });
}

/** Which migrations a database has had, by name. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Known to this program and not applied yet. */
  readonly pending: readonly string[];
  /** Applied by a newer program. */
  readonly unknown: readonly string[];
}

/** Where a database stands in the row of migrations. Only reads; does not check the tables themselves. */
export async function readSchema(db: Db): Promise<SchemaState> {
  const applied = await appliedMigrations(db);
  return {
    applied,
    pending: Object.keys(MIGRATIONS).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  };
}

async function appliedMigrations(db: Db): Promise<string[]> {
  // The engine asks outside of any transaction, and one thing where kysely asks for every column of every table.
  if (!db.isTransaction) return (await engineOf(db).readSchema(MIGRATION_TABLE)).migrations.toSorted();
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === MIGRATION_TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db);
  return rows.map((row) => row.name).sort();
}

async function refuseNewerSchema(db: Db): Promise<SchemaState> {
  const state = await readSchema(db);
  const { unknown } = state;
  if (unknown.length > 0) {
    throw new DatabaseError(
      "newer_schema",
      `Cannot open database: it was written by a newer version (migration ${
        printable(unknown.at(-1)!)
      } is unknown here)`,
    );
  }
  return state;
}

/**
 * Refuses a database whose schema is not this program's. For whoever must not migrate: throws `DatabaseError`
 * `newer_schema` or `older_schema`, with nothing written.
 */
export async function requireCurrentSchema(db: Db): Promise<void> {
  const { pending } = await refuseNewerSchema(db);
  if (pending.length > 0) {
    throw new DatabaseError(
      "older_schema",
      `Cannot use database: migration ${pending[0]} is missing; start the service of this version once`,
    );
  }
}
