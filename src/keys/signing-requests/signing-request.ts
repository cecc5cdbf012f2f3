import type { Db } from "../../db/schema/schema.ts";
import type { SigningRequestKind, SigningRequestState } from "../../db/schema/signing-request.ts";
import { holderOf, type Requester } from "../requester.ts";
import { type ProblemCode, ProtocolError } from "../../lib/error.ts";
import { HOUR, type Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";

export const SIGNING_REQUEST_LIFETIME = HOUR;

const STATES: readonly SigningRequestState[] = [
  "pending",
  "signed",
  "declined",
  "refused",
  "withdrawn",
  "expired",
];

/** The stored requester id of the owner. */
const OWNER = "owner";

/** A request for the approval of a key's owner, pending or ended. */
export interface SigningRequest {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly requester: Requester;
  /** The name of the token or client when it made the request. Undefined for the owner. */
  readonly requesterName: string | undefined;
  readonly network: string;
  readonly kind: SigningRequestKind;
  /** 32 bytes. */
  readonly digest: Uint8Array;
  readonly reason: string;
  /** The program's own claim why it asks, if any. */
  readonly purpose: string | undefined;
  readonly state: SigningRequestState;
  /** The reason for the refusal at approval. */
  readonly refusal: { readonly code: ProblemCode; readonly detail: string } | undefined;
  /** The owner's message when declining. */
  readonly word: string | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | undefined;
}

type Row = Authentic<"signing_request">;

export function requesterId(requester: Requester): string {
  return holderOf(requester) ?? OWNER;
}

function toRequester({ requester, client_id: clientId }: Row): Requester {
  if (requester === OWNER) return { kind: "owner" };
  return clientId === null
    ? { kind: "token", token: { id: requester } }
    : { kind: "application", grantId: requester, clientId };
}

export function isPending(row: Row, now: Instant): boolean {
  return row.state === "pending" && row.expires_at > now;
}

/** Parses a row. A pending request that has expired gets the state `expired`. */
export function toSigningRequest(row: Row, now: Instant): SigningRequest {
  const hasExpired = row.state === "pending" && !isPending(row, now);
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    requester: toRequester(row),
    requesterName: row.requester_name ?? undefined,
    network: row.network,
    kind: row.kind,
    digest: row.digest,
    reason: row.reason,
    purpose: row.purpose ?? undefined,
    state: hasExpired ? "expired" : row.state,
    refusal: row.code === null ? undefined : { code: row.code as ProblemCode, detail: row.word! },
    word: row.code === null ? row.word ?? undefined : undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at ?? (hasExpired ? row.expires_at : undefined),
  };
}

/** The reader of requests: the account's owner, or a requester, who sees only its own with the keys that it has now. */
export interface RequestReader {
  readonly accountId: string;
  readonly requester: Requester;
  readonly keys: "all" | readonly string[];
}

export interface WhichRequest extends RequestReader {
  readonly requestId: string;
}

/** Returns the account's owner as a reader. */
export function ownerOf({ id }: { readonly id: string }): RequestReader {
  return { accountId: id, requester: { kind: "owner" }, keys: "all" };
}

function isVisible(row: Row, { requester, keys }: RequestReader): boolean {
  return requester.kind === "owner" ||
    (row.requester === requesterId(requester) && (keys === "all" || keys.includes(row.key_id)));
}

/** Throws `not_found` if the account has no such request or the reader may not see it. */
export async function getSigningRequestRow(
  db: Db,
  authority: RowAuthority,
  which: WhichRequest,
): Promise<Row> {
  const where = { account_id: which.accountId, id: which.requestId };
  const row = await findRow(db, authority, "signing_request", "ofAccountById", where);
  if (row === undefined || !isVisible(row, which)) {
    throw new ProtocolError("not_found", "There is no such signing request");
  }
  return row;
}

/** Lists the rows in the state `pending`, oldest first. Some may have expired. */
export async function listPendingRows(db: Db, authority: RowAuthority, accountId: string): Promise<Row[]> {
  const where = { account_id: accountId, state: "pending" } as const;
  return await listRows(db, authority, "signing_request", "ofAccountInState", where);
}

/** Lists the pending requests that the reader may see, oldest first. */
export async function listPendingRequests(
  db: Db,
  authority: RowAuthority,
  reader: RequestReader,
  now: Instant,
): Promise<SigningRequest[]> {
  const rows = await listPendingRows(db, authority, reader.accountId);
  return rows.filter((row) => isPending(row, now) && isVisible(row, reader))
    .map((row) => toSigningRequest(row, now));
}

/** Lists all stored requests of an account, by state and oldest first. The owner may see each. */
export async function listAllRequests(
  db: Db,
  authority: RowAuthority,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<readonly SigningRequest[]> {
  const all: SigningRequest[] = [];
  for (const state of STATES) {
    const where = { account_id: accountId, state };
    const rows = await listRows(db, authority, "signing_request", "ofAccountInState", where);
    all.push(...rows.map((row) => toSigningRequest(row, now)));
  }
  return all;
}

export function requestEnded({ state }: Pick<SigningRequest, "state">): ProtocolError {
  return new ProtocolError("signing_request_over", `This signing request is closed: it was ${WORDS[state]}`);
}

const WORDS: Readonly<Record<SigningRequestState, string>> = {
  pending: "answered just now",
  signed: "signed",
  declined: "declined",
  refused: "refused",
  withdrawn: "withdrawn by the requester",
  expired: "not answered before it expired",
};
