import { describe, test } from "node:test";
import assert from "node:assert/strict";
import {
  findPasskeyRow,
  insertPasskey,
  listPasskeys,
  readPasskeyName,
  recordUse,
  storedCredential,
  userHandleOf,
} from "../../../src/accounts/passkey/passkey.ts";
import type { AnsweredChallenge } from "../../../src/accounts/passkey/answered-challenges.ts";
import type { Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { toBase64url, utf8 } from "../../../src/lib/bytes.ts";
import type { VerifiedAssertion } from "../../../src/webauthn/authentication.ts";
import { WebAuthnError } from "../../../src/webauthn/error.ts";
import type { WebAuthnErrorCode } from "../../../src/webauthn/error.ts";
import { removeRow } from "../../../src/store/write.ts";
import { isInconsistent } from "../../support/state.ts";
import { NOW, openFixture, random } from "../fixture.ts";
import { insertPerson, someCredential } from "../people.ts";

const failure = (code: WebAuthnErrorCode) => (error: unknown) =>
  error instanceof WebAuthnError && error.code === code;

async function stored(signCount = 0) {
  const fixture = await openFixture();
  const credential = someCredential({ signCount, transports: ["hybrid", "internal"] });
  const person = await insertPerson(fixture, "alice@example.com", credential);
  const { db, services: { authority }, rejected } = fixture;
  const find = () => findPasskeyRow(db, authority, credential.credentialId);
  const row = (await find())!;
  const record = (
    assertion: Pick<VerifiedAssertion, "signCount" | "backedUp">,
    now: number,
    challenge: AnsweredChallenge = { challenge: toBase64url(random(32)), issuedAt: now },
  ): Promise<void> => transaction(db, (tx) => recordUse(tx, authority, row, { assertion, challenge, now }));
  return { record, fixture, db, authority, rejected, credential, ...person, find, row };
}

describe("passkey", () => {
  test("insertPasskey() stores the credential byte for byte", async () => {
    const { row, credential, account } = await stored(0xffff_ffff);
    assert.deepEqual(storedCredential(row), {
      credentialId: credential.credentialId,
      publicKey: credential.publicKey,
      algorithm: -7,
      signCount: 0xffff_ffff,
      backupEligible: true,
      userHandle: utf8(account.id),
    });
  });

  test("insertPasskey() changes nothing when the credential id exists (T164)", async () => {
    const { fixture, db, authority, credential, row, find } = await stored();
    const mallory = await insertPerson(fixture, "mallory@evil.example");
    const value = { accountId: mallory.account.id, name: "Mine now", now: NOW, random };
    const again = someCredential({ credentialId: credential.credentialId });
    assert.equal(await insertPasskey(db, authority, { ...value, credential: again }), undefined);
    assert.deepEqual(await find(), row);
    assert.equal((await listPasskeys(db, authority, mallory.account.id)).length, 1);
  });

  test("insertPasskey() stores a credential id once when called twenty times at once", async () => {
    const { fixture, db, authority } = await stored();
    const { account } = await insertPerson(fixture, "bob@example.com");
    const value = { accountId: account.id, credential: someCredential(), name: "New", now: NOW, random };
    const all = await Promise.all(Array.from({ length: 20 }, () => insertPasskey(db, authority, value)));
    assert.equal(all.filter((passkey) => passkey !== undefined).length, 1);
  });

  test("listPasskeys() returns the account's own, oldest first", async () => {
    const { fixture, db, authority, account, passkey } = await stored();
    await insertPerson(fixture, "bob@example.com");
    const value = { accountId: account.id, credential: someCredential(), name: "Second", random };
    const second = await insertPasskey(db, authority, { ...value, now: NOW + 1 });
    assert.deepEqual(await listPasskeys(db, authority, account.id), [passkey, second]);
    assert.deepEqual(passkey.transports, ["hybrid", "internal"]);
  });

  test("listPasskeys() returns no transports when the column has an invalid value", async () => {
    const { db, authority, account } = await stored();
    for (const transports of ["", "{", "null", '{"a":1}', "[1,null]"]) {
      await db.updateTable("passkey").set({ transports }).execute();
      const [passkey] = await listPasskeys(db, authority, account.id);
      assert.deepEqual(passkey?.transports, [], transports);
    }
  });

  test("userHandleOf() is at most 64 bytes and not the address", async () => {
    const { account } = await stored();
    assert.ok(userHandleOf(account.id).length <= 64);
    assert.equal(account.id.includes("alice"), false);
  });
});

describe("readPasskeyName()", () => {
  test("readPasskeyName() trims", () => {
    assert.equal(readPasskeyName("  Laptop \u{1f4bb} "), "Laptop \u{1f4bb}");
    assert.equal(readPasskeyName("\u{1f4bb}".repeat(100)), "\u{1f4bb}".repeat(100));
  });
  const refused = ["", "   ", "a\nb", "a\0b", "a\u2028b", "\ud800", "x".repeat(101), "\u{1f4bb}".repeat(101)];
  for (const text of refused) {
    test(`readPasskeyName() returns undefined when the name is ${JSON.stringify(text).slice(0, 30)}`, () => {
      assert.equal(readPasskeyName(text), undefined);
    });
  }
});

describe("recordUse()", () => {
  test("recordUse() stores counter, backup state and time", async () => {
    const { record, find } = await stored(4);
    await record({ signCount: 5, backedUp: true }, NOW + 9);
    const used = await find();
    assert.deepEqual([used?.sign_count, used?.backed_up, used?.last_used_at], [5, 1, NOW + 9]);
  });

  test("recordUse() requires a higher counter", async () => {
    const { record, row, find } = await stored(4);
    for (const signCount of [4, 3, 0]) {
      const use = record({ signCount, backedUp: true }, NOW + 9);
      await assert.rejects(use, failure("sign_count"), String(signCount));
    }
    assert.deepEqual(await find(), row);
  });

  test("recordUse() accepts zero after zero", async () => {
    const { record } = await stored(0);
    await record({ signCount: 0, backedUp: true }, NOW);
    await record({ signCount: 0, backedUp: true }, NOW);
  });

  test("recordUse() accepts one of ten parallel assertions with the same counter", async () => {
    const { record, find } = await stored(4);
    const use = () => record({ signCount: 5, backedUp: false }, NOW);
    const all = await Promise.allSettled(Array.from({ length: 10 }, use));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await find())?.sign_count, 5);
  });

  test("recordUse() ends at the highest counter when parallel assertions arrive in any order", async () => {
    const { record, find } = await stored(4);
    await Promise.allSettled(
      [7, 9, 5, 8, 6].map((signCount) => record({ signCount, backedUp: false }, NOW)),
    );
    assert.equal((await find())?.sign_count, 9);
  });

  test("recordUse() refuses a challenge that the passkey answered before", async () => {
    const { record, find } = await stored();
    const use = (challenge: AnsweredChallenge) => record({ signCount: 0, backedUp: true }, NOW, challenge);
    const challenges = Array.from({ length: 10 }, (_, index): AnsweredChallenge => (
      { challenge: toBase64url(random(32)), issuedAt: NOW + index }
    ));
    for (const each of challenges.slice(1, 9)) await use(each);
    const before = await find();
    // The first was not answered, but is older than those that the row names.
    for (const each of challenges.slice(0, 9)) await assert.rejects(use(each), failure("challenge"));
    assert.deepEqual(await find(), before);
    await use(challenges[9]!);
    for (const each of challenges) await assert.rejects(use(each), failure("challenge"));
  });

  test("recordUse() accepts challenges in another order than they were issued in", async () => {
    const { record } = await stored();
    const use = (issuedAt: number) =>
      record({ signCount: 0, backedUp: true }, NOW, { challenge: toBase64url(random(32)), issuedAt });
    for (const issuedAt of [NOW + 9, NOW, NOW, NOW + 5]) await use(issuedAt);
  });

  test("recordUse() calls a passkey that is gone unknown, and not copied", async () => {
    const { db, authority, record, row } = await stored();
    await transaction(db, (tx) => removeRow(tx, authority, "passkey", row));
    const use = record({ signCount: 1, backedUp: false }, NOW);
    await assert.rejects(use, failure("unknown_credential"));
  });

  test("recordUse() is refused as inconsistent when the passkey was deleted in the database", async () => {
    const { db, record } = await stored();
    await db.deleteFrom("passkey").execute();
    await assert.rejects(record({ signCount: 1, backedUp: false }, NOW), isInconsistent);
  });
});

describe("findPasskeyRow() and an edited database", () => {
  const edits: Record<string, (row: Tables["passkey"]) => Partial<Tables["passkey"]>> = {
    id: () => ({ id: "passkey_other" }),
    public_key: () => ({ public_key: random(77) }),
    algorithm: () => ({ algorithm: -257 }),
    aaguid: () => ({ aaguid: "11111111-1111-1111-1111-111111111111" }),
    backup_eligible: () => ({ backup_eligible: 0 }),
    created_at: (row) => ({ created_at: row.created_at + 1 }),
    mac: () => ({ mac: new Uint8Array(32) }),
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`findPasskeyRow() and listPasskeys() are refused as inconsistent when ${column} was edited`, async () => {
      const { db, authority, account, row, find, rejected } = await stored();
      await db.updateTable("passkey").set(edit(row)).execute();
      await assert.rejects(find(), isInconsistent);
      await assert.rejects(listPasskeys(db, authority, account.id), isInconsistent);
      assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["passkey"]);
    });
  }

  test("findPasskeyRow() returns undefined when a passkey was moved to a victim's account", async () => {
    const { fixture, db, find } = await stored();
    const victim = await insertPerson(fixture, "victim@example.com");
    await db.updateTable("passkey").set({ account_id: victim.account.id }).where(
      "id",
      "!=",
      victim.passkey.id,
    )
      .execute();
    assert.equal(await find(), undefined);
  });

  test("findPasskeyRow() returns undefined when a passkey got another credential id", async () => {
    const { db, authority } = await stored();
    const credentialId = random(32);
    await db.updateTable("passkey").set({ credential_id: credentialId }).execute();
    assert.equal(await findPasskeyRow(db, authority, credentialId), undefined);
  });

  test("findPasskeyRow() returns undefined when an attacker inserted a copy for a victim", async () => {
    const { fixture, db, authority, row } = await stored();
    const victim = await insertPerson(fixture, "victim@example.com");
    const credentialId = random(32);
    const forged = {
      ...row,
      id: "passkey_forged",
      account_id: victim.account.id,
      credential_id: credentialId,
    };
    await db.insertInto("passkey").values(forged).execute();
    assert.equal(await findPasskeyRow(db, authority, credentialId), undefined);
  });

  test("findPasskeyRow() still finds it when only unauthenticated columns were edited", async () => {
    const { db, find } = await stored();
    await db.updateTable("passkey").set({
      name: "x",
      transports: "[]",
      sign_count: 9,
      backed_up: 1,
      last_used_at: 1,
    })
      .execute();
    assert.notEqual(await find(), undefined);
  });
});
