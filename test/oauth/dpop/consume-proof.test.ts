import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openDatabase } from "../../../src/db/database.ts";
import { createGroupCommit } from "../../../src/db/group-commit.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { ProofError } from "../../../src/oauth/dpop/proof-key.ts";
import type { Proof } from "../../../src/oauth/dpop/proof.ts";
import { consumeProof } from "../../../src/oauth/dpop/consume-proof.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { openTestDatabase } from "../../support/database.ts";
import { rerunning } from "../../support/engine.ts";
import { openLyingDatabase } from "../../support/lying-database.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const NOW = 1_700_000_000_000;
const PROOF: Proof = { jkt: "a", id: "1", endsAt: NOW + 1000 };

/** Simulates a process with this database. Uses a proof and returns true if it was valid. */
function processOver(db: Db): (proof?: Proof, now?: number) => Promise<boolean> {
  const groupCommit = createGroupCommit(db);
  return async (like = PROOF, now = NOW) => {
    // A new object for each request, as if parsed.
    const proof = { ...like };
    try {
      await groupCommit.run((tx) => consumeProof(tx, proof, now));
      return true;
    } catch (error) {
      if (error instanceof ProofError && error.code === "invalid_dpop_proof") return false;
      throw error;
    }
  };
}

describe("consumeProof()", () => {
  test("accepts a proof once, however many requests send it at once", async () => {
    const db = await openTestDatabase();
    const consume = processOver(db);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => consume()));
    assert.equal(outcomes.filter((taken) => taken).length, 1);
    assert.equal(await consume(), false);
    assert.equal((await db.selectFrom("dpop_proof").selectAll().execute()).length, 1);
    await db.destroy();
  });

  test("accepts another proof of the same key, and the same jti of another key", async () => {
    const db = await openTestDatabase();
    const consume = processOver(db);
    for (const [jkt, id] of [["a", "1"], ["a", "2"], ["b", "1"], ["a1", ""], ["", "a1"]] as const) {
      assert.equal(await consume({ ...PROOF, jkt, id }), true);
    }
    await db.destroy();
  });

  test("refuses a proof that another process accepted", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "test.db");
    const [first, second] = [
      await openDatabase(await openSqlite(path)),
      await openDatabase(await openSqlite(path)),
    ];
    const outcomes = await Promise.all([first, second].map((db) => processOver(db)()));
    assert.deepEqual(outcomes.toSorted(), [false, true]);
    assert.equal(await processOver(second)({ ...PROOF, id: "2" }), true);
    assert.equal(await processOver(first)({ ...PROOF, id: "2" }), false);
    await first.destroy();
    await second.destroy();
  });

  test("refuses a used proof when an attacker deletes its row, or lets the database report none", async () => {
    const liar = await openLyingDatabase();
    const consume = processOver(liar.db);
    assert.equal(await consume(), true);
    await liar.db.deleteFrom("dpop_proof").execute();
    assert.equal(await consume(), false);
    liar.lie = ({ act, table }) =>
      Promise.resolve(act === "insert" && table === "dpop_proof" ? [{}] : undefined);
    assert.equal(await consume(), false);
    await liar.db.destroy();
  });

  test("refuses a proof whose transaction failed, because a retry needs a new proof", async () => {
    const liar = await openLyingDatabase();
    const consume = processOver(liar.db);
    liar.lie = () => Promise.reject(new Error("The disk is full"));
    await assert.rejects(consume(), /disk is full/);
    liar.lie = undefined;
    assert.equal(await consume(), false);
    assert.equal(await consume({ ...PROOF, id: "2" }), true);
    await liar.db.destroy();
  });

  test("accepts a proof when its transaction is retried, and not for another request", async () => {
    const db = await openTestDatabase(rerunning);
    const consume = processOver(db);
    assert.deepEqual([await consume(), await consume()], [true, false]);
    await db.destroy();
  });

  test("evicts expired proofs", async () => {
    const db = await openTestDatabase();
    const consume = processOver(db);
    assert.equal(await consume(), true);
    await db.deleteFrom("dpop_proof").execute();
    assert.equal(await consume({ ...PROOF, id: "2", endsAt: NOW + 9000 }, NOW + 1000), true);
    // Its nonce has expired, so no request depends on it. Shows that the process has evicted it.
    assert.equal(await consume(PROOF, NOW + 1000), true);
    await db.destroy();
  });
});
