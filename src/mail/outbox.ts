import type { Db, OutboxTable } from "../db/schema/schema.ts";
import { utf8 } from "../lib/bytes.ts";
import { newOrderedId } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import { DAY } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { SealError } from "../vault/error.ts";
import type { Vault } from "../vault/vault.ts";
import { createMail } from "./mailer.ts";
import type { Mail, QueuedMail } from "./mailer.ts";

/** How long a mail is kept and tried. */
export const MAIL_LIFETIME = DAY;

const LIST_LIMIT = 100;

/** The facts of a row that its sealed text is tied to: moved, prolonged or redated, it does not open. */
function additionalData(row: Pick<OutboxTable, "id" | "created_at" | "expires_at">): readonly Uint8Array[] {
  return [utf8(row.id), utf8(String(row.created_at)), utf8(String(row.expires_at))];
}

/** The id of the one mail that belongs to a row of this id. */
function mailIdOf(id: string): string {
  return id.replace(/^.*_/, "mail_");
}

/**
 * Seals a mail for the outbox, before the transaction that queues it: whoever writes makes everybody wait. After
 * `lifetime` milliseconds the mail is of no more use: it is not sent any more. With `of`, the id of the row that it
 * tells of, `withdrawMail` finds it.
 */
export function sealMail(
  vault: Vault,
  mail: Mail,
  { now, random, lifetime = MAIL_LIFETIME, of }: {
    now: Instant;
    random: RandomBytes;
    lifetime?: number;
    of?: string;
  },
): OutboxTable {
  const id = of === undefined ? newOrderedId("mail", { now, random }) : mailIdOf(of);
  const facts = { id, created_at: now, expires_at: now + lifetime };
  const plaintext = utf8(JSON.stringify(createMail(mail)));
  const sealed = vault.seal("outbox", additionalData(facts), plaintext);
  return { ...facts, sealed, attempts: 0, next_attempt_at: now };
}

/** Queues a sealed mail in the caller's transaction. It is kept until it is sent or expires. */
export async function enqueueMail(tx: Db, sealed: OutboxTable): Promise<void> {
  await tx.insertInto("outbox").values(sealed).execute();
}

/** Takes back the mail of a row, where it is still to be sent. */
export async function withdrawMail(tx: Db, of: string): Promise<void> {
  await tx.deleteFrom("outbox").where("id", "=", mailIdOf(of)).execute();
}

/**
 * The queued mails that have not expired, newest first, at most 100: of one millisecond in the order of their ids. A row
 * that does not open is left out.
 */
export async function listOutbox(db: Db, vault: Vault, now: Instant): Promise<QueuedMail[]> {
  const rows = await db.selectFrom("outbox").selectAll().where("expires_at", ">", now)
    .orderBy("created_at", "desc").limit(LIST_LIMIT).execute();
  // Here, because an index is in the order of time alone, and no database need sort a long outbox.
  const newestFirst = rows.toSorted((one, other) =>
    other.created_at - one.created_at || (one.id < other.id ? 1 : -1)
  );
  return newestFirst.map((row) => openMail(vault, row)).filter((mail) => mail !== undefined);
}

/** The mail of a row; undefined when the service did not write it so. */
export function openMail(vault: Vault, row: OutboxTable): QueuedMail | undefined {
  try {
    const plaintext = vault.open("outbox", additionalData(row), row.sealed);
    const { to, subject, text, html } = JSON.parse(new TextDecoder().decode(plaintext)) as Mail;
    return { to, subject, text, html, createdAt: row.created_at };
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
