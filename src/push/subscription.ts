import { listSessions } from "../accounts/session/end-sessions.ts";
import { requireSession, type Session } from "../accounts/session/session.ts";
import { appendAudit } from "../audit/log.ts";
import { hasReceivers, startAtEnd } from "../db/deliveries.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { fromBase64url } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import type { AllowedHosts, Outgoing } from "../lib/outgoing.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows } from "../store/read.ts";
import { removeRow, upsertRow } from "../store/write.ts";
import { isPoint } from "../tee/quote/signature.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { requireUrl } from "../webhooks/url.ts";

/** A browser's subscription at its push service, as the Push API returns it. */
export interface BrowserSubscription {
  readonly endpoint: string;
  readonly keys: {
    /** A point on P-256, uncompressed: 65 bytes in base64url. */
    readonly p256dh: string;
    /** 16 bytes in base64url. */
    readonly auth: string;
  };
}

/** A browser that is notified. */
export interface NotifiedBrowser {
  readonly id: string;
  readonly sessionId: string;
  /** The browser and system of its session. */
  readonly device: string;
  readonly createdAt: Instant;
}

interface SubscriptionServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

const POINT_LENGTH = 65;
/** The first byte of an uncompressed point (SEC 1 section 2.3.3). */
const UNCOMPRESSED = 4;
const AUTH_LENGTH = 16;

/** Throws `invalid_request` unless the keys are those of RFC 8291 section 2, and messages may go to the endpoint. */
export async function requireBrowserSubscription(
  { endpoint, keys: { p256dh, auth } }: BrowserSubscription,
  hosts: AllowedHosts,
  outgoing: Pick<Outgoing, "lookup" | "timeLimit">,
): Promise<void> {
  const point = fromBase64url(p256dh);
  if (point?.length !== POINT_LENGTH || point[0] !== UNCOMPRESSED || !isPoint(point.subarray(1))) {
    throw refuse("/keys/p256dh", "Expected a point on P-256, uncompressed, in base64url");
  }
  if (!endpoint.startsWith("https:")) throw refuse("/endpoint", "Expected https");
  if (fromBase64url(auth)?.length !== AUTH_LENGTH) {
    throw refuse("/keys/auth", "Expected 16 bytes in base64url");
  }
  await requireUrl(endpoint, hosts, outgoing, (message) => refuse("/endpoint", message));
}

function refuse(path: string, message: string): ProtocolError {
  const errors = [{ path, message }];
  return new ProtocolError("invalid_request", "Cannot notify this browser: its subscription is not allowed", {
    errors,
  });
}

/**
 * Notifies the browser of a session from now on, in place of its earlier subscription. An account has at most as many
 * as it has sessions. Does not check the subscription: call `requireBrowserSubscription` before. Throws
 * `authentication_required` if the session has ended.
 */
export async function addSubscription(
  db: Db,
  { vault, authority }: SubscriptionServices,
  { session, endpoint, keys, now, random }: BrowserSubscription & {
    readonly session: Session;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
): Promise<NotifiedBrowser> {
  return await transaction(db, async (tx) => {
    await requireSession(tx, authority, session);
    if (!await hasReceivers(tx, "push_subscription")) await startAtEnd(tx, "push_subscription");
    const { row } = await upsertRow(tx, authority, "push_subscription", "bySession", {
      id: newId("push", random),
      account_id: session.accountId,
      session_id: session.id,
      endpoint,
      ...keys,
      created_at: now,
      expires_at: session.expiresAt,
    });
    await record(tx, vault, { event: "push_added", row, now });
    return toBrowser(row, session);
  });
}

function toBrowser(
  row: Authentic<"push_subscription">,
  { device }: Pick<Session, "device">,
): NotifiedBrowser {
  return { id: row.id, sessionId: row.session_id, device, createdAt: row.created_at };
}

async function record(
  tx: Db,
  vault: Vault,
  { event, row: { id, account_id: accountId }, now }: {
    readonly event: "push_added" | "push_removed";
    readonly row: Authentic<"push_subscription">;
    readonly now: Instant;
  },
): Promise<void> {
  await appendAudit(tx, vault, now, { event, accountId, subject: id, detail: {} });
}

/** Lists the browsers of an account that are notified, whose sessions have not ended, oldest first. */
export async function listSubscriptions(
  db: Db,
  { authority }: Pick<SubscriptionServices, "authority">,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<readonly NotifiedBrowser[]> {
  const sessions = await listSessions(db, { authority }, { accountId, now });
  const rows = await listRows(db, authority, "push_subscription", "ofAccount", { account_id: accountId });
  return rows.flatMap((row) => {
    const session = sessions.find(({ id }) => id === row.session_id);
    return session === undefined ? [] : [toBrowser(row, session)];
  });
}

/** Notifies a browser no longer. Throws `not_found`, also for one of another account. */
export async function removeSubscription(
  db: Db,
  { vault, authority }: SubscriptionServices,
  { accountId, id, now }: { readonly accountId: string; readonly id: string; readonly now: Instant },
): Promise<void> {
  await transaction(db, async (tx) => {
    const where = { account_id: accountId, id };
    const row = await findRow(tx, authority, "push_subscription", "ofAccountById", where);
    if (row === undefined) throw new ProtocolError("not_found", "There is no such browser");
    await removeRow(tx, authority, "push_subscription", row);
    await record(tx, vault, { event: "push_removed", row, now });
  });
}
