import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { transaction } from "../../src/db/transaction.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import {
  createIdempotent,
  IDEMPOTENCY_LIFETIME,
  runIdempotent,
  SECRET_LIFETIME,
} from "../../src/limits/idempotency.ts";
import type { IdempotentRequest, IdempotentResult } from "../../src/limits/idempotency.ts";
import { SealError } from "../../src/vault/error.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";
import type { KeyStore } from "../support/key-store.ts";

const [ACCOUNT, OTHER] = ["acc_1", "acc_2"] as const;
const REQUEST = { holder: ACCOUNT, accountId: ACCOUNT, idempotencyKey: "k", request: "r", now: NOW };

const isCode = (code: string) => (error: unknown) => error instanceof ProtocolError && error.code === code;

describe("runIdempotent()", () => {
  test("returns the stored answer for 24 hours, for the same holder and request only", async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { db, maker } = store;
    let made = 0;
    const ask = (change: Partial<IdempotentRequest> = {}) =>
      transaction(
        db,
        (tx) =>
          runIdempotent(
            tx,
            maker.authority,
            { ...REQUEST, ...change },
            () => Promise.resolve(`answer ${++made}`),
          ),
      );
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ["answer 1", "answer 1", "answer 1"]);
    await assert.rejects(ask({ request: "other" }), isCode("idempotency_mismatch"));
    assert.equal(await ask({ holder: OTHER, accountId: OTHER }), "answer 2");
    assert.equal(await ask({ idempotencyKey: "K" }), "answer 3");
    assert.equal(await ask({ now: NOW + IDEMPOTENCY_LIFETIME - 1 }), "answer 1");
    assert.equal(await ask({ now: NOW + IDEMPOTENCY_LIFETIME }), "answer 4");
    await db.updateTable("idempotent_answer").set({ answer: "forged" }).execute();
    assert.equal(await ask({ now: NOW + IDEMPOTENCY_LIFETIME }), "answer 5");
  });

  test("stores nothing when the operation fails", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    const ask = (make: () => Promise<string>) =>
      transaction(store.db, (tx) => runIdempotent(tx, store.maker.authority, REQUEST, make));
    await assert.rejects(ask(() => Promise.reject(new Error("broken"))), /broken/);
    assert.equal(await ask(() => Promise.resolve("answer")), "answer");
  });
});

describe("createIdempotent()", () => {
  /** Stages requests with another secret each. `made` counts creations, and `told` the calls after the commit. */
  function stageOf({ db, maker }: KeyStore) {
    const stage = { prepared: 0, made: 0, notified: 0 };
    const ask = (change: Partial<IdempotentRequest> = {}): Promise<IdempotentResult> =>
      createIdempotent(db, maker, { ...REQUEST, ...change }, () => {
        const secret = `secret ${++stage.prepared}`;
        return {
          secret,
          make: () => Promise.resolve(`made ${++stage.made} with ${secret}`),
          made: () => void stage.notified++,
        };
      });
    return { stage, ask };
  }

  test("returns the answer and secret of one of several concurrent calls, and notifies once", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    const { stage, ask } = stageOf(store);
    const answers = [...await Promise.all([ask(), ask(), ask(), ask()]), await ask()];
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]!.answer, `made 1 with ${answers[0]!.secret}`);
    assert.deepEqual([stage.made, stage.notified], [1, 1]);
  });

  test("prepares nothing for a stored answer, refuses another request, and separates holders", async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { stage, ask } = stageOf(store);
    await ask();
    await ask();
    await assert.rejects(ask({ request: "other" }), isCode("idempotency_mismatch"));
    assert.equal(stage.prepared, 1);
    assert.equal((await ask({ holder: OTHER, accountId: OTHER })).secret, "secret 2");
    assert.equal((await ask({ holder: "admin", accountId: null })).secret, "secret 3");
  });

  test("returns the secret for ten minutes, creates nothing else for 24 hours, and then creates again", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    const { stage, ask } = stageOf(store);
    const first = await ask();
    assert.deepEqual(await ask({ now: NOW + SECRET_LIFETIME - 1 }), first);
    await assert.rejects(ask({ now: NOW + SECRET_LIFETIME }), isCode("already_made"));
    // The clock was set back.
    await assert.rejects(ask({ now: NOW - SECRET_LIFETIME }), isCode("already_made"));
    await assert.rejects(ask({ now: NOW + IDEMPOTENCY_LIFETIME - 1 }), isCode("already_made"));
    assert.equal(stage.made, 1);
    assert.equal((await ask({ now: NOW + IDEMPOTENCY_LIFETIME })).secret, "secret 2");
  });

  test("encrypts the secret, bound to its row", async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { ask } = stageOf(store);
    await ask();
    await ask({ holder: OTHER, accountId: OTHER });
    const rows = await store.db.selectFrom("idempotent_answer").selectAll().orderBy("holder").execute();
    for (const { sealed } of rows) assert.ok(!new TextDecoder("latin1").decode(sealed!).includes("secret"));
    // A row with a valid MAC and the secret of another owner.
    const { mac: _, ...row } = { ...rows[0]!, sealed: rows[1]!.sealed };
    const mac = store.maker.vault.mac("idempotent_answer", row);
    await store.db.updateTable("idempotent_answer").set({ ...row, mac }).where("holder", "=", ACCOUNT)
      .execute();
    await assert.rejects(ask(), SealError);
  });

  test("stores an answer without a secret too, and nothing without a key", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    const { db, maker } = store;
    let count = 0;
    const prepare = () => ({ secret: undefined, make: () => Promise.resolve(`${++count}`), made: () => {} });
    assert.deepEqual(await createIdempotent(db, maker, REQUEST, prepare), { answer: "1", secret: undefined });
    const late = { ...REQUEST, now: NOW + SECRET_LIFETIME };
    assert.deepEqual(await createIdempotent(db, maker, late, prepare), { answer: "1", secret: undefined });
    assert.equal((await createIdempotent(db, maker, undefined, prepare)).answer, "2");
    assert.equal((await db.selectFrom("idempotent_answer").select("holder").execute()).length, 1);
  });

  test("is deleted with its account", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    const { ask } = stageOf(store);
    await ask({ holder: "session_1" });
    await ask({ holder: "admin", accountId: null });
    await store.db.deleteFrom("account").execute();
    const rows = await store.db.selectFrom("idempotent_answer").select("holder").execute();
    assert.deepEqual(rows, [{ holder: "admin" }]);
  });
});
