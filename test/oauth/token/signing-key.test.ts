import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { transaction } from "../../../src/db/transaction.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/time.ts";
import {
  getSigningKey,
  KEY_ROTATION,
  maintainSigningKeys,
  publicJwks,
  rotateSigningKeys,
} from "../../../src/oauth/token/signing-key.ts";
import { isInconsistent } from "../../support/state.ts";
import { afterStart, auditOf, NOW, openFixture } from "../fixture.ts";
import type { Fixture } from "../fixture.ts";

const SLOW = { timeout: 30_000 };

async function kids({ db, services }: Fixture, now: number): Promise<string[]> {
  return (await publicJwks(db, services, now)).keys.map(({ kid }) => kid!);
}

async function current({ db, services }: Fixture, now: number): Promise<string> {
  return (await getSigningKey(db, services, { algorithm: "ES256", now })).kid;
}

function rotate({ db, services }: Fixture, now: number): Promise<string[]> {
  return rotateSigningKeys(db, services, { algorithms: ["ES256"], now });
}

describe("getSigningKey()", SLOW, () => {
  test("creates a key the first time and stores it", async () => {
    await using fixture = await openFixture();
    const first = await current(fixture, NOW);
    assert.equal(await current(fixture, NOW + DAY), first);
    assert.deepEqual(await auditOf(fixture), ["token_key_made"]);
  });

  test("returns one key to concurrent calls", async () => {
    await using fixture = await openFixture();
    const given = await Promise.all(Array.from({ length: 20 }, () => current(fixture, NOW)));
    assert.equal(new Set(given).size, 1);
    assert.deepEqual(await auditOf(fixture), ["token_key_made"]);
  });

  test("returns the first key when the clock was set back before it", async () => {
    await using fixture = await openFixture();
    assert.equal(await current(fixture, NOW), await current(fixture, NOW - DAY));
  });

  test("refuses to create a key inside a transaction", async () => {
    const { db, services } = await openFixture();
    const asking = transaction(db, (tx) => getSigningKey(tx, services, { algorithm: "ES256", now: NOW }));
    await assert.rejects(asking, TypeError);
  });
});

describe("publicJwks()", SLOW, () => {
  test("has one key of each algorithm, each kid once, and no private member (T120)", async () => {
    const { db, services } = await openFixture();
    const { keys } = await publicJwks(db, services, NOW);
    assert.deepEqual(keys.map(({ alg }) => alg).sort(), ["ES256", "EdDSA", "RS256"]);
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, 3);
    for (const key of keys) {
      assert.equal(key["use"], "sig");
      for (const member of ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]) assert.ok(!(member in key));
    }
  });
});

describe("rotateSigningKeys()", SLOW, () => {
  test("publishes at once, signs an hour later, keeps the old key while its tokens are valid (T120)", async () => {
    await using fixture = await openFixture();
    const [old, [young]] = [await current(fixture, NOW), await rotate(fixture, NOW)];
    assert.ok((await kids(fixture, NOW)).includes(young!));
    assert.equal(await current(fixture, NOW + HOUR - 1), old);
    assert.equal(await current(fixture, NOW + HOUR), young);
    assert.ok((await kids(fixture, NOW + 2 * HOUR + 5 * MINUTE - 1)).includes(old));
    assert.equal((await kids(fixture, NOW + 2 * HOUR + 5 * MINUTE)).includes(old), false);
    const gone = await fixture.db.selectFrom("token_key").select("id").where("id", "=", old).execute();
    assert.deepEqual(gone, []);
  });

  test("can be done twice in a row and keeps the key that signs", async () => {
    await using fixture = await openFixture();
    const old = await current(fixture, NOW);
    await rotate(fixture, NOW);
    const [last] = await rotate(fixture, NOW + MINUTE);
    assert.equal(await current(fixture, NOW + MINUTE), old);
    assert.equal(await current(fixture, NOW + HOUR + MINUTE), last);
  });
});

describe("maintainSigningKeys()", SLOW, () => {
  test("creates a successor of each key an hour before it is 90 days old, once", async () => {
    await using fixture = await openFixture();
    const { db, services } = fixture;
    const count = async (now: number) => {
      await Promise.all([1, 2, 3].map(() => maintainSigningKeys(db, services, now)));
      return (await db.selectFrom("token_key").select("id").execute()).length;
    };
    assert.equal(await count(NOW), 0, "first keys are made when they are asked for");
    const [oldest] = await Promise.all([1, 2, 3].map(() => kids(fixture, NOW)));
    assert.equal(oldest!.length, 3);
    assert.equal(await count(NOW + KEY_ROTATION - HOUR - 1), 3);
    const old = await current(fixture, NOW);
    assert.equal(await count(NOW + KEY_ROTATION - HOUR), 6);
    assert.equal(await current(fixture, NOW + KEY_ROTATION - 1), old);
    assert.notEqual(await current(fixture, NOW + KEY_ROTATION), old);
    assert.equal(await count(NOW + KEY_ROTATION + 2 * HOUR), 3);
  });
});

describe("an edited token key", SLOW, () => {
  const EDITS = [
    `public_jwk = replace(public_jwk, '"x":"', '"x":"A')`,
    `signs_from = signs_from - 1`,
    `sealed = x'00'`,
    `id = 'other'`,
    `algorithm = 'RS256'`,
  ];
  for (const edit of EDITS) {
    test(`neither signs nor is published: ${edit.split(" ")[0]!}`, async () => {
      await using fixture = await openFixture();
      const before = await getSigningKey(fixture.db, fixture.services, { algorithm: "ES256", now: NOW });
      await sql.raw(`update token_key set ${edit}`).execute(fixture.db);
      const stored = await fixture.db.selectFrom("token_key").selectAll().execute();
      const started = afterStart(fixture);
      await assert.rejects(current(started, NOW), isInconsistent);
      await assert.rejects(kids(started, NOW), isInconsistent);
      await assert.rejects(rotate(started, NOW), isInconsistent);
      assert.deepEqual(await fixture.db.selectFrom("token_key").selectAll().execute(), stored);
      assert.ok(fixture.rejected.every(({ kind }) => kind === "token_key") && fixture.rejected.length > 0);
      const { db, services } = fixture;
      assert.deepEqual(
        await getSigningKey(db, services, { algorithm: "ES256", now: NOW }),
        before,
        "from memory",
      );
    });
  }
});
