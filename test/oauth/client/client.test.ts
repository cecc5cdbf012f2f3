import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { newSecret } from "../../../src/lib/id.ts";
import { hashSecret } from "../../../src/accounts/session/bearer-secret.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import type { ProblemCode } from "../../../src/lib/error.ts";
import {
  changeClient,
  deleteClient,
  endPreviousSecret,
  rotateClientSecret,
} from "../../../src/oauth/client/client-administration.ts";
import type { ClientChange, ClientMetadata } from "../../../src/oauth/client/client-metadata.ts";
import { findClient, getClient, listClients } from "../../../src/oauth/client/client.ts";
import { isInconsistent } from "../../support/state.ts";
import { afterStart, auditOf, NOW, openFixture, random, register, WEB } from "../fixture.ts";
import type { Fixture } from "../fixture.ts";

function problem(code: ProblemCode, ...paths: string[]): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof ProtocolError) || error.code !== code) throw error;
    const places = error.errors?.map(({ path, parameter }) => path ?? parameter);
    assert.deepEqual(places ?? [], paths);
    return true;
  };
}

function change({ db, services }: Fixture, clientId: string, changed: ClientChange, now = NOW + 1) {
  return transaction(db, (tx) => changeClient(tx, services, { random, clientId, change: changed, now }));
}

describe("registerClient()", () => {
  test("stores the metadata, and issues a secret to a web client, of which only the hash is stored", async () => {
    await using fixture = await openFixture();
    const { client, clientSecret } = await register(fixture, { name: "  Books " });
    assert.deepEqual({ ...client, clientId: "" }, {
      ...WEB,
      clientId: "",
      tokenEndpointAuthMethod: "client_secret_basic",
      keys: undefined,
      backchannelLogoutUri: undefined,
      backchannelLogoutSessionRequired: false,
      idTokenSignedResponseAlg: "ES256",
      requirePushedAuthorizationRequests: false,
      deviceGrant: false,
      disabled: false,
      declared: false,
      keyScopes: [],
      claimScopes: [],
      groups: null,
      dpopBoundAccessTokens: false,
      createdAt: NOW,
      updatedAt: NOW,
      secretHash: hashSecret(clientSecret!),
      previousSecret: undefined,
    });
    assert.match(clientSecret!, /^[A-Za-z0-9]{43}$/);
    assert.match(client.clientId, /^[0-9a-v]{26}$/);
    const rows = JSON.stringify(await fixture.db.selectFrom("client").selectAll().execute());
    assert.equal(rows.includes(clientSecret!), false);
    assert.deepEqual(await findClient(fixture.db, fixture.services.authority, client.clientId), client);
    assert.deepEqual(await auditOf(fixture), ["client_registered"]);
  });

  for (const type of ["spa", "native"] as const) {
    test(`issues no secret to a ${type} client`, async () => {
      await using fixture = await openFixture();
      const { client, clientSecret } = await register(fixture, { type, idTokenSignedResponseAlg: "RS256" });
      assert.equal(clientSecret, undefined);
      assert.equal(client.secretHash, null);
      assert.equal(client.idTokenSignedResponseAlg, "RS256");
    });
  }

  const REFUSED: readonly (readonly [Partial<ClientMetadata>, ...string[]])[] = [
    [{ name: " " }, "/name"],
    [{ name: "a".repeat(101) }, "/name"],
    [{ name: "a\nb" }, "/name"],
    [{ uri: "http://books.example" }, "/uri"],
    [{ uri: "com.example.app:/", type: "native" }, "/uri"],
    [{ uri: "javascript:alert(1)" }, "/uri"],
    [{ redirectUris: [] }, "/redirectUris"],
    [{ redirectUris: ["https://a.example/", "https://a.example/"] }, "/redirectUris/1"],
    [{ redirectUris: Array.from({ length: 51 }, (_, i) => `https://a.example/${i}`) }, "/redirectUris"],
    [{ redirectUris: ["https://a.example/#", "com.example.app:/cb"] }, "/redirectUris/0", "/redirectUris/1"],
    [{ postLogoutRedirectUris: ["http://a.example/"] }, "/postLogoutRedirectUris/0"],
    [{ redirectUris: ["https://a.example/?iss=https://evil.example"] }, "/redirectUris/0"],
    [{ postLogoutRedirectUris: ["https://a.example/?%73tate=1"] }, "/postLogoutRedirectUris/0"],
  ];
  for (const [metadata, ...paths] of REFUSED) {
    test(`refuses ${JSON.stringify(metadata).slice(0, 70)}`, async () => {
      await using fixture = await openFixture();
      await assert.rejects(register(fixture, metadata), problem("invalid_request", ...paths));
      assert.deepEqual(await auditOf(fixture), []);
    });
  }
});

describe("changeClient()", () => {
  test("changes the given members only", async () => {
    await using fixture = await openFixture();
    const { client } = await register(fixture);
    const redirectUris = ["https://new.example/cb"];
    const changed = await change(fixture, client.clientId, { name: "Shelf", redirectUris });
    assert.deepEqual(changed, { ...client, name: "Shelf", redirectUris, updatedAt: NOW + 1 });
    assert.deepEqual(await findClient(fixture.db, fixture.services.authority, client.clientId), changed);
    assert.deepEqual(await auditOf(fixture), ["client_registered", "client_changed"]);
  });

  test("disables and enables, each recorded once", async () => {
    await using fixture = await openFixture();
    const { client } = await register(fixture);
    for (const disabled of [true, true, false, false]) {
      assert.equal((await change(fixture, client.clientId, { disabled })).disabled, disabled);
    }
    assert.deepEqual(await auditOf(fixture), ["client_registered", "client_disabled", "client_enabled"]);
  });

  test("applies the rules of the client's type", async () => {
    await using fixture = await openFixture();
    const { client } = await register(fixture);
    const changing = change(fixture, client.clientId, { redirectUris: ["com.example.app:/cb"] });
    await assert.rejects(changing, problem("invalid_request", "/redirectUris/0"));
  });
});

describe("rotateClientSecret()", () => {
  test("issues a new secret and removes the old one (T73)", async () => {
    await using fixture = await openFixture();
    const before = await register(fixture);
    const { clientId } = before.client;
    const after = await transaction(
      fixture.db,
      (tx) =>
        rotateClientSecret(tx, fixture.services, {
          clientId,
          clientSecret: newSecret(random),
          previousUntil: undefined,
          now: NOW + 1,
        }),
    );
    assert.notEqual(after.clientSecret, before.clientSecret);
    assert.equal(after.client.secretHash, hashSecret(after.clientSecret!));
    assert.deepEqual(await auditOf(fixture), ["client_registered", "client_secret_rotated"]);
  });

  test("refuses for a public client", async () => {
    await using fixture = await openFixture();
    const { client: { clientId } } = await register(fixture, { type: "spa" });
    const rotating = transaction(
      fixture.db,
      (tx) =>
        rotateClientSecret(tx, fixture.services, {
          clientId,
          clientSecret: newSecret(random),
          previousUntil: undefined,
          now: NOW,
        }),
    );
    await assert.rejects(rotating, problem("public_client"));
  });
});

test("every change of an unknown client throws not_found", async () => {
  const { db, services } = await openFixture();
  for (const clientId of ["", "0".repeat(26), "a\0b", "client_1"]) {
    await assert.rejects(getClient(db, services.authority, clientId), problem("not_found"));
    const value = { clientId, previousUntil: undefined, now: NOW };
    await transaction(db, async (tx) => {
      await assert.rejects(
        changeClient(tx, services, { random, ...value, change: {} }),
        problem("not_found"),
      );
      const rotation = { ...value, clientSecret: newSecret(random) };
      await assert.rejects(rotateClientSecret(tx, services, rotation), problem("not_found"));
      await assert.rejects(endPreviousSecret(tx, services, value), problem("not_found"));
      await assert.rejects(deleteClient(tx, services, value), problem("not_found"));
    });
  }
});

describe("listClients()", () => {
  test("lists every client once, oldest first, page by page", async () => {
    await using fixture = await openFixture();
    const made: string[] = [];
    for (let index = 0; index < 5; index++) {
      made.push((await register(fixture, {}, NOW + (index >> 1))).client.clientId);
    }
    const listed: { createdAt: number; clientId: string }[] = [];
    let after: string | undefined;
    do {
      const page = await listClients(fixture.db, fixture.services.authority, { after, limit: 2 });
      assert.ok(page.clients.length <= 2);
      listed.push(...page.clients);
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(listed.map(({ createdAt }) => createdAt - NOW), [0, 0, 1, 1, 2]);
    assert.deepEqual(listed.map(({ clientId }) => clientId).sort(), made.sort());
  });

  test("refuses an invalid cursor", async () => {
    const { db, services } = await openFixture();
    for (const after of ["", "1", "1.x", `x.${"0".repeat(26)}`, `${"9".repeat(16)}.${"0".repeat(26)}`]) {
      const listing = listClients(db, services.authority, { after, limit: 1 });
      await assert.rejects(listing, problem("invalid_request", "cursor"));
    }
  });
});

/** Edits of a client by an attacker with database access. */
const EDITS = [
  `redirect_uris = '["https://evil.example/cb"]'`,
  `post_logout_redirect_uris = '["https://evil.example/"]'`,
  `secret_hash = '${hashSecret("x".repeat(43))}'`,
  `type = 'native'`,
  `name = 'Bank'`,
  `disabled = 1`,
];
for (const edit of EDITS) {
  test(`a client with an edited ${edit.split(" ")[0]!} is not used`, async () => {
    await using fixture = await openFixture();
    const { client } = await register(fixture);
    const { clientId } = client;
    await sql.raw(`update client set ${edit}`).execute(fixture.db);
    const { db, services: { authority } } = afterStart(fixture);
    await assert.rejects(findClient(db, authority, clientId), isInconsistent);
    const { clients } = await listClients(db, authority, { after: undefined, limit: 9 });
    assert.deepEqual(clients, [], "a list leaves it out");
    await assert.rejects(change(afterStart(fixture), clientId, { name: "x" }), isInconsistent);
    assert.deepEqual([...new Set(fixture.rejected.map(({ kind }) => kind))], ["client"]);
    assert.deepEqual(await findClient(fixture.db, authority, clientId), client, "from memory");
  });
}

test("deleteClient() deletes all rows of the client", async () => {
  const fixture = await openFixture();
  const { client: { clientId } } = await register(fixture);
  await transaction(fixture.db, (tx) => deleteClient(tx, fixture.services, { clientId, now: NOW }));
  assert.equal(await findClient(fixture.db, fixture.services.authority, clientId), undefined);
  assert.deepEqual(await auditOf(fixture), ["client_registered", "client_deleted"]);
});
