import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashSecret } from "../../../src/accounts/session/bearer-secret.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import {
  changeClient,
  deleteClient,
  endPreviousSecret,
  rotateClientSecret,
} from "../../../src/oauth/client/client-administration.ts";
import { findClient, getClient } from "../../../src/oauth/client/client.ts";
import { applyDeclaredClients, DeclarationError } from "../../../src/oauth/client/declared-clients.ts";
import type { DeclaredClient } from "../../../src/oauth/client/declared-clients.ts";
import { dropMemory } from "../../support/inconsistent.ts";
import { isInconsistent } from "../../support/state.ts";
import { afterStart, auditOf, NOW, openFixture, random, register, WEB } from "../fixture.ts";
import type { Fixture } from "../fixture.ts";

const BOOKS: DeclaredClient = {
  clientId: "0".repeat(26),
  metadata: WEB,
  disabled: false,
  clientSecret: "a".repeat(32),
};
const PAGES: DeclaredClient = {
  clientId: "1".repeat(26),
  metadata: { ...WEB, name: "Pages", type: "spa", scopes: ["openid", "keys:read"] },
  disabled: true,
  clientSecret: undefined,
};

function bring({ db, services }: Fixture, declared: readonly DeclaredClient[] | undefined, now = NOW) {
  return applyDeclaredClients(db, services, declared, { now, random });
}

async function editBooks(db: Db, change: object): Promise<void> {
  await db.updateTable("client").set(change).where("id", "=", BOOKS.clientId).execute();
}

/** Reads everything that a start could write. */
async function written(fixture: Fixture) {
  const clients = await fixture.db.selectFrom("client").selectAll().orderBy("id").execute();
  return { clients, events: await auditOf(fixture) };
}

describe("applyDeclaredClients()", () => {
  test("registers the declared clients, and writes nothing the next time", async () => {
    await using fixture = await openFixture();
    await bring(fixture, [BOOKS, PAGES]);
    assert.deepEqual(await auditOf(fixture), ["client_registered", "client_registered", "client_disabled"]);
    const { authority } = fixture.services;
    const books = await getClient(fixture.db, authority, BOOKS.clientId);
    assert.equal(books.secretHash, hashSecret("a".repeat(32)));
    assert.deepEqual([books.declared, books.disabled], [true, false]);
    const pages = await getClient(fixture.db, authority, PAGES.clientId);
    assert.deepEqual([pages.declared, pages.disabled, pages.secretHash], [true, true, null]);
    assert.deepEqual([pages.keyScopes, pages.dpopBoundAccessTokens], [["keys:read"], true]);
    const before = await written(fixture);
    await bring(fixture, [PAGES, BOOKS], NOW + 1);
    assert.deepEqual(await written(fixture), before);
  });

  test("changes only the client that the file changed, with the log entries of a PATCH", async () => {
    await using fixture = await openFixture();
    await bring(fixture, [BOOKS, PAGES]);
    const events = (await auditOf(fixture)).length;
    const { postLogoutRedirectUris: _, ...metadata } = WEB;
    await bring(fixture, [{ ...BOOKS, metadata: { ...metadata, name: "Tomes" } }, PAGES], NOW + 1);
    const { db, services: { authority } } = fixture;
    const books = await getClient(db, authority, BOOKS.clientId);
    assert.deepEqual([books.name, books.postLogoutRedirectUris, books.updatedAt], ["Tomes", [], NOW + 1]);
    assert.equal((await getClient(db, authority, PAGES.clientId)).updatedAt, NOW);
    await bring(
      fixture,
      [{ ...BOOKS, clientSecret: "b".repeat(32) }, { ...PAGES, disabled: false }],
      NOW + 2,
    );
    const rotated = await getClient(db, authority, BOOKS.clientId);
    assert.equal(rotated.secretHash, hashSecret("b".repeat(32)));
    assert.equal(rotated.previousSecret, undefined);
    assert.deepEqual((await auditOf(fixture)).slice(events), [
      "client_changed",
      "client_secret_rotated",
      "client_changed",
      "client_enabled",
    ]);
  });

  test("disables a client that the file no longer has, leaves it to the administrator, and declares it again", async () => {
    await using fixture = await openFixture();
    const { db, services } = fixture;
    await bring(fixture, [BOOKS, PAGES]);
    await bring(fixture, [PAGES], NOW + 1);
    const gone = await getClient(db, services.authority, BOOKS.clientId);
    assert.deepEqual([gone.declared, gone.disabled], [false, true]);
    await bring(fixture, [PAGES, BOOKS], NOW + 2);
    const back = await getClient(db, services.authority, BOOKS.clientId);
    assert.deepEqual([back.declared, back.disabled], [true, false]);
    await bring(fixture, [PAGES], NOW + 3);
    await transaction(db, (tx) => deleteClient(tx, services, { clientId: BOOKS.clientId, now: NOW + 4 }));
    assert.equal(await findClient(db, services.authority, BOOKS.clientId), undefined);
  });

  test("without a file leaves its clients unchanged to the administrator", async () => {
    await using fixture = await openFixture();
    const { client } = await register(fixture);
    await bring(fixture, [BOOKS, PAGES]);
    await bring(fixture, undefined, NOW + 1);
    for (const [clientId, disabled] of [[BOOKS.clientId, false], [PAGES.clientId, true]] as const) {
      const { declared, ...left } = await getClient(fixture.db, fixture.services.authority, clientId);
      assert.deepEqual([declared, left.disabled], [false, disabled]);
    }
    const before = await written(fixture);
    await bring(fixture, undefined, NOW + 2);
    assert.deepEqual(await written(fixture), before);
    assert.deepEqual(await findClient(fixture.db, fixture.services.authority, client.clientId), client);
  });

  test("takes over a client of the administrator, and ends its previous secret", async () => {
    await using fixture = await openFixture();
    const { db, services } = fixture;
    const [{ client: taken }, { client: other }] = [await register(fixture), await register(fixture)];
    const { clientId } = taken;
    const value = { clientId, clientSecret: "a".repeat(32), previousUntil: NOW + 9999, now: NOW };
    await transaction(db, (tx) => rotateClientSecret(tx, services, value));
    await bring(fixture, [{ ...BOOKS, clientId }], NOW + 1);
    const after = await getClient(db, services.authority, clientId);
    assert.deepEqual([after.declared, after.previousSecret], [true, undefined]);
    assert.deepEqual(await getClient(db, services.authority, other.clientId), other);
    assert.deepEqual((await auditOf(fixture)).slice(-2), ["client_secret_ended", "client_changed"]);
  });

  test("only the file changes a declared client; the administrator changes the others", async () => {
    await using fixture = await openFixture();
    const { db, services } = fixture;
    const { client: { clientId: other } } = await register(fixture);
    await bring(fixture, [BOOKS]);
    const now = NOW + 1;
    const rotated = { clientSecret: "x".repeat(43), previousUntil: NOW + 9999, now };
    const changes = [
      (clientId: string) =>
        transaction(db, (tx) => changeClient(tx, services, { random, clientId, change: {}, now })),
      (clientId: string) =>
        transaction(db, (tx) => rotateClientSecret(tx, services, { clientId, ...rotated })),
      (clientId: string) => transaction(db, (tx) => endPreviousSecret(tx, services, { clientId, now })),
      (clientId: string) => transaction(db, (tx) => deleteClient(tx, services, { clientId, now })),
    ];
    const before = await findClient(db, services.authority, BOOKS.clientId);
    for (const change of changes) {
      await assert.rejects(
        change(BOOKS.clientId),
        (error) => error instanceof ProtocolError && error.code === "client_declared",
      );
      await change(other);
    }
    assert.deepEqual(await findClient(db, services.authority, BOOKS.clientId), before);
  });

  test("refuses another type, and names every client at fault, and changes nothing", async () => {
    await using fixture = await openFixture();
    await bring(fixture, [BOOKS, PAGES]);
    const before = await written(fixture);
    const wrong = [
      { ...BOOKS, clientId: "2".repeat(26) },
      { ...BOOKS, clientId: PAGES.clientId },
      { ...PAGES, clientId: BOOKS.clientId },
    ];
    await assert.rejects(bring(fixture, wrong, NOW + 1), (error) => {
      assert.ok(error instanceof DeclarationError);
      assert.deepEqual(error.faults.map((fault) => fault.split(",")[0]), [
        `client ${PAGES.clientId} is of type spa`,
        `client ${BOOKS.clientId} is of type web`,
      ]);
      return true;
    });
    assert.deepEqual(await written(fixture), before);
  });

  const HOSTILE: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
    "is no longer marked": (db) => editBooks(db, { declared: null }),
    "has another redirect URI": (db) => editBooks(db, { redirect_uris: '["https://evil.example/"]' }),
    "is hidden": (db) => db.deleteFrom("client").where("id", "=", BOOKS.clientId).execute(),
  };
  for (const [what, edit] of Object.entries(HOSTILE)) {
    for (const [where, declared] of [["is in", [BOOKS]], ["is no longer in", []]] as const) {
      test(`disables a client that ${where} the file and ${what} through an edit, until it is applied`, async () => {
        await using fixture = await openFixture();
        await bring(fixture, [BOOKS, PAGES]);
        const { db } = fixture;
        const row = await db.selectFrom("client").selectAll().where("id", "=", BOOKS.clientId).execute();
        await edit(db);
        const started = afterStart(fixture);
        const find = ({ services, ...each }: Fixture, { clientId }: DeclaredClient) =>
          findClient(each.db, services.authority, clientId);
        const wanted = [{ ...PAGES, disabled: false }, ...declared];
        await bring(started, wanted, NOW + 1);
        assert.equal((await find(started, PAGES))?.disabled, false);
        await assert.rejects(find(started, BOOKS), isInconsistent);
        await db.deleteFrom("client").where("id", "=", BOOKS.clientId).execute();
        await db.insertInto("client").values(row[0]!).execute();
        assert.equal((await find(started, BOOKS))?.disabled, true);
        const again = afterStart(fixture);
        await bring(again, wanted, NOW + 2);
        assert.equal((await find(again, BOOKS))?.disabled, declared.length === 0);
        // A process with another file declares it after the start of this one.
        await bring(afterStart(fixture), [{ ...BOOKS, disabled: true }], NOW + 3);
        await bring(afterStart(fixture), [BOOKS], NOW + 4);
        dropMemory(again.db);
        assert.equal((await find(again, BOOKS))?.disabled, false);
      });
    }
  }

  test("refuses a client whose id an attacker gave to a row, and changes nothing", async () => {
    await using fixture = await openFixture();
    await bring(fixture, [PAGES]);
    const row = await fixture.db.selectFrom("client").selectAll().executeTakeFirstOrThrow();
    await fixture.db.insertInto("client").values({ ...row, id: BOOKS.clientId }).execute();
    const before = await written(fixture);
    for (const each of [fixture, afterStart(fixture)]) {
      await assert.rejects(bring(each, [{ ...PAGES, disabled: false }, BOOKS], NOW + 1), (error) => {
        assert.ok(error instanceof DeclarationError, String(error));
        assert.deepEqual(error.faults, [
          `client ${BOOKS.clientId} has a row in the database that this service did not write`,
        ]);
        return true;
      });
    }
    assert.deepEqual(await written(fixture), before);
  });

  test("the file does not change a client that an attacker marks as declared", async () => {
    await using fixture = await openFixture();
    const { client } = await register(fixture);
    await fixture.db.updateTable("client").set({ declared: 1 }).where("id", "=", client.clientId).execute();
    const before = await written(fixture);
    for (const declared of [[], undefined]) {
      const started = afterStart(fixture);
      await bring(started, declared, NOW + 1);
      await assert.rejects(
        findClient(started.db, started.services.authority, client.clientId),
        isInconsistent,
      );
      await bring(fixture, declared, NOW + 1);
    }
    assert.deepEqual(await written(fixture), before);
    assert.deepEqual(await findClient(fixture.db, fixture.services.authority, client.clientId), client);
  });
});
