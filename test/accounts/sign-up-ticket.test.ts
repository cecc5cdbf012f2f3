import { describe, test } from "node:test";
import assert from "node:assert/strict";
import {
  consumeTicket,
  findTicket,
  issueTicket,
  TICKET_LIFETIME,
} from "../../src/accounts/sign-up-ticket.ts";
import { readToken } from "../../src/accounts/session/bearer-secret.ts";
import type { Tables } from "../../src/db/schema/schema.ts";
import { MINUTE } from "../../src/lib/time.ts";
import { NOW, openFixture, random } from "./fixture.ts";

const EMAIL = "alice@example.com";

async function issued() {
  const { db, services: { authority }, rejected } = await openFixture();
  const token = await issueTicket(db, authority, { email: EMAIL, now: NOW, random });
  const { id, secret } = readToken(token, "ticket")!;
  return { db, authority, rejected, token, id, secret };
}

describe("sign-up ticket", () => {
  test("findTicket() returns the address and the reserved account id for the right token", async () => {
    const { db, authority, token, id } = await issued();
    const ticket = await findTicket(db, authority, { token, now: NOW });
    assert.equal(ticket?.id, id);
    assert.equal(ticket?.email, EMAIL);
    assert.match(ticket!.accountId, /^account_[0-9a-v]{26}$/);
  });

  test("issueTicket() stores no secret", async () => {
    const { db, secret } = await issued();
    assert.doesNotMatch(
      JSON.stringify(await db.selectFrom("sign_up_ticket").selectAll().execute()),
      new RegExp(secret),
    );
  });

  test("findTicket() returns undefined for another secret, an unknown id and an invalid token", async () => {
    const { db, authority, id, secret } = await issued();
    const other = await issueTicket(db, authority, { email: EMAIL, now: NOW, random });
    const wrongSecret = `${id}.${readToken(other, "ticket")!.secret}`;
    const wrongId = `ticket_${"0".repeat(26)}.${secret}`;
    for (const text of [wrongSecret, wrongId, "", "nonsense"]) {
      assert.equal(await findTicket(db, authority, { token: text, now: NOW }), undefined, text);
    }
  });

  test("findTicket() and consumeTicket() return undefined from the fifteenth minute on", async () => {
    const { db, authority, token, id } = await issued();
    assert.equal(TICKET_LIFETIME, 15 * MINUTE);
    const end = NOW + TICKET_LIFETIME;
    assert.notEqual(await findTicket(db, authority, { token, now: end - 1 }), undefined);
    assert.equal(await findTicket(db, authority, { token, now: end }), undefined);
    assert.equal(await consumeTicket(db, authority, { id, now: end }), undefined);
  });

  test("consumeTicket() returns the ticket once when called fifty times at once", async () => {
    const { db, authority, id, token } = await issued();
    const all = await Promise.all(
      Array.from({ length: 50 }, () => consumeTicket(db, authority, { id, now: NOW })),
    );
    assert.equal(all.filter((ticket) => ticket !== undefined).length, 1);
    assert.equal(await findTicket(db, authority, { token, now: NOW }), undefined);
  });

  const edits: Record<string, (row: Tables["sign_up_ticket"]) => Partial<Tables["sign_up_ticket"]>> = {
    email: () => ({ email: "mallory@evil.example" }),
    account_id: () => ({ account_id: "account_00000000000000000000000000" }),
    expires_at: (row) => ({ expires_at: row.expires_at + 1 }),
    created_at: (row) => ({ created_at: row.created_at + 1 }),
    mac: () => ({ mac: new Uint8Array(32) }),
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`findTicket() and consumeTicket() return undefined when ${column} was edited`, async () => {
      const { db, authority, rejected, token, id } = await issued();
      const row = await db.selectFrom("sign_up_ticket").selectAll().executeTakeFirstOrThrow();
      await db.updateTable("sign_up_ticket").set(edit(row)).execute();
      assert.equal(await findTicket(db, authority, { token, now: NOW }), undefined);
      assert.equal(await consumeTicket(db, authority, { id, now: NOW }), undefined);
      assert.deepEqual(rejected.map(({ kind }) => kind), ["sign_up_ticket", "sign_up_ticket"]);
    });
  }

  test("findTicket() returns undefined when an attacker replaced the secret of a ticket", async () => {
    const { db, authority, rejected, id } = await issued();
    const own = await issueTicket(db, authority, { email: "mallory@evil.example", now: NOW, random });
    const { id: ownId, secret } = readToken(own, "ticket")!;
    const { secret_hash } = await db.selectFrom("sign_up_ticket").select("secret_hash").where(
      "id",
      "=",
      ownId,
    )
      .executeTakeFirstOrThrow();
    await db.updateTable("sign_up_ticket").set({ secret_hash }).where("id", "=", id).execute();
    assert.equal(await findTicket(db, authority, { token: `${id}.${secret}`, now: NOW }), undefined);
    assert.equal(rejected.length, 1);
  });

  test("findTicket() returns undefined when an attacker inserted a row", async () => {
    const { db, authority, token, secret } = await issued();
    const row = await db.selectFrom("sign_up_ticket").selectAll().executeTakeFirstOrThrow();
    const id = "ticket_00000000000000000000000000";
    await db.insertInto("sign_up_ticket").values({ ...row, id, email: "victim@example.com" }).execute();
    assert.equal(await findTicket(db, authority, { token: `${id}.${secret}`, now: NOW }), undefined);
    assert.notEqual(
      await findTicket(db, authority, { token, now: NOW }),
      undefined,
      "the original still works",
    );
  });
});
