import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { findAccountByEmail, insertAccount } from "../../src/accounts/account.ts";
import {
  drawEmailChange,
  recordEmailChange,
  REVERT_LIFETIME,
} from "../../src/accounts/email/email-change.ts";
import { CHALLENGE_LIFETIME } from "../../src/accounts/passkey/challenge.ts";
import { findSession } from "../../src/accounts/session/session.ts";
import { beginSignIn } from "../../src/accounts/sign-in.ts";
import { TICKET_LIFETIME } from "../../src/accounts/sign-up-ticket.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { beginSignUp, finishSignUp } from "../../src/accounts/sign-up.ts";
import { listKeys } from "../../src/keys/key.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import type { ProblemCode } from "../../src/lib/error.ts";
import { createRateLimiter } from "../../src/limits/rate-limit.ts";
import { createAuthenticator, FLAG } from "../support/authenticator.ts";
import type { RegisterTamper } from "../support/authenticator.ts";
import { NOW, openFixture, problem, random, RELYING_PARTY } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";
import {
  AT,
  auditOf,
  BROWSER,
  enrolPerson,
  firstKey,
  insertPerson,
  signInAgain,
  ticketFor,
} from "./people.ts";

const EMAIL = "alice@example.com";
const ORIGIN = RELYING_PARTY.origin;
const TABLES = ["account", "passkey", "ethereum_key", "session", "audit_event"] as const;

async function started(settings: Parameters<typeof createAuthenticator>[0] = {}) {
  const fixture = await openFixture();
  const { db, services } = fixture;
  const authenticator = createAuthenticator(settings);
  const ticket = await ticketFor(fixture, EMAIL);
  const begin = () => beginSignUp(db, services, { ...AT, ticket });
  const answer = async (tamper: Partial<RegisterTamper> = {}) =>
    await authenticator.register(await begin(), { origin: ORIGIN, ...tamper });
  const finish = (response: unknown, change: { now?: number; name?: string } = {}) =>
    finishSignUp(db, services, {
      ...AT,
      ticket,
      response,
      name: undefined,
      createFirstKey: firstKey(services),
      ...change,
    });
  return { fixture, db, services, authenticator, ticket, begin, answer, finish };
}

/** Counts the rows of each table that sign-up writes. */
async function counts({ db }: Fixture): Promise<Record<string, number>> {
  const entries = TABLES.map(async (
    table,
  ) => [table, (await db.selectFrom(table).selectAll().execute()).length]);
  return Object.fromEntries(await Promise.all(entries)) as Record<string, number>;
}

const NOTHING = { account: 0, passkey: 0, ethereum_key: 0, session: 0, audit_event: 0 };
const ONE = { account: 1, passkey: 1, ethereum_key: 1, session: 1, audit_event: 4 };

const refused = problem("invalid_passkey_registration");

describe("beginSignUp()", () => {
  test("beginSignUp() asks for a discoverable passkey of the reserved account", async () => {
    const { begin, ticket } = await started();
    const options = await begin();
    assert.deepEqual(options.rp, { id: RELYING_PARTY.id, name: RELYING_PARTY.name });
    assert.deepEqual(options.user, {
      id: toBase64url(utf8(ticket.accountId)),
      name: EMAIL,
      displayName: EMAIL,
    });
    assert.deepEqual(options.excludeCredentials, []);
    assert.equal(options.timeout, CHALLENGE_LIFETIME);
    assert.equal(options.authenticatorSelection.userVerification, "required");
    assert.notEqual((await begin()).challenge, options.challenge);
  });

  test("beginSignUp() and beginSignIn() share a network's 30 ceremonies a minute", async () => {
    const { db, services, ticket } = await started();
    const limited = { ...services, limits: createRateLimiter(services.vault) };
    for (let n = 0; n < 15; n++) {
      await beginSignUp(db, limited, { ...AT, ticket });
      await beginSignIn(db, limited, { ...AT, browserHash: BROWSER });
    }
    await assert.rejects(beginSignUp(db, limited, { ...AT, ticket }), problem("rate_limited"));
  });
});

describe("finishSignUp()", () => {
  for (const algorithm of [-7, -8, -257] as const) {
    test(`finishSignUp() creates account, passkey, key and session with algorithm ${algorithm}`, async () => {
      const { fixture, db, services, ticket, answer, finish } = await started({ algorithm });
      const made = await finish(await answer(), { name: "Laptop" });
      assert.deepEqual(made.account, {
        id: ticket.accountId,
        email: EMAIL,
        emailProvedBy: "code",
        name: null,
        language: "en",
        createdAt: NOW,
        updatedAt: NOW,
        disabledAt: null,
        version: 0,
      });
      assert.equal(made.passkey.name, "Laptop");
      assert.equal(made.key.keyIndex, 0);
      assert.deepEqual(made.key.address, services.vault.ethereumPublicKey(ticket.accountId, 0).address);
      const found = await findSession(db, services.authority, { token: made.token, now: NOW });
      assert.deepEqual(found, { session: made.session, account: made.account });
      const keys = await listKeys(db, services.authority, {
        accountId: made.account.id,
        archived: "include",
        fromIndex: 0,
        limit: 10,
      });
      assert.deepEqual(keys.keys, [made.key]);
      assert.deepEqual(await counts(fixture), ONE);
      assert.deepEqual(await db.selectFrom("sign_up_ticket").selectAll().execute(), []);
    });
  }

  test("finishSignUp() records all that it created, in a valid chain", async () => {
    const { fixture, db, services, answer, finish } = await started();
    const { account, passkey } = await finish(await answer());
    const events = await auditOf(fixture);
    assert.deepEqual(events.map(({ event }) => event), [
      "account_created",
      "passkey_added",
      "key_generated",
      "signed_in",
    ]);
    assert.ok(events.every(({ account_id }) => account_id === account.id));
    assert.equal(passkey.name, "Passkey 1");
    assert.deepEqual(
      await verifyAudit(db, services.vault).then(({ entries, fault }) => ({ entries, fault })),
      {
        entries: 4,
        fault: undefined,
      },
    );
  });

  test("finishSignUp() creates a passkey that signs in again", async () => {
    const { fixture, authenticator, answer, finish } = await started();
    const made = await finish(await answer());
    assert.equal((await signInAgain(fixture, authenticator)).account.id, made.account.id);
  });

  test("finishSignUp() refuses a second sign-up, with the same and with a new challenge (T154)", async () => {
    const { fixture, begin, answer, finish } = await started();
    const other = createAuthenticator();
    const early = await other.register(await begin(), { origin: ORIGIN });
    const response = await answer();
    await finish(response);
    await assert.rejects(finish(response), refused);
    await assert.rejects(finish(early), refused);
    assert.deepEqual(await counts(fixture), ONE);
  });

  test("finishSignUp() creates one account when one response is sent fifty times at once", async () => {
    const { fixture, answer, finish } = await started();
    const response = await answer();
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => finish(response)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    assert.deepEqual(await counts(fixture), ONE);
  });

  test("finishSignUp() creates one account when fifty passkeys are registered with one ticket at once", {
    timeout: 60_000,
  }, async () => {
    const { fixture, begin, finish } = await started();
    const responses = await Promise.all(
      Array.from(
        { length: 50 },
        async () => await createAuthenticator().register(await begin(), { origin: ORIGIN }),
      ),
    );
    const all = await Promise.allSettled(responses.map((response) => finish(response)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of all) if (outcome.status === "rejected") assert.ok(refused(outcome.reason));
    assert.deepEqual(await counts(fixture), ONE);
  });

  test("finishSignUp() creates one account when fifty tickets for one address are used at once", {
    timeout: 60_000,
  }, async () => {
    await using fixture = await openFixture();
    const all = await Promise.allSettled(
      Array.from({ length: 50 }, () => enrolPerson(fixture, EMAIL, createAuthenticator())),
    );
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of all) {
      if (outcome.status === "rejected") assert.ok(problem("account_exists")(outcome.reason));
    }
    assert.deepEqual(await counts(fixture), ONE);
  });

  test("finishSignUp() throws account_exists when the address has an account by now", async () => {
    const { fixture, db, services, answer, finish } = await started();
    const response = await answer();
    const bobs = await insertAccount(db, services.authority, {
      id: "account_1",
      email: EMAIL,
      emailProvedBy: "code",
      language: "en",
      now: NOW,
    });
    await assert.rejects(finish(response), problem("account_exists"));
    assert.deepEqual(await counts(fixture), { ...NOTHING, account: 1, audit_event: 1 });
    assert.deepEqual(await findAccountByEmail(db, services.authority, EMAIL), bobs);
  });

  test("finishSignUp() throws account_exists while another account can revert its change of the address", async () => {
    const { fixture, db, services, answer, finish } = await started();
    const other = await insertPerson(fixture, "new@example.com");
    const change = {
      token: drawEmailChange(random),
      accountId: other.account.id,
      from: { email: EMAIL, emailProvedBy: "code" } as const,
      to: "new@example.com",
    };
    await recordEmailChange(db, services.authority, { ...change, now: NOW - REVERT_LIFETIME + 1 });
    const before = await counts(fixture);
    await assert.rejects(finish(await answer()), problem("account_exists"));
    assert.deepEqual(await counts(fixture), before);
    assert.equal(
      (await finish(await answer(), { now: NOW + 1 })).account.email,
      EMAIL,
      "the change is final",
    );
  });

  test("finishSignUp() refuses a credential id that already exists, and does not change its row (T164)", async () => {
    const { fixture, db, answer, finish } = await started();
    const victim = await enrolPerson(fixture, "victim@example.com", createAuthenticator());
    const before = await db.selectFrom("passkey").selectAll().execute();
    await assert.rejects(finish(await answer({ credentialId: victim.passkey.credentialId })), refused);
    assert.deepEqual(await db.selectFrom("passkey").selectAll().execute(), before);
    assert.deepEqual(await counts(fixture), ONE);
    assert.equal((await finish(await answer())).account.email, EMAIL, "the ticket is still good");
  });

  const tampered: Record<string, Partial<RegisterTamper>> = {
    "the origin has another port (T157)": { origin: `${ORIGIN}:8443` },
    "the relying party is another (T157)": { rpId: "evil.example" },
    "the ceremony ran in a cross-origin frame (T157)": { crossOrigin: true },
    "the user was not verified (T158)": { flags: FLAG.UP },
    "the user was not present (T158)": { flags: FLAG.UV },
    "the client data is of a sign-in (T153)": { type: "webauthn.get" },
    "the public key is invalid": { publicKey: (honest) => honest.with(12, honest[12]! ^ 1) },
    "bytes follow the authenticator data (T162)": { trailing: new Uint8Array(1) },
  };
  for (const [what, tamper] of Object.entries(tampered)) {
    test(`finishSignUp() refuses and keeps only the ticket when ${what}`, async () => {
      const { fixture, db, answer, finish } = await started();
      const response = await answer(tamper);
      await assert.rejects(finish(response), refused);
      assert.deepEqual(await counts(fixture), NOTHING);
      assert.deepEqual(
        await db.selectFrom("challenge").selectAll().execute(),
        [],
        "the challenge is used up",
      );
      assert.equal((await finish(await answer())).account.email, EMAIL, "a new try succeeds");
    });
  }

  test("finishSignUp() refuses an invalid response", async () => {
    const { fixture, finish } = await started();
    for (const response of [undefined, null, "", 1, [], {}, { type: "public-key" }]) {
      await assert.rejects(finish(response), refused, JSON.stringify(response));
    }
    assert.deepEqual(await counts(fixture), NOTHING);
  });

  test("finishSignUp() refuses a sign-in challenge and one that was never issued (T153)", async () => {
    const { fixture, db, services, answer, finish } = await started();
    const signIn = await beginSignIn(db, services, { ...AT, browserHash: BROWSER });
    for (const challenge of [signIn.challenge, toBase64url(random(32))]) {
      await assert.rejects(finish(await answer({ challenge })), refused);
    }
    assert.deepEqual(await counts(fixture), NOTHING);
  });

  test("finishSignUp() refuses another ticket's challenge (T156)", async () => {
    const { fixture, db, services, answer } = await started();
    const mallorys = await ticketFor(fixture, "mallory@evil.example");
    const createFirstKey = firstKey(services);
    const value = { ...AT, ticket: mallorys, response: await answer(), name: undefined, createFirstKey };
    await assert.rejects(finishSignUp(db, services, value), refused);
    assert.deepEqual(await counts(fixture), NOTHING);
  });

  test("finishSignUp() refuses from the challenge's fifth minute and the ticket's fifteenth on (T155)", async () => {
    const { fixture, db, services, ticket, authenticator, answer, finish } = await started();
    await assert.rejects(finish(await answer(), { now: NOW + CHALLENGE_LIFETIME }), refused);
    const late = NOW + TICKET_LIFETIME;
    const options = await beginSignUp(db, services, { ...AT, ticket, now: late - 1 });
    const response = await authenticator.register(options, { origin: ORIGIN });
    await assert.rejects(finish(response, { now: late }), refused);
    assert.deepEqual(await counts(fixture), NOTHING);
  });

  for (const table of ["passkey", "ethereum_key", "session", "audit_event"] as const) {
    test(`finishSignUp() writes nothing when ${table} cannot be written`, async () => {
      const { fixture, db, answer, finish } = await started();
      const response = await answer();
      await db.schema.alterTable(table).renameTo("gone").execute();
      await assert.rejects(finish(response), (error) => !(error instanceof ProtocolError));
      await db.schema.alterTable("gone").renameTo(table).execute();
      assert.deepEqual(await counts(fixture), NOTHING);
      assert.equal((await finish(await answer())).account.email, EMAIL, "the ticket is still good");
      assert.deepEqual(await counts(fixture), ONE);
    });
  }

  const edits: Record<string, object> = {
    email: { email: "victim@example.com" },
    account_id: { account_id: "account_victim" },
    expires_at: { expires_at: NOW * 2 },
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`finishSignUp() refuses and writes nothing when the ticket's ${column} was edited`, async () => {
      const { fixture, db, answer, finish } = await started();
      const response = await answer();
      await db.updateTable("sign_up_ticket").set(edit).execute();
      await assert.rejects(finish(response), refused);
      assert.deepEqual(await counts(fixture), NOTHING);
      assert.deepEqual(fixture.rejected.map(({ kind }) => kind), ["sign_up_ticket"]);
    });
  }

  test("finishSignUp() has one message for every refused response", async () => {
    const { answer, finish } = await started();
    const words = new Set<string>();
    for (
      const response of [null, await answer({ origin: "https://evil.example" }), await answer({ flags: 1 })]
    ) {
      await assert.rejects(finish(response), (error) => {
        const { code, message } = error as { code: ProblemCode; message: string };
        words.add(`${code} ${message}`);
        return true;
      });
    }
    assert.equal(words.size, 1);
  });
});
