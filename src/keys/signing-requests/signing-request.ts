import type { Db } from "../../db/schema/schema.ts";
import type { SigningRequestKind, SigningRequestState } from "../../db/schema/signing-request.ts";
import { holderOf } from "../requester.ts";
import type { Asker } from "../requester.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { ProblemCode } from "../../lib/error.ts";
import { HOUR } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** How long a request can be approved. */
export const SIGNING_REQUEST_LIFETIME = HOUR;

const STATES: readonly SigningRequestState[] = [
  "pending",
  "signed",
  "declined",
  "refused",
  "withdrawn",
  "expired",
];

/** What stands for the owner where an asker has an id. */
const OWNER = "owner";

/** A signature that a key's owner is asked for, or was. */
export interface SigningRequest {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly asker: Asker;
  /** What the token or application was called when it asked; undefined where the owner asks. */
  readonly askerName: string | undefined;
  /** Where it was asked from. */
  readonly network: string;
  readonly kind: SigningRequestKind;
  /** The 32 bytes that are to be signed. */
  readonly digest: Uint8Array;
  /** Why the owner is asked. */
  readonly reason: string;
  readonly state: SigningRequestState;
  /** Why it was refused when it was approved. */
  readonly refusal: { readonly code: ProblemCode; readonly detail: string } | undefined;
  /** What the owner said who declined it. */
  readonly word: string | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly endedAt: Instant | undefined;
}

type Row = Authentic<"signing_request">;

/** The id that an asker has in a row. */
export function askerId(asker: Asker): string {
  return holderOf(asker) ?? OWNER;
}

function toAsker({ asker, client_id: clientId }: Row): Asker {
  if (asker === OWNER) return { kind: "owner" };
  return clientId === null
    ? { kind: "token", token: { id: asker } }
    : { kind: "application", grantId: asker, clientId };
}

/** Whether a row is of a request that can still be approved. */
export function isPending(row: Row, now: Instant): boolean {
  return row.state === "pending" && row.expires_at > now;
}

/** A request as it stands in its row at this time. */
export function toSigningRequest(row: Row, now: Instant): SigningRequest {
  const hasExpired = row.state === "pending" && !isPending(row, now);
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    asker: toAsker(row),
    askerName: row.asker_name ?? undefined,
    network: row.network,
    kind: row.kind,
    digest: row.digest,
    reason: row.reason,
    state: hasExpired ? "expired" : row.state,
    refusal: row.code === null ? undefined : { code: row.code as ProblemCode, detail: row.word! },
    word: row.code === null ? row.word ?? undefined : undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at ?? (hasExpired ? row.expires_at : undefined),
  };
}

/** Which request, and who wants it: the account's owner, or one asker of the account, who has their own only. */
export interface WhichRequest {
  readonly accountId: string;
  readonly requestId: string;
  readonly asker: Asker;
}

/** The row of a request. Throws `not_found` where the account has none of that id, or somebody else of it asked. */
export async function getSigningRequestRow(
  db: Db,
  authority: RowAuthority,
  { accountId, requestId, asker }: WhichRequest,
): Promise<Row> {
  const asked = { account_id: accountId, id: requestId };
  const row = await findRow(db, authority, "signing_request", "ofAccountById", asked);
  if (row === undefined || (asker.kind !== "owner" && row.asker !== askerId(asker))) {
    throw new ProtocolError("not_found", "There is no such signing request");
  }
  return row;
}

/** The rows of an account's requests that are not noted as over, oldest first; some of them may have expired. */
export async function listPendingRows(db: Db, authority: RowAuthority, accountId: string): Promise<Row[]> {
  const asked = { account_id: accountId, state: "pending" } as const;
  return await listRows(db, authority, "signing_request", "ofAccountInState", asked);
}

/** The requests that wait for an account's owner, oldest first: all of them for the owner, else the asker's own. */
export async function listPendingRequests(
  db: Db,
  authority: RowAuthority,
  { accountId, asker, now }: { readonly accountId: string; readonly asker: Asker; readonly now: Instant },
): Promise<SigningRequest[]> {
  const rows = await listPendingRows(db, authority, accountId);
  return rows.filter((row) => isPending(row, now) && (asker.kind === "owner" || row.asker === askerId(asker)))
    .map((row) => toSigningRequest(row, now));
}

/** All of an account's requests that are still kept, by their state and oldest first: each may be shown to its owner. */
export async function listAllRequests(
  db: Db,
  authority: RowAuthority,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<readonly SigningRequest[]> {
  const all: SigningRequest[] = [];
  for (const state of STATES) {
    const asked = { account_id: accountId, state };
    const rows = await listRows(db, authority, "signing_request", "ofAccountInState", asked);
    all.push(...rows.map((row) => toSigningRequest(row, now)));
  }
  return all;
}

/** What a request that is over answers to whoever wants to change it. */
export function over({ state }: Pick<SigningRequest, "state">): ProtocolError {
  return new ProtocolError("signing_request_over", `This signing request is over: it was ${WORDS[state]}`);
}

const WORDS: Readonly<Record<SigningRequestState, string>> = {
  pending: "answered just now",
  signed: "signed",
  declined: "declined",
  refused: "refused",
  withdrawn: "taken back by whoever asked",
  expired: "not answered in time",
};
