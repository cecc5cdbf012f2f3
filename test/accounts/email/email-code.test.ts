import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { CODE_LIFETIME, drawCode } from "../../../src/accounts/email/code.ts";
import { issueEmailCode, redeemEmailCode } from "../../../src/accounts/email/email-code.ts";
import type { EmailCodeOutcome } from "../../../src/accounts/email/email-code.ts";
import { insertAccount } from "../../../src/accounts/account.ts";
import { findTicket } from "../../../src/accounts/sign-up-ticket.ts";
import type { Tables } from "../../../src/db/schema/schema.ts";
import { uint32 } from "../../../src/lib/bytes.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import type { RandomBytes } from "../../../src/lib/id.ts";
import { MINUTE } from "../../../src/lib/time.ts";
import { UNLIMITED } from "../../../src/limits/rate-limit.ts";
import { listOutbox } from "../../../src/mail/outbox.ts";
import type { Vault } from "../../../src/vault/vault.ts";
import { createTestVault } from "../../support/vault.ts";
import { NETWORK, NOW, openFixture, problem, random, RELYING_PARTY } from "../fixture.ts";
import type { Fixture } from "../fixture.ts";
import { OPEN } from "../people.ts";

const EMAIL = "alice@example.com";
const BROWSER = "browser-hash";

interface Asked {
  random?: RandomBytes;
  email?: string;
  browserHash?: string;
  now?: number;
}

async function ask({ db, services, mails }: Fixture, asked: Asked = {}): Promise<string> {
  await issueEmailCode(db, services, {
    email: EMAIL,
    browserHash: BROWSER,
    network: NETWORK,
    admission: OPEN,
    relyingParty: RELYING_PARTY,
    language: "en",
    now: NOW,
    random,
    ...asked,
  });
  return /\b\d{6}\b/.exec(mails.at(-1)!.text)![0];
}

function redeem({ db, services }: Fixture, code: string, asked: Asked = {}): Promise<EmailCodeOutcome> {
  const value = { email: EMAIL, browserHash: BROWSER, network: NETWORK, admission: OPEN, now: NOW, random };
  return redeemEmailCode(db, services, { ...value, code, ...asked });
}

/** Returns another code of six digits. */
function wrong(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, "0");
}

const refused = problem("invalid_code");

test("a code is not accepted by a copy of the service that is served beside, nor after a start", async () => {
  const fixture = await openFixture();
  const beside = (vault: Vault): Fixture => ({ ...fixture, services: { ...fixture.services, vault } });
  const [own, other] = [createTestVault(), createTestVault()];
  for (const each of [own, other]) each.bindToStart();
  const code = await ask(beside(own));
  for (const each of [other, createTestVault()]) await assert.rejects(redeem(beside(each), code), refused);
  assert.equal((await redeem(beside(own), code)).next, "register_passkey");
});

describe("drawCode()", () => {
  const fixed = (...draws: number[]) => () => uint32(draws.shift()!);

  test("drawCode() keeps leading zeros", () => {
    assert.equal(drawCode(fixed(0)), "000000");
    assert.equal(drawCode(fixed(42)), "000042");
    assert.equal(drawCode(fixed(4_293_999_999)), "999999");
  });

  test("drawCode() draws again where low codes would be more likely", () => {
    assert.equal(drawCode(fixed(4_294_000_000, 0xffff_ffff, 1_000_007)), "000007");
  });

  test("drawCode() is uniform over the first digit and the last (chi-squared)", () => {
    const first = new Array<number>(10).fill(0);
    const last = new Array<number>(10).fill(0);
    const draws = 20_000;
    for (let draw = 0; draw < draws; draw++) {
      const code = drawCode(random);
      first[Number(code[0])]!++;
      last[Number(code[5])]!++;
    }
    for (const counts of [first, last]) {
      const expected = draws / 10;
      const chiSquared = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      assert.ok(chiSquared < 60, `chi-squared ${chiSquared}`); // 9 degrees of freedom: once in 10^9 by chance
    }
  });
});

describe("issueEmailCode()", () => {
  test("issueEmailCode() mails the code in the body, with the site and without a link", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture, { email: "Alice@Example.com" });
    const [mail] = await listOutbox(fixture.db, fixture.services.vault, NOW);
    assert.equal(mail?.to, EMAIL);
    assert.equal(mail?.subject, "Your Holdfast code");
    assert.match(mail!.text, new RegExp(`\\b${code}\\b`));
    assert.match(mail!.text, /Holdfast \(example\.org\)/);
    assert.match(mail!.text, /If you did not ask for this code, ignore this mail/);
    assert.doesNotMatch(mail!.text, /https?:|www\./);
    assert.deepEqual(fixture.mails.map(({ to, subject, text }) => ({ to, subject, text })), [
      { to: mail!.to, subject: mail!.subject, text: mail!.text },
    ]);
  });

  test("issueEmailCode() stores no code", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    const { code_mac: _, mac: __, ...row } = await fixture.db.selectFrom("email_code").selectAll()
      .executeTakeFirstOrThrow();
    assert.equal(JSON.stringify(row).includes(code), false);
  });

  test("issueEmailCode() stores the same code differently in each row", async () => {
    await using fixture = await openFixture();
    const zeros = (length: number): Uint8Array => length === 4 ? new Uint8Array(4) : random(length);
    for (const browserHash of ["one", "other"]) {
      assert.equal(await ask(fixture, { browserHash, random: zeros }), "000000");
    }
    const rows = await fixture.db.selectFrom("email_code").select("code_mac").execute();
    assert.equal(new Set(rows.map(({ code_mac }) => code_mac.toHex())).size, 2);
  });

  test("issueEmailCode() replaces the browser's code for the address: the old one is invalid", async () => {
    await using fixture = await openFixture();
    const old = await ask(fixture);
    let fresh = await ask(fixture);
    while (fresh === old) fresh = await ask(fixture);
    assert.equal((await fixture.db.selectFrom("email_code").selectAll().execute()).length, 1);
    await assert.rejects(redeem(fixture, old), refused);
    assert.equal((await redeem(fixture, fresh)).next, "register_passkey");
  });

  test("issueEmailCode() does not affect codes of other browsers and addresses", async () => {
    await using fixture = await openFixture();
    const mine = await ask(fixture);
    await ask(fixture, { browserHash: "other" });
    await ask(fixture, { email: "bob@example.com" });
    assert.equal((await redeem(fixture, mine)).next, "register_passkey");
  });

  test("issueEmailCode() deletes the mail of the replaced code, and no other", async () => {
    await using fixture = await openFixture();
    const elsewhere = await ask(fixture, { browserHash: "another" });
    await ask(fixture);
    const second = await ask(fixture, { now: NOW + 1 });
    const mails = await listOutbox(fixture.db, fixture.services.vault, NOW + 1);
    assert.deepEqual(mails.map(({ text }) => /\b\d{6}\b/.exec(text)![0]), [second, elsewhere]);
  });

  test("issueEmailCode() allows new attempts at a new code", async () => {
    await using fixture = await openFixture();
    const first = await ask(fixture);
    for (let n = 1; n <= 3; n++) await assert.rejects(redeem(fixture, wrong(first, n)), refused);
    const second = await ask(fixture);
    assert.equal((await redeem(fixture, second)).next, "register_passkey");
  });

  test("issueEmailCode() runs the same statements for known and unknown addresses (T166)", async () => {
    await using fixture = await openFixture();
    await insertAccount(fixture.db, fixture.services.authority, {
      id: "account_1",
      email: EMAIL,
      emailProvedBy: "code",
      language: "en",
      now: NOW,
    });
    await ask(fixture);
    await ask(fixture, { email: "unknown@example.com" });
    const [known, unknown] = fixture.mails;
    const masked = (text: string): string => text.replace(/\d{6}/g, "");
    assert.equal(masked(known!.text), masked(unknown!.text));
    assert.equal((await fixture.db.selectFrom("email_code").selectAll().execute()).length, 2);
    assert.equal((await listOutbox(fixture.db, fixture.services.vault, NOW)).length, 2);
  });

  test("issueEmailCode() writes nothing when the address is invalid", async () => {
    await using fixture = await openFixture();
    const given = ask(fixture, { email: "alice@example.com\r\nBcc: mallory@evil.example" });
    await assert.rejects(given, problem("invalid_request"));
    assert.deepEqual(await fixture.db.selectFrom("email_code").selectAll().execute(), []);
    assert.deepEqual(fixture.taken, []);
  });

  test("issueEmailCode() counts towards the widest limit first, and writes nothing when one is exceeded", async () => {
    for (const limit of ["email_code_global", "email_code_network", "email_code_address"]) {
      await using fixture = await openFixture();
      const { take } = fixture.services.limits;
      const limits: typeof fixture.services.limits = {
        ...UNLIMITED,
        take: async (tx, name, subject, now) => {
          if (name === limit) throw new ProtocolError("rate_limited", "Too many");
          await take(tx, name, subject, now);
        },
      };
      const limited = { ...fixture, services: { ...fixture.services, limits } };
      await assert.rejects(ask(limited), problem("rate_limited"));
      assert.deepEqual(await fixture.db.selectFrom("email_code").selectAll().execute(), []);
      assert.deepEqual(await listOutbox(fixture.db, fixture.services.vault, NOW), []);
      assert.deepEqual(fixture.mails, []);
    }
    await using fixture = await openFixture();
    await ask(fixture);
    assert.deepEqual(fixture.taken, [
      { name: "email_code_global", subject: "" },
      { name: "email_code_network", subject: NETWORK },
      { name: "email_code_address", subject: `${NETWORK} ${EMAIL}` },
    ]);
  });
});

describe("redeemEmailCode()", () => {
  test("redeemEmailCode() issues a ticket for the address when it has no account", async () => {
    await using fixture = await openFixture();
    const outcome = await redeem(fixture, await ask(fixture), { email: "ALICE@example.com" });
    assert.ok(outcome.next === "register_passkey");
    const ticket = await findTicket(fixture.db, fixture.services.authority, {
      token: outcome.ticket,
      now: NOW,
    });
    assert.equal(ticket?.email, EMAIL);
    assert.deepEqual(fixture.taken.slice(-4), [
      { name: "email_code_guess", subject: NETWORK },
      { name: "email_address_site", subject: `${EMAIL} 192.0.2.0/24` },
      { name: "email_address_region", subject: `${EMAIL} 192.0.0.0/16` },
      { name: "email_address_tries", subject: EMAIL },
    ]);
  });

  test("redeemEmailCode() only directs to sign in when the address has an account, without ticket or session", async () => {
    await using fixture = await openFixture();
    await insertAccount(fixture.db, fixture.services.authority, {
      id: "account_1",
      email: EMAIL,
      emailProvedBy: "code",
      language: "en",
      now: NOW,
    });
    assert.deepEqual(await redeem(fixture, await ask(fixture)), { next: "sign_in" });
    assert.deepEqual(await fixture.db.selectFrom("sign_up_ticket").selectAll().execute(), []);
    assert.deepEqual(await fixture.db.selectFrom("session").selectAll().execute(), []);
  });

  test("redeemEmailCode() refuses a code that was used", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    await redeem(fixture, code);
    await assert.rejects(redeem(fixture, code), refused);
  });

  test("redeemEmailCode() issues one ticket when the right code is sent three times at once", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    const all = await Promise.allSettled(Array.from({ length: 3 }, () => redeem(fixture, code)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await fixture.db.selectFrom("sign_up_ticket").selectAll().execute()).length, 1);
  });

  test("redeemEmailCode() accepts the right code at the third attempt", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    for (let n = 1; n <= 2; n++) await assert.rejects(redeem(fixture, wrong(code, n)), refused);
    assert.equal((await redeem(fixture, code)).next, "register_passkey");
  });

  test("redeemEmailCode() refuses the right code after three wrong ones", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    for (let n = 1; n <= 3; n++) await assert.rejects(redeem(fixture, wrong(code, n)), refused);
    await assert.rejects(redeem(fixture, code), refused);
  });

  test(
    "redeemEmailCode() counts at most three of 1,000 parallel guesses (T166)",
    { timeout: 60_000 },
    async () => {
      await using fixture = await openFixture();
      const code = await ask(fixture);
      const guesses = Array.from(
        { length: 1_000 },
        (_, n) => redeem(fixture, n < 3 ? wrong(code, n + 1) : code),
      );
      const all = await Promise.allSettled(guesses);
      assert.equal(
        all.filter(({ status }) => status === "fulfilled").length,
        0,
        "the right ones came too late",
      );
      const row = await fixture.db.selectFrom("email_code").select("attempts").executeTakeFirstOrThrow();
      assert.equal(row.attempts, 3);
    },
  );

  test("redeemEmailCode() refuses from the fifth minute on", async () => {
    assert.equal(CODE_LIFETIME, 5 * MINUTE);
    await using fixture = await openFixture();
    const code = await ask(fixture);
    await assert.rejects(redeem(fixture, code, { now: NOW + CODE_LIFETIME }), refused);
    assert.equal((await redeem(fixture, code, { now: NOW + CODE_LIFETIME - 1 })).next, "register_passkey");
  });

  test("redeemEmailCode() refuses in another browser and for another address, without using up attempts", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    for (let n = 0; n < 3; n++) {
      await assert.rejects(redeem(fixture, code, { browserHash: "other" }), refused);
      await assert.rejects(redeem(fixture, code, { email: "bob@example.com" }), refused);
    }
    assert.equal((await redeem(fixture, code)).next, "register_passkey");
  });

  test("redeemEmailCode() has one message for every failure", async () => {
    await using fixture = await openFixture();
    const messages = new Set<string>();
    const note = (error: unknown): boolean => messages.add((error as Error).message) && refused(error);
    await assert.rejects(redeem(fixture, "000000"), note, "never asked");
    const code = await ask(fixture);
    await assert.rejects(redeem(fixture, wrong(code)), note, "wrong");
    await assert.rejects(redeem(fixture, code, { now: NOW + CODE_LIFETIME }), note, "expired");
    await redeem(fixture, code);
    await assert.rejects(redeem(fixture, code), note, "used");
    assert.equal(messages.size, 1);
  });

  test("redeemEmailCode() uses up no attempt when the network's limit is exceeded", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    const take = () => Promise.reject(new ProtocolError("rate_limited", "Too many"));
    const limits = { ...UNLIMITED, take };
    const limited = { ...fixture, services: { ...fixture.services, limits } };
    await assert.rejects(redeem(limited, wrong(code)), problem("rate_limited"));
    const row = await fixture.db.selectFrom("email_code").select("attempts").executeTakeFirstOrThrow();
    assert.equal(row.attempts, 0);
  });
});

describe("redeemEmailCode() and an edited database", () => {
  const edits: Record<string, (row: Tables["email_code"]) => Partial<Tables["email_code"]>> = {
    id: () => ({ id: "code_other" }),
    email: () => ({ email: "victim@example.com" }),
    browser_hash: () => ({ browser_hash: "mallory" }),
    expires_at: (row) => ({ expires_at: row.expires_at + 1 }),
    created_at: (row) => ({ created_at: row.created_at + 1 }),
    mac: () => ({ mac: new Uint8Array(32) }),
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`redeemEmailCode() refuses the right code when ${column} was edited`, async () => {
      await using fixture = await openFixture();
      const code = await ask(fixture);
      const row = await fixture.db.selectFrom("email_code").selectAll().executeTakeFirstOrThrow();
      const edited = { ...row, ...edit(row) };
      await fixture.db.updateTable("email_code").set(edited).execute();
      const given = redeem(fixture, code, { email: edited.email, browserHash: edited.browser_hash });
      await assert.rejects(given, refused);
      assert.deepEqual(fixture.rejected.map(({ kind }) => kind), ["email_code"]);
    });
  }

  test("redeemEmailCode() ignores an account whose row was edited", async () => {
    await using fixture = await openFixture();
    const { db, services } = fixture;
    await insertAccount(db, services.authority, {
      id: "account_1",
      email: "bob@example.com",
      emailProvedBy: "code",
      language: "en",
      now: NOW,
    });
    await db.updateTable("account").set({ email: EMAIL }).execute();
    assert.equal((await redeem(fixture, await ask(fixture))).next, "register_passkey");
    assert.deepEqual(fixture.rejected.map(({ kind }) => kind), ["account"]);
  });

  test("redeemEmailCode() refuses a code whose row was moved to a victim's", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture, { email: "mallory@evil.example" });
    await ask(fixture, { email: EMAIL });
    const own = await fixture.db.selectFrom("email_code").selectAll().where("email", "!=", EMAIL)
      .executeTakeFirstOrThrow();
    const { code_mac, mac } = own;
    await fixture.db.updateTable("email_code").set({ code_mac, mac }).where("email", "=", EMAIL).execute();
    await assert.rejects(redeem(fixture, code), refused);
  });

  test("redeemEmailCode() restores attempts, and nothing else, when the column attempts was edited", async () => {
    await using fixture = await openFixture();
    const code = await ask(fixture);
    for (let n = 1; n <= 3; n++) await assert.rejects(redeem(fixture, wrong(code, n)), refused);
    await fixture.db.updateTable("email_code").set({ attempts: -1_000 }).execute();
    await assert.rejects(redeem(fixture, wrong(code)), refused);
    assert.equal((await redeem(fixture, code)).next, "register_passkey");
  });
});
