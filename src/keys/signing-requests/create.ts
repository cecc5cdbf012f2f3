import type { Account } from "../../accounts/account.ts";
import { type Notification, prepareNotification } from "../../accounts/notification.ts";
import type { RelyingParty } from "../../accounts/services.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { SigningRequestKind } from "../../db/schema/signing-request.ts";
import { transaction } from "../../db/transaction.ts";
import { holderOf, type Requester } from "../requester.ts";
import type { CheckedSignRequest, SignRequest } from "../digest.ts";
import type { EthereumKey } from "../key.ts";
import { constantTimeEqual, toHex } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import type { RateLimiter } from "../../limits/rate-limit.ts";
import { signatureRequestedMail } from "../../mail/key-mail.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { Authentic } from "../../store/authentic.ts";
import { insertRow, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { sealDocument } from "./sealed-document.ts";
import {
  isPending,
  listPendingRows,
  requesterId,
  SIGNING_REQUEST_LIFETIME,
  toSigningRequest,
} from "./signing-request.ts";
import type { SigningRequest } from "./signing-request.ts";

/** Maximum number of pending requests for each requester and for each account. */
const PENDING_LIMIT_EACH = 10;
export const PENDING_LIMIT = 50;

/** Maximum bytes of their documents, likewise. The reserve is for a requester without a pending request. */
const PENDING_BYTES_EACH = 256 * 1024;
const PENDING_BYTES = 1024 * 1024;
const PENDING_BYTES_RESERVE = 64 * 1024;

function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { document }) => sum + (document?.length ?? 0), 0);
}

export interface SigningRequestServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly mailer: Mailer;
}

export interface SigningRequestInput {
  readonly account: Account;
  readonly key: Pick<EthereumKey, "id" | "label">;
  readonly requester: Requester;
  /** The name of the token or client. Undefined for the owner. */
  readonly requesterName: string | undefined;
  readonly network: string;
  /** The sign request, as received and as validated. */
  readonly request: SignRequest;
  readonly checked: CheckedSignRequest;
  readonly reason: string;
  /** The program's own claim why it asks, if any. */
  readonly purpose: string | undefined;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

type Row = Authentic<"signing_request">;

/**
 * Creates a pending request and notifies the owner by mail unless notified recently. Returns the existing one if the
 * requester repeats a pending request. Throws `too_many_signing_requests`, `rate_limited` and `body_too_large`. Does
 * not check policies or the key: the approval does. `db` must be the outer handle.
 */
export async function createSigningRequest(
  db: Db,
  services: SigningRequestServices,
  input: SigningRequestInput,
): Promise<SigningRequest> {
  const { authority } = services;
  const { account, now } = input;
  const pendingRow = findSame(await listPendingRows(db, authority, account.id), input);
  if (pendingRow !== undefined) return toSigningRequest(pendingRow, now);
  const id = newId("signing", input.random);
  const { request, requester } = input;
  const document = sealDocument(services.vault, { id, digest: input.checked.digest }, {
    request,
    policy: requester.kind === "application" ? requester.policy : undefined,
  });
  const notification = prepareRequestNotification(services, input, id);
  const { row, queuedNotification } = await transaction(
    db,
    (tx) => insertPending(tx, services, input, { id, document, notification }),
  );
  queuedNotification?.queued();
  return toSigningRequest(row, now);
}

function kindOf(checked: CheckedSignRequest): SigningRequestKind {
  return checked.kind === "message" ? checked.format : checked.kind;
}

function findSame(
  rows: readonly Row[],
  { requester, key, checked, now }: SigningRequestInput,
): Row | undefined {
  return rows.find((row) =>
    isPending(row, now) && row.requester === requesterId(requester) && row.key_id === key.id &&
    row.kind === kindOf(checked) && constantTimeEqual(row.digest, checked.digest)
  );
}

/** Returns undefined if the owner is the requester, who approves within the same minute. */
function prepareRequestNotification(
  services: SigningRequestServices,
  input: SigningRequestInput,
  id: string,
): Notification | undefined {
  const { account, requesterName, key, network } = input;
  if (requesterName === undefined) return undefined;
  return prepareNotification(
    services,
    account,
    input,
    (heading) =>
      signatureRequestedMail({ ...heading, requestId: id, requesterName, keyLabel: key.label, network }),
  );
}

async function insertPending(
  tx: Db,
  services: SigningRequestServices,
  input: SigningRequestInput,
  { id, document, notification }: {
    readonly id: string;
    readonly document: Uint8Array;
    readonly notification: Notification | undefined;
  },
): Promise<{ readonly row: Row; readonly queuedNotification: Notification | undefined }> {
  const { vault, authority, limits } = services;
  const { account, key, requester, checked, now } = input;
  const by = holderOf(requester);
  const pending = await sweepPending(tx, authority, account.id, now);
  const pendingRow = findSame(pending, input);
  if (pendingRow !== undefined) return { row: pendingRow, queuedNotification: undefined };
  requireRoom(pending, input, document.length);
  await limits.take(tx, "signing_request", by ?? account.id, now);
  const row = await insertRow(tx, authority, "signing_request", {
    id,
    account_id: account.id,
    key_id: key.id,
    requester: requesterId(requester),
    client_id: requester.kind === "application" ? requester.clientId : null,
    requester_name: input.requesterName ?? null,
    network: input.network,
    kind: kindOf(checked),
    document,
    digest: checked.digest,
    reason: input.reason,
    state: "pending",
    code: null,
    word: null,
    created_at: now,
    expires_at: now + SIGNING_REQUEST_LIFETIME,
    ended_at: null,
    purpose: input.purpose ?? null,
  });
  await appendAudit(tx, vault, now, {
    event: "signature_asked",
    accountId: account.id,
    subject: key.id,
    detail: { request: id, digest: toHex(checked.digest), ...(by === undefined ? {} : { by }) },
  });
  return { row, queuedNotification: notification && await notifyApproval(tx, services, input, notification) };
}

/** Returns the account's pending requests. Marks expired ones and deletes their documents. */
async function sweepPending(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
  now: Instant,
): Promise<Row[]> {
  const rows = await listPendingRows(tx, authority, accountId);
  for (const row of rows.filter((row) => !isPending(row, now))) {
    const change = { state: "expired", document: null, ended_at: row.expires_at } as const;
    await replaceRow(tx, authority, "signing_request", row, change);
  }
  return rows.filter((row) => isPending(row, now));
}

/** Throws `too_many_signing_requests`. `Retry-After` is the time until the first pending one expires. */
function requireRoom(pending: readonly Row[], { requester, now }: SigningRequestInput, length: number): void {
  const own = pending.filter((row) => row.requester === requesterId(requester));
  const isOwnFull = own.length >= PENDING_LIMIT_EACH || bytesOf(own) + length > PENDING_BYTES_EACH;
  const bytesLeft = PENDING_BYTES - (own.length === 0 ? 0 : PENDING_BYTES_RESERVE) - bytesOf(pending);
  if (!isOwnFull && pending.length < PENDING_LIMIT && length <= bytesLeft) return;
  const [first] = isOwnFull ? own : pending;
  const seconds = Math.max(1, Math.ceil(((first?.expires_at ?? now) - now) / SECOND));
  throw new ProtocolError(
    "too_many_signing_requests",
    "Cannot ask the owner: too many requests are already pending",
    { headers: { "Retry-After": String(seconds) } },
  );
}

/** Queues the mail and returns it. Returns undefined if the owner has received too many mails recently. */
async function notifyApproval(
  tx: Db,
  { limits }: SigningRequestServices,
  { account, now }: SigningRequestInput,
  notification: Notification,
): Promise<Notification | undefined> {
  try {
    await limits.take(tx, "signing_request_mail", account.id, now);
  } catch (error) {
    if (error instanceof ProtocolError && error.code === "rate_limited") return undefined;
    throw error;
  }
  await notification.enqueue(tx);
  return notification;
}
