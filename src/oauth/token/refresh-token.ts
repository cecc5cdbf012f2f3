import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY, type Instant, MINUTE } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { endOfGrant, type Grant } from "../grant.ts";
import { newOpaqueToken, type OpaqueToken, readOpaqueToken } from "./opaque-token.ts";

const REFRESH_TOKEN_LIFETIME = 7 * DAY;

export type RefreshToken = Authentic<"refresh_token">;

/** Returns the expiry of a new refresh token, at most the end of its grant. */
export function refreshTokenEnd(grant: Grant, now: Instant): Instant {
  return Math.min(now + REFRESH_TOKEN_LIFETIME, endOfGrant(grant));
}

/** Returns used tokens too. Returns undefined if not found or not authentic. */
export async function findRefreshTokenRow(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<RefreshToken | undefined> {
  return await findRow(db, authority, "refresh_token", "byId", { id });
}

/** A refresh token and the account that its text names, which is its grant's. */
export interface FoundRefreshToken {
  readonly row: RefreshToken;
  readonly accountId: string;
}

/**
 * Returns used and expired tokens too. Returns undefined if the token was never issued. Throws `DatabaseError`
 * `inconsistent` if a grant of the account names the token as its next one and the database does not return its row.
 */
export async function findRefreshToken(
  db: Db,
  authority: RowAuthority,
  { text, now }: { readonly text: string; readonly now: Instant },
): Promise<FoundRefreshToken | undefined> {
  const read = readOpaqueToken(text, "refresh");
  if (read === undefined) return undefined;
  const { id, accountId } = read;
  const row = await findRefreshTokenRow(db, authority, id) ??
    await findNextTokenRow(db, authority, { id, accountId, now });
  return row !== undefined && read.matches(row.secret_hash) ? { row, accountId } : undefined;
}

/** Returns the row of the next token of a grant. A grant that another process ends meanwhile names none. */
async function findNextTokenRow(
  db: Db,
  authority: RowAuthority,
  { id, accountId, now }: { readonly id: string; readonly accountId: string; readonly now: Instant },
): Promise<RefreshToken | undefined> {
  const findNaming = async (db: Db): Promise<Grant | undefined> => {
    const grants = await listRows(db, authority, "authorization_grant", "ofAccount", {
      account_id: accountId,
    });
    return grants.find(({ refresh_id }) => refresh_id === id);
  };
  if (await findNaming(db) === undefined) return undefined;
  return await transaction(db, async (tx) => {
    const grant = await findNaming(tx);
    return grant && await findNextToken(tx, authority, grant, now);
  }, { subjects: [accountId] });
}

/**
 * Returns the row of the next token of a grant in use, or undefined if it can have expired. Throws `DatabaseError`
 * `inconsistent` if the database does not return it. Call it in a transaction, which alone knows that the grant is
 * still there.
 */
export async function findNextToken(
  tx: Db,
  authority: RowAuthority,
  grant: Grant,
  now: Instant,
): Promise<RefreshToken | undefined> {
  const row = await findRefreshTokenRow(tx, authority, grant.refresh_id!);
  // A process whose clock is ahead deletes the row of an expired token before the grant.
  if (row === undefined && grant.expires_at > now + MINUTE) {
    throw authority.reportInconsistent(tx, grant.account_id, "refresh_token");
  }
  return row;
}

export function newRefreshToken(
  { account_id: accountId }: Grant,
  { now, random }: { readonly now: Instant; readonly random: RandomBytes },
): OpaqueToken {
  return newOpaqueToken("refresh", { accountId, now, random });
}

/** The token that a new one replaces, and the sealed response that contains the new one. */
export interface ParentToken {
  readonly id: string;
  readonly answer: Uint8Array;
}

/** Stores a refresh token of a grant. */
export async function insertRefreshToken(
  tx: Db,
  authority: RowAuthority,
  { token, grant, parent, now }: {
    token: OpaqueToken;
    grant: Grant;
    parent: ParentToken | undefined;
    now: Instant;
  },
): Promise<void> {
  await insertRow(tx, authority, "refresh_token", {
    id: token.id,
    secret_hash: token.secretHash,
    grant_id: grant.id,
    parent_id: parent?.id ?? null,
    successor_id: null,
    created_at: now,
    expires_at: refreshTokenEnd(grant, now),
    spent_at: null,
    answer: parent?.answer ?? null,
  });
}
