import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompiledQuery } from "kysely";
import { findAccountVersion } from "../../src/audit/account-version.ts";
import { appendAudit } from "../../src/audit/log.ts";
import { openDatabase } from "../../src/db/database.ts";
import { runCompiled } from "../../src/db/port.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { watched } from "../support/engine.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

test("findAccountVersion() uses the index of the entries about a version, and reads no other entry", async () => {
  const queries: CompiledQuery[] = [];
  const engine = watched(await openSqlite(":memory:"), (query) => void queries.push(query));
  const db = await openDatabase(engine);
  const accountId = "acc_1";
  await transaction(db, async (tx) => {
    const renamed = { event: "account_renamed", accountId, subject: null, detail: { version: 3 } } as const;
    await appendAudit(tx, vault, AT, renamed);
    const made = { event: "key_generated", accountId, subject: "key_1", detail: { keyIndex: 1 } } as const;
    await appendAudit(tx, vault, AT + 1, made);
  });
  queries.length = 0;
  assert.equal(await findAccountVersion(db, vault, accountId), 3);
  assert.equal(await findAccountVersion(db, vault, "acc_2"), 0);
  const [query] = queries;
  const explained = { ...query!, sql: `explain query plan ${query!.sql}` };
  const plan = await runCompiled(db, explained as CompiledQuery<{ detail: string }>);
  assert.match(plan[0]!.detail, /USING INDEX audit_event_account_version \(account_id=\?\)$/);
  await db.destroy();
});
