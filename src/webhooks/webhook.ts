import { appendAudit } from "../audit/log.ts";
import { type AuditEventName, EVENTS } from "../audit/event.ts";
import type { Db } from "../db/schema/schema.ts";
import type { WebhookSignature } from "../db/schema/webhook.ts";
import { hasReceivers, startAtEnd } from "../db/deliveries.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { listRows } from "../store/read.ts";
import { insertRow, removeRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** The events that a user can receive: what a program asks for, signs or may not sign, and what gives access. */
export const USER_EVENTS = [
  "signature_asked",
  "signing_request_ended",
  "message_signed",
  "typed_data_signed",
  "transaction_signed",
  "authorization_signed",
  "signing_refused",
  "approval_refused",
  "passkey_added",
  "passkey_removed",
  "sign_in_refused",
  "token_created",
  "token_changed",
  "token_revoked",
  "recovery_changed",
  "recovery_refused",
  "email_changed",
  "webhook_added",
  "webhook_removed",
] as const satisfies readonly AuditEventName[];

/** The events that an administrator can receive: every entry of the audit log that says more than its state. */
export const SERVICE_WEBHOOK_EVENTS = (Object.keys(EVENTS) as AuditEventName[]).filter((name) =>
  name !== "state_changed"
);

/** The account whose events a webhook gets; null for those of all accounts and of the service. */
export type WebhookSubject = string | null;

export interface Webhook {
  readonly id: string;
  readonly subject: WebhookSubject;
  readonly url: string;
  readonly events: readonly string[];
  readonly signature: WebhookSignature;
  readonly createdAt: Instant;
}

/** The most webhooks of an account, and of the administrator. */
const WEBHOOK_LIMIT = 10;

interface WebhookServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

function toWebhook({ events, created_at, ...row }: Authentic<"webhook">): Webhook {
  const { id, subject, url, signature } = row;
  return { id, subject, url, signature, events: events.split(" "), createdAt: created_at };
}

async function listRowsOf(
  db: Db,
  authority: RowAuthority,
  subject: WebhookSubject,
): Promise<readonly Authentic<"webhook">[]> {
  const rows = await listRows(db, authority, "webhook", "all", {});
  return rows.filter((row) => row.subject === subject);
}

/** Lists the webhooks of an account, or the administrator's, oldest first. */
export async function listWebhooks(
  db: Db,
  authority: RowAuthority,
  subject: WebhookSubject,
): Promise<readonly Webhook[]> {
  return (await listRowsOf(db, authority, subject)).map(toWebhook);
}

/** Throws `not_found`, also for another subject's webhook. */
export async function getWebhook(
  db: Db,
  authority: RowAuthority,
  { subject, id }: Pick<Webhook, "subject" | "id">,
): Promise<Webhook> {
  return toWebhook(await getRow(db, authority, { subject, id }));
}

async function getRow(
  db: Db,
  authority: RowAuthority,
  { subject, id }: Pick<Webhook, "subject" | "id">,
): Promise<Authentic<"webhook">> {
  const row = (await listRowsOf(db, authority, subject)).find((row) => row.id === id);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such webhook");
  return row;
}

/**
 * Adds a webhook. Does not check the URL: call `requireUrl` before, which takes time, and let `authorize` check in the
 * transaction that the requester still may. Throws `too_many_webhooks`.
 */
export async function addWebhook(
  db: Db,
  { vault, authority }: WebhookServices,
  { subject, url, events, signature, authorize, now, random }:
    & Pick<Webhook, "subject" | "url" | "events" | "signature">
    & {
      readonly authorize: (tx: Db) => Promise<void>;
      readonly now: Instant;
      readonly random: RandomBytes;
    },
): Promise<Webhook> {
  return await transaction(db, async (tx) => {
    await authorize(tx);
    if ((await listRowsOf(tx, authority, subject)).length >= WEBHOOK_LIMIT) {
      throw new ProtocolError(
        "too_many_webhooks",
        `Cannot add webhook: there are already ${WEBHOOK_LIMIT}; delete one first`,
      );
    }
    if (!await hasReceivers(tx, "webhook")) await startAtEnd(tx, "webhook");
    const row = await insertRow(tx, authority, "webhook", {
      id: newId("webhook", random),
      subject,
      url,
      events: events.join(" "),
      signature,
      created_at: now,
    });
    await appendAudit(tx, vault, now, {
      event: "webhook_added",
      accountId: subject,
      subject: row.id,
      detail: { events: row.events },
    });
    return toWebhook(row);
  });
}

/** Deletes a webhook with its deliveries. Throws `not_found`. */
export async function deleteWebhook(
  db: Db,
  { vault, authority }: WebhookServices,
  { subject, id, now }: Pick<Webhook, "subject" | "id"> & { readonly now: Instant },
): Promise<void> {
  await transaction(db, async (tx) => {
    await removeRow(tx, authority, "webhook", await getRow(tx, authority, { subject, id }));
    await appendAudit(tx, vault, now, {
      event: "webhook_removed",
      accountId: subject,
      subject: id,
      detail: {},
    });
  });
}
