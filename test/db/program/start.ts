// Opens the database at the first argument, appends the given number of audit entries, each in its own transaction,
// and exits.
import process from "node:process";
import { appendAudit } from "../../../src/audit/log.ts";
import { closeDatabase, openDatabase } from "../../../src/db/database.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { createTestVault } from "../../support/vault.ts";

const [path, subject, entries] = process.argv.slice(2);
const db = await openDatabase(await openSqlite(path!));
const vault = createTestVault();
for (let index = 0; index < Number(entries); index++) {
  const event = { event: "signed_out", accountId: null, subject: subject!, detail: {} } as const;
  await transaction(db, (tx) => appendAudit(tx, vault, index, event));
}
await closeDatabase(db);
