import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompiledQuery } from "kysely";
import { connectDatabase } from "../../src/db/database.ts";
import { engineOf } from "../../src/db/port.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { sweepExpired } from "../../src/db/sweep.ts";
import { MINUTE } from "../../src/lib/time.ts";
import { MOST_ATTEMPTS } from "../../src/lib/delivery.ts";
import { claimDue, countStuckMails } from "../../src/mail/delivery.ts";
import { listOutbox } from "../../src/mail/outbox.ts";
import { openTestDatabase } from "../support/database.ts";
import { watched } from "../support/engine.ts";
import { createTestVault } from "../support/vault.ts";

const NOW = 1_700_000_000_000;

/** Returns SQLite's query plan of each statement on the outbox that the job runs. */
async function plansOf(job: (db: Db) => Promise<unknown>): Promise<readonly string[]> {
  const engine = engineOf(await openTestDatabase());
  const queries: CompiledQuery[] = [];
  const db = connectDatabase(watched(engine, (query) => queries.push(query)));
  const mail = { id: "mail_1", sealed: new Uint8Array(9), created_at: 0, expires_at: NOW + 1 };
  await db.insertInto("outbox").values({ ...mail, attempts: 0, next_attempt_at: 0 }).execute();
  queries.length = 0;
  await job(db);
  const outboxQueries = queries.filter(({ sql }) => sql.includes("outbox"));
  const plans = await Promise.all(outboxQueries.map(async ({ sql, parameters }) => {
    const { rows } = await engine.run<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    );
    return rows.map(({ detail }) => detail).join("; ");
  }));
  await db.destroy();
  return plans;
}

describe("a long outbox", () => {
  test("claimDue() reads no row of a mail that it does not claim", async () => {
    const plans = await plansOf((db) => claimDue(db, { limit: 8, now: NOW }));
    assert.deepEqual(plans.slice(0, 2), [
      "SEARCH outbox USING INDEX outbox_next_attempt_at (next_attempt_at<?)",
      "SEARCH outbox USING COVERING INDEX outbox_expires_at (expires_at>?)",
    ]);
    assert.match(plans[2]!, /^SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 \(id=\?\)/);
    assert.equal(plans.length, 3);
  });

  test("listOutbox() reads from the newest, without sorting", async () => {
    const plans = await plansOf((db) => listOutbox(db, createTestVault(), NOW));
    assert.deepEqual(plans, ["SCAN outbox USING INDEX outbox_created_at"]);
  });

  test("countStuckMails() and the sweep read an index only", async () => {
    assert.deepEqual(await plansOf((db) => countStuckMails(db, NOW)), [
      "SEARCH outbox USING COVERING INDEX outbox_expires_at (expires_at>?)",
    ]);
    const [sweep] = await plansOf((db) => sweepExpired(db, NOW, (batch) => batch()));
    assert.match(sweep!, /SEARCH outbox USING COVERING INDEX outbox_expires_at \(expires_at<\?\)/);
  });

  test("claimDue() runs one query if nothing is due, and dropped mails are not due", async () => {
    const engine = engineOf(await openTestDatabase());
    let statements = 0;
    const db = connectDatabase(watched(engine, () => statements++));
    const mail = { sealed: new Uint8Array(9), created_at: 0, expires_at: NOW + MINUTE };
    await db.insertInto("outbox").values([
      { ...mail, id: "mail_later", attempts: 1, next_attempt_at: NOW + 1 },
      { ...mail, id: "mail_given_up", attempts: MOST_ATTEMPTS, next_attempt_at: 0 },
    ]).execute();
    statements = 0;
    assert.deepEqual(await claimDue(db, { limit: 8, now: NOW }), []);
    assert.equal(statements, 1);
    const [claimed] = await claimDue(db, { limit: 8, now: NOW + 1 });
    assert.equal(claimed?.id, "mail_later");
    await db.destroy();
  });
});
