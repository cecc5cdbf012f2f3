import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../src/db/schema/schema.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/time.ts";
import { LEASE, MOST_ATTEMPTS } from "../../src/lib/delivery.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { claimDue, countStuckMails, deliver } from "../../src/mail/delivery.ts";
import type { DeliveryServices } from "../../src/mail/delivery.ts";
import type { QueuedMail } from "../../src/mail/mailer.ts";
import { enqueueMail, sealMail } from "../../src/mail/outbox.ts";
import { SMTP_TIMEOUTS, SmtpError } from "../../src/mail/smtp.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestVault } from "../support/vault.ts";

const NOW = Date.UTC(2026, 0, 2);
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const greylisted = new SmtpError("EENVELOPE 450", { isPermanent: false });

interface Story {
  readonly db: Db;
  readonly services: DeliveryServices;
  readonly sent: { id: string; mail: QueuedMail }[];
  readonly logged: string[];
  now: number;
  /** Queues a mail with this lifetime. */
  queue(to: string, lifetime?: number): Promise<void>;
  /** Claims and sends all due mails. */
  round(): Promise<number>;
}

/** Opens an outbox whose server fails with the given errors, in turn, before it accepts mails. */
async function story(failures: readonly unknown[] = []): Promise<Story> {
  const db = await openTestDatabase();
  const vault = createTestVault();
  const left = [...failures];
  const sent: { id: string; mail: QueuedMail }[] = [];
  const logged: string[] = [];
  const made: { now: number } = { now: NOW };
  const services: DeliveryServices = {
    vault,
    random,
    now: () => made.now,
    metrics: createMetrics(() => 0),
    log: (level, event, fields) => void logged.push(JSON.stringify({ level, event, ...fields })),
    transport: {
      send: (id, mail) => {
        if (left.length > 0) return Promise.reject(left.shift());
        sent.push({ id, mail });
        return Promise.resolve();
      },
      close: () => {},
    },
  };
  return Object.assign(made, {
    db,
    services,
    sent,
    logged,
    queue: async (to: string, lifetime?: number) => {
      const mail = { to, subject: "Hello", text: `Secret for ${to}\n`, html: "<p>Secret" };
      const value = { now: made.now, random, ...(lifetime === undefined ? {} : { lifetime }) };
      await enqueueMail(db, sealMail(vault, mail, value));
    },
    round: async () => {
      const rows = await claimDue(db, { limit: 8, now: made.now });
      for (const row of rows) await deliver(db, services, row);
      return rows.length;
    },
  });
}

async function rowsOf({ db }: Story) {
  return await db.selectFrom("outbox").selectAll().orderBy("created_at").execute();
}

describe("deliver()", () => {
  test("deliver() sends a mail as it was queued and deletes it", async () => {
    const outbox = await story();
    await outbox.queue("alice@example.com");
    assert.equal(await outbox.round(), 1);
    assert.deepEqual(outbox.sent.map(({ mail }) => mail), [{
      to: "alice@example.com",
      subject: "Hello",
      text: "Secret for alice@example.com\n",
      html: "<p>Secret",
      createdAt: NOW,
    }]);
    assert.deepEqual(await rowsOf(outbox), []);
    assert.equal(await outbox.round(), 0);
  });

  test("deliver() logs the mail's id and the outcome, no address and no content", async () => {
    const outbox = await story([greylisted, new Error("connect alice@example.com Secret")]);
    await outbox.queue("alice@example.com");
    while (outbox.sent.length === 0) {
      await outbox.round();
      outbox.now += MINUTE;
    }
    const text = outbox.logged.join("\n");
    assert.match(text, /"event":"mail_deferred","mail":"mail_[^"]+","attempts":1,"reason":"EENVELOPE 450"/);
    assert.match(text, /"event":"mail_sent"/);
    assert.doesNotMatch(outbox.logged.filter((line) => !line.includes("mail_failed")).join(), /alice|Secret/);
  });

  test("deliver() defers a greylisted mail, longer each time, and finally sends it", async () => {
    const outbox = await story(Array.from({ length: 5 }, () => greylisted));
    await outbox.queue("alice@example.com");
    for (let attempt = 1; attempt <= 5; attempt++) {
      assert.equal(await outbox.round(), 1);
      const [row] = await rowsOf(outbox);
      assert.equal(row!.attempts, attempt);
      const delay = row!.next_attempt_at - outbox.now;
      const middle = 5 * SECOND * 2 ** (attempt - 1);
      assert.ok(delay >= 0.75 * middle && delay <= 1.25 * middle, `${attempt}: ${delay}`);
      outbox.now = row!.next_attempt_at - 1;
      assert.equal(await outbox.round(), 0);
      outbox.now += 1;
    }
    assert.equal(await outbox.round(), 1);
    assert.equal(outbox.sent.length, 1);
    assert.deepEqual(await rowsOf(outbox), []);
  });

  test("deliver() drops a mail at once when it is refused permanently", async () => {
    const outbox = await story([new SmtpError("EENVELOPE 550", { isPermanent: true })]);
    await outbox.queue("alice@example.com");
    await outbox.round();
    assert.deepEqual(await rowsOf(outbox), []);
    assert.match(outbox.logged.join(), /mail_given_up.*EENVELOPE 550/);
  });

  test("deliver() drops a code when it would expire before the next attempt", async () => {
    const outbox = await story(Array.from({ length: 100 }, () => greylisted));
    await outbox.queue("alice@example.com", 5 * MINUTE);
    let attempts = 0;
    // Jumps from attempt to attempt: a ticking clock may pass the last one, and then the code's expiry.
    for (let [row] = await rowsOf(outbox); row !== undefined; [row] = await rowsOf(outbox)) {
      outbox.now = row.next_attempt_at;
      assert.equal(await outbox.round(), 1);
      attempts++;
    }
    assert.ok(attempts >= 5 && attempts <= 7, String(attempts));
    assert.ok(outbox.now < NOW + 5 * MINUTE);
    assert.match(outbox.logged.at(-1)!, /mail_given_up/);
  });

  test("deliver() drops a mail within its 24 hours, after a bounded number of attempts", async () => {
    const outbox = await story(Array.from({ length: 100 }, () => greylisted));
    await outbox.queue("alice@example.com");
    let attempts = 0;
    for (; outbox.now < NOW + DAY + HOUR; outbox.now += MINUTE) attempts += await outbox.round();
    assert.ok(attempts > 20 && attempts < MOST_ATTEMPTS, String(attempts));
    // A mail whose next attempt fell between its expiry and the check before is deleted with the expired ones.
    assert.deepEqual((await rowsOf(outbox)).filter((row) => row.expires_at > NOW + DAY), []);
    assert.deepEqual(outbox.sent, []);
  });

  const edits = {
    id: { id: "mail_other" },
    created_at: { created_at: NOW - 1 },
    expires_at: { expires_at: NOW + 2 * DAY },
    sealed: { sealed: new Uint8Array(64) },
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`deliver() sends nothing, deletes the row and logs it when ${column} was edited`, async () => {
      const outbox = await story();
      await outbox.queue("alice@example.com");
      await outbox.db.updateTable("outbox").set(edit).execute();
      await outbox.round();
      assert.deepEqual(outbox.sent, []);
      assert.deepEqual(await rowsOf(outbox), []);
      assert.match(outbox.logged.join(), /"error","event":"row_rejected","kind":"outbox"/);
    });
  }

  test("deliver() sends neither of two mails whose encrypted contents were swapped", async () => {
    const outbox = await story();
    await outbox.queue("alice@example.com");
    await outbox.queue("bob@example.com");
    const [first, second] = await rowsOf(outbox);
    await outbox.db.updateTable("outbox").set({ sealed: first!.sealed }).where("id", "=", second!.id)
      .execute();
    await outbox.db.updateTable("outbox").set({ sealed: second!.sealed }).where("id", "=", first!.id)
      .execute();
    await outbox.round();
    assert.deepEqual(outbox.sent, []);
  });

  test("the unauthenticated columns can only delay or repeat a mail to the same address", async () => {
    const outbox = await story();
    await outbox.queue("alice@example.com", 5 * MINUTE);
    const [row] = await rowsOf(outbox);
    for (const edit of [{ attempts: 1e15 }, { next_attempt_at: 1e15 }, { attempts: MOST_ATTEMPTS }]) {
      await outbox.db.updateTable("outbox").set(edit).execute();
      assert.equal(await outbox.round(), 0);
      await outbox.db.updateTable("outbox").set({ attempts: 0, next_attempt_at: 0 }).execute();
    }
    await outbox.db.updateTable("outbox").set({ attempts: -1e15, next_attempt_at: -1e15 }).execute();
    assert.equal(await outbox.round(), 1);
    await outbox.db.insertInto("outbox").values({ ...row!, next_attempt_at: 0 }).execute();
    assert.equal(await outbox.round(), 1);
    assert.deepEqual(outbox.sent.map(({ mail }) => mail.to), ["alice@example.com", "alice@example.com"]);
    outbox.now = NOW + 5 * MINUTE;
    await outbox.db.insertInto("outbox").values({ ...row!, next_attempt_at: 0 }).execute();
    assert.equal(await outbox.round(), 0);
  });
});

describe("claimDue()", () => {
  test("claimDue() returns each mail to one of two concurrent calls", async () => {
    const outbox = await story();
    for (let n = 0; n < 20; n++) await outbox.queue(`user${n}@example.com`);
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claimDue(outbox.db, { limit: 8, now: NOW })),
    );
    const ids = claims.flat().map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(await claimDue(outbox.db, { limit: 0, now: NOW }), []);
  });

  test("claimDue() returns a mail again when the lease of a killed process has expired", async () => {
    const outbox = await story();
    await outbox.queue("alice@example.com");
    assert.equal((await claimDue(outbox.db, { limit: 8, now: NOW })).length, 1);
    assert.deepEqual(await claimDue(outbox.db, { limit: 8, now: NOW + LEASE - 1 }), []);
    outbox.now = NOW + LEASE;
    assert.equal(await outbox.round(), 1);
    assert.equal(outbox.sent.length, 1);
    assert.ok(LEASE > SMTP_TIMEOUTS.whole);
  });

  test("claimDue() returns codes before mails that last longer", async () => {
    const outbox = await story();
    await outbox.queue("news@example.com");
    await outbox.queue("code@example.com", 5 * MINUTE);
    const [row] = await claimDue(outbox.db, { limit: 1, now: NOW });
    assert.equal(row!.expires_at, NOW + 5 * MINUTE);
  });

  test("claimDue() returns no expired mail", async () => {
    const outbox = await story();
    await outbox.queue("code@example.com", 5 * MINUTE);
    assert.deepEqual(await claimDue(outbox.db, { limit: 8, now: NOW + 5 * MINUTE }), []);
  });
});

test("countStuckMails() counts mails with five attempts that have not expired", async () => {
  const outbox = await story(Array.from({ length: 5 }, () => greylisted));
  await outbox.queue("alice@example.com");
  for (let attempt = 1; attempt <= 5; attempt++) {
    assert.equal(await countStuckMails(outbox.db, outbox.now), 0);
    await outbox.round();
    outbox.now = (await rowsOf(outbox))[0]!.next_attempt_at;
  }
  assert.equal(await countStuckMails(outbox.db, outbox.now), 1);
  assert.equal(await countStuckMails(outbox.db, NOW + DAY), 0);
});
