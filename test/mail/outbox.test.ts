import { describe, test } from "node:test";
import assert from "node:assert/strict";
import type { Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { DAY } from "../../src/lib/time.ts";
import { createMail } from "../../src/mail/mailer.ts";
import type { Mail } from "../../src/mail/mailer.ts";
import { enqueueMail, listOutbox, MAIL_LIFETIME, sealMail } from "../../src/mail/outbox.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestVault } from "../support/vault.ts";

const NOW = Date.UTC(2026, 0, 2);
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const MAIL: Mail = {
  to: "alice@example.com",
  subject: "Your code",
  text: "Code 042042\n\u00fc\n",
  html: "<p>042042",
};

async function queued(mails: readonly Mail[] = [MAIL]) {
  const db = await openTestDatabase();
  const vault = createTestVault();
  for (const [index, mail] of mails.entries()) {
    await enqueueMail(db, sealMail(vault, mail, { now: NOW + index, random }));
  }
  return { db, vault };
}

describe("outbox", () => {
  test("listOutbox() returns the queued mails, newest first", async () => {
    const second = { ...MAIL, to: "bob@example.com" };
    const { db, vault } = await queued([MAIL, second]);
    assert.deepEqual(await listOutbox(db, vault, NOW + 2), [
      { ...second, createdAt: NOW + 1 },
      { ...MAIL, createdAt: NOW },
    ]);
  });

  test("listOutbox() returns the later ones of one millisecond first", async () => {
    const { db, vault } = await queued([]);
    const names = Array.from({ length: 20 }, (_, index) => `Code ${index}`);
    for (const subject of names) {
      await enqueueMail(db, sealMail(vault, { ...MAIL, subject }, { now: NOW, random }));
    }
    const subjects = (await listOutbox(db, vault, NOW)).map(({ subject }) => subject);
    assert.deepEqual(subjects, names.toReversed());
  });

  test("sealMail() stores no content of the mail in plain text", async () => {
    const { db } = await queued();
    const row = await db.selectFrom("outbox").selectAll().executeTakeFirstOrThrow();
    const bytes = new TextDecoder("latin1").decode(row.sealed);
    for (const word of ["042042", "alice", "Your code"]) assert.equal(bytes.includes(word), false, word);
  });

  test("listOutbox() returns nothing from the 24th hour on", async () => {
    const { db, vault } = await queued();
    assert.equal(MAIL_LIFETIME, DAY);
    assert.equal((await listOutbox(db, vault, NOW + DAY - 1)).length, 1);
    assert.deepEqual(await listOutbox(db, vault, NOW + DAY), []);
  });

  test("enqueueMail() stores nothing when its transaction rolls back", async () => {
    const { db, vault } = await queued([]);
    const sealed = sealMail(vault, MAIL, { now: NOW, random });
    await assert.rejects(
      transaction(db, async (tx) => {
        await enqueueMail(tx, sealed);
        throw new Error("changed my mind");
      }),
      /changed my mind/,
    );
    assert.deepEqual(await listOutbox(db, vault, NOW), []);
  });

  test("listOutbox() lists the newest 100", async () => {
    const { db, vault } = await queued();
    for (let index = 1; index <= 100; index++) {
      await enqueueMail(db, sealMail(vault, MAIL, { now: NOW + index, random }));
    }
    const times = (await listOutbox(db, vault, NOW + 100)).map(({ createdAt }) => createdAt);
    assert.deepEqual(times, Array.from({ length: 100 }, (_, index) => NOW + 100 - index));
  });

  const edits: Record<string, (row: Tables["outbox"]) => Partial<Tables["outbox"]>> = {
    id: () => ({ id: "mail_other" }),
    created_at: (row) => ({ created_at: row.created_at + 1 }),
    expires_at: (row) => ({ expires_at: row.expires_at + DAY }),
    sealed: (row) => ({ sealed: row.sealed.with(40, row.sealed[40]! ^ 1) }),
    "sealed, cut short,": () => ({ sealed: new Uint8Array(3) }),
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`listOutbox() omits a mail when ${column} was edited`, async () => {
      const { db, vault } = await queued();
      await db.updateTable("outbox").set(
        edit(await db.selectFrom("outbox").selectAll().executeTakeFirstOrThrow()),
      )
        .execute();
      assert.deepEqual(await listOutbox(db, vault, NOW + 1), []);
    });
  }

  test("listOutbox() omits a mail when another vault sealed it", async () => {
    const { db } = await queued();
    assert.deepEqual(await listOutbox(db, createTestVault(8), NOW), []);
  });
});

describe("createMail()", () => {
  test("createMail() does not change a valid mail", () => {
    assert.deepEqual(createMail(MAIL), MAIL);
  });

  const addresses = [
    "",
    "alice",
    "a@b@c",
    "a@b, c@d",
    "a@b,c@d",
    "a@b;c@d",
    "Alice <a@b>",
    "a @b",
    "a@b\r\nBcc: c@d",
    "a@b\n",
    "a@b\0",
    '"a"@b',
    "a@[::1]",
  ];
  for (const to of addresses) {
    test(`createMail() throws when the address is ${JSON.stringify(to)}`, () => {
      assert.throws(() => createMail({ ...MAIL, to }), TypeError);
    });
  }

  for (const subject of ["a\r\nBcc: c@d", "a\nb", "a\rb", "a\0b", "a\u0085b", "a\u2028b"]) {
    test(`createMail() throws when the subject is ${JSON.stringify(subject)}`, () => {
      assert.throws(() => createMail({ ...MAIL, subject }), TypeError);
    });
  }
});
