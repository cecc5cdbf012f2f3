import assert from "node:assert/strict";
import { test } from "node:test";
import { countSignatures } from "../../src/audit/signature-counts.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { DAY } from "../../src/lib/time.ts";
import { openTestDatabase } from "../support/database.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30);

type Entry = readonly [at: number, event: string, key: string | null, detail: object | string];

const ENTRIES: readonly Entry[] = [
  [NOW - 3 * DAY, "message_signed", "key_a", {}],
  [NOW - DAY, "message_signed", "key_a", { digest: "0x", by: "token_1" }],
  [NOW - DAY, "typed_data_signed", "key_b", { by: "grant_1", client: "books" }],
  [NOW, "transaction_signed", "key_a", { by: "grant_2", client: "books" }],
  [NOW, "authorization_signed", "key_a", {}],
  [NOW, "signature_asked", "key_a", { by: "token_1" }],
  // An edited entry.
  [NOW, "message_signed", "key_a", "{no JSON"],
  [NOW + 2 * DAY, "message_signed", "key_a", {}],
];

async function open(): Promise<Db> {
  const db = await openTestDatabase();
  const bytes = new Uint8Array(32);
  for (const [index, [at, event, subject, detail]] of ENTRIES.entries()) {
    await db.insertInto("audit_event").values({
      seq: index + 1,
      at,
      event,
      account_id: "acc_1",
      subject,
      detail: typeof detail === "string" ? detail : JSON.stringify(detail),
      state: null,
      hash: bytes,
      mac: bytes,
    }).execute();
  }
  return db;
}

test("countSignatures() counts by day, key and program, the most first", async () => {
  const db = await open();
  const found = await countSignatures(db, { accountId: "acc_1", keyId: undefined, days: 3, now: NOW });
  assert.deepEqual(found.days, [
    { date: "2026-01-29", count: 0 },
    { date: "2026-01-30", count: 2 },
    { date: "2026-01-31", count: 3 },
  ]);
  assert.deepEqual(found.keys, [
    { id: "key_a", counts: [0, 1, 3], sum: 4 },
    { id: "key_b", counts: [0, 1, 0], sum: 1 },
  ]);
  assert.deepEqual(found.programs, [
    { id: "books", counts: [0, 1, 1], sum: 2 },
    { id: null, counts: [0, 0, 2], sum: 2 },
    { id: "token_1", counts: [0, 1, 0], sum: 1 },
  ]);
  await db.destroy();
});

test("countSignatures() counts those of one key, and none of another account", async () => {
  const db = await open();
  const which = { accountId: "acc_1", keyId: "key_b", days: 3, now: NOW };
  const { days, keys, programs } = await countSignatures(db, which);
  assert.deepEqual(days.map(({ count }) => count), [0, 1, 0]);
  assert.deepEqual([keys.length, programs.map(({ id }) => id)], [1, ["books"]]);
  const other = await countSignatures(db, { ...which, accountId: "acc_2" });
  assert.deepEqual([other.keys, other.programs], [[], []]);
  await db.destroy();
});
