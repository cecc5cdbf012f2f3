import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { primitives } from "../../src/runtime/crypto.ts";
import { TeeUnavailableError } from "../../src/tee/tee.ts";
import type { Tee } from "../../src/tee/tee.ts";
import { VaultRefusal } from "../../src/vault/error.ts";
import type { VaultRefusalCode } from "../../src/vault/error.ts";
import { prepareReseal, storeReseal } from "../../src/vault/reseal.ts";
import { openVault } from "../../src/vault/seed.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { openTestDatabase } from "../support/database.ts";

const OLD = Uint8Array.from({ length: 32 }, (_, index) => index);
const NEW = OLD.with(0, 1);
const THIRD = OLD.with(0, 2);

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

function teeWith(key: Uint8Array, given: Uint8Array[] = []): Tee {
  return {
    provider: "simulated",
    inTee: false,
    keyProvider: { name: "simulated", id: "", verified: null },
    forgetSealingKey: () => {},
    sealingKey: () => {
      given.push(key.slice());
      return Promise.resolve(given.at(-1)!);
    },
    quote: () => Promise.reject(new TeeUnavailableError("Cannot quote: not in this test")),
  };
}

function openWith(db: Db, key: Uint8Array): Promise<Vault> {
  return openVault(db, { tee: teeWith(key), primitives, random, now: 0 });
}

function addressOf(vault: Vault): string {
  return vault.ethereumPublicKey("account_1", 0).address.toHex();
}

async function withSeed(job: (db: Db, address: string) => Promise<void>): Promise<void> {
  const db = await openTestDatabase();
  try {
    await job(db, addressOf(await openWith(db, OLD)));
  } finally {
    await db.destroy();
  }
}

const keys = (from: Uint8Array, to: Uint8Array) => ({
  from: teeWith(from),
  to: teeWith(to),
  primitives,
  random,
});

function refusal(code: VaultRefusalCode): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof VaultRefusal, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

function rows(db: Db): Promise<unknown> {
  return db.selectFrom("sealed_seed").selectAll().execute();
}

describe("prepareReseal()", () => {
  test("opens the vault under the old key and writes nothing", async () => {
    await withSeed(async (db, address) => {
      const before = await rows(db);
      const prepared = await prepareReseal(db, keys(OLD, NEW));
      assert.equal(addressOf(prepared.vault), address);
      assert.deepEqual(await rows(db), before);
    });
  });

  test("wipes every sealing key that it got", async () => {
    await withSeed(async (db) => {
      const given: Uint8Array[] = [];
      await prepareReseal(db, { from: teeWith(OLD, given), to: teeWith(NEW, given), primitives, random });
      assert.equal(given.length, 3);
      for (const key of given) assert.ok(key.every((byte) => byte === 0));
    });
  });

  const REFUSALS:
    readonly (readonly [title: string, from: Uint8Array, to: Uint8Array, code: VaultRefusalCode])[] = [
      ["another key than the seed's", THIRD, NEW, "wrong_sealing_key"],
      ["the same key twice", OLD, OLD, "same_sealing_key"],
      ["a new key of zeros", OLD, new Uint8Array(32), "sealing_key_unavailable"],
      ["a new key that is too short", OLD, NEW.slice(1), "sealing_key_unavailable"],
    ];
  for (const [title, from, to, code] of REFUSALS) {
    test(`refuses ${title}`, async () => {
      await withSeed(async (db) => {
        const before = await rows(db);
        await assert.rejects(prepareReseal(db, keys(from, to)), refusal(code));
        assert.deepEqual(await rows(db), before);
      });
    });
  }

  test("refuses a database without a seed", async () => {
    const db = await openTestDatabase();
    await assert.rejects(prepareReseal(db, keys(OLD, NEW)), refusal("seed_missing"));
    await db.destroy();
  });
});

describe("storeReseal()", () => {
  test("stores the prepared seed: the new key opens it, and the old one does not", async () => {
    await withSeed(async (db, address) => {
      const prepared = await prepareReseal(db, keys(OLD, NEW));
      await transaction(db, (tx) => storeReseal(tx, prepared));
      await assert.rejects(openWith(db, OLD), refusal("wrong_sealing_key"));
      assert.equal(addressOf(await openWith(db, NEW)), address);
    });
  });

  test("refuses after another reseal, and keeps that one's", async () => {
    await withSeed(async (db, address) => {
      const late = await prepareReseal(db, keys(OLD, NEW));
      const early = await prepareReseal(db, keys(OLD, THIRD));
      await transaction(db, (tx) => storeReseal(tx, early));
      await assert.rejects(transaction(db, (tx) => storeReseal(tx, late)), refusal("seed_replaced"));
      assert.equal(addressOf(await openWith(db, THIRD)), address);
    });
  });

  test("refuses to write outside a transaction", async () => {
    await withSeed(async (db) => {
      const prepared = await prepareReseal(db, keys(OLD, NEW));
      await assert.rejects(storeReseal(db, prepared), TypeError);
    });
  });
});
