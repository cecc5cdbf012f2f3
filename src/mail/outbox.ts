import type { Db, Tables } from "../db/schema/schema.ts";
import { utf8 } from "../lib/bytes.ts";
import { newOrderedId, type RandomBytes } from "../lib/id.ts";
import { DAY, type Instant } from "../lib/time.ts";
import { SealError } from "../vault/error.ts";
import type { Vault } from "../vault/vault.ts";
import { createMail, type Mail, type QueuedMail } from "./mailer.ts";

/** The time for which a mail is kept and retried. */
export const MAIL_LIFETIME = DAY;

const LIST_LIMIT = 100;

/** Returns the row's facts that its seal covers. With another id, time or expiry it does not open. */
function additionalData(
  row: Pick<Tables["outbox"], "id" | "created_at" | "expires_at">,
): readonly Uint8Array[] {
  return [utf8(row.id), utf8(String(row.created_at)), utf8(String(row.expires_at))];
}

/** Returns the id of the only mail about a row. */
function mailIdOf(id: string): string {
  return id.replace(/^.*_/, "mail_");
}

/**
 * Seals a mail for the outbox. Call it before the transaction that queues the mail, which blocks other writers. The
 * mail expires after `lifetime` milliseconds and is not sent any more. With `of`, the id of the row it is about,
 * `withdrawMail` can find it.
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
): Tables["outbox"] {
  const id = of === undefined ? newOrderedId("mail", { now, random }) : mailIdOf(of);
  const facts = { id, created_at: now, expires_at: now + lifetime };
  const plaintext = utf8(JSON.stringify(createMail(mail)));
  const sealed = vault.seal("outbox", additionalData(facts), plaintext);
  return { ...facts, sealed, attempts: 0, next_attempt_at: now };
}

export async function enqueueMail(tx: Db, sealed: Tables["outbox"]): Promise<void> {
  await tx.insertInto("outbox").values(sealed).execute();
}

/** Does nothing if the mail was sent. */
export async function withdrawMail(tx: Db, of: string): Promise<void> {
  await tx.deleteFrom("outbox").where("id", "=", mailIdOf(of)).execute();
}

/**
 * Lists the queued mails that have not expired, newest first, at most 100. Mails of the same millisecond are ordered
 * by id. Leaves out rows that do not open.
 */
export async function listOutbox(db: Db, vault: Vault, now: Instant): Promise<QueuedMail[]> {
  const rows = await db.selectFrom("outbox").selectAll().where("expires_at", ">", now)
    .orderBy("created_at", "desc").limit(LIST_LIMIT).execute();
  // Sorted here, because the index orders by time only.
  const newestFirst = rows.toSorted((one, other) =>
    other.created_at - one.created_at || (one.id < other.id ? 1 : -1)
  );
  return newestFirst.map((row) => openMail(vault, row)).filter((mail) => mail !== undefined);
}

/** Returns the mail of a row, or undefined if it is not authentic. */
export function openMail(vault: Vault, row: Tables["outbox"]): QueuedMail | undefined {
  try {
    const plaintext = vault.open("outbox", additionalData(row), row.sealed);
    const { to, subject, text, html } = JSON.parse(new TextDecoder().decode(plaintext)) as Mail;
    return { to, subject, text, html, createdAt: row.created_at };
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
