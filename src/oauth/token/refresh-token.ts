import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY, type Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { insertRow, replaceIfUnchanged, replaceRow } from "../../store/write.ts";
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

/** Returns used and expired tokens too. Returns undefined if the token was never issued. */
export async function findRefreshToken(
  db: Db,
  authority: RowAuthority,
  text: string,
): Promise<RefreshToken | undefined> {
  const read = readOpaqueToken(text, "refresh");
  const row = read === undefined ? undefined : await findRefreshTokenRow(db, authority, read.id);
  return row !== undefined && read!.matches(row.secret_hash) ? row : undefined;
}

export function newRefreshToken(context: { now: Instant; random: RandomBytes }): OpaqueToken {
  return newOpaqueToken("refresh", context);
}

/** Stores a refresh token of a grant. `parentId` is the token that it replaces, if any. */
export async function insertRefreshToken(
  tx: Db,
  authority: RowAuthority,
  { token, grant, parentId, now }: {
    token: OpaqueToken;
    grant: Grant;
    parentId: string | null;
    now: Instant;
  },
): Promise<void> {
  await insertRow(tx, authority, "refresh_token", {
    id: token.id,
    secret_hash: token.secretHash,
    grant_id: grant.id,
    parent_id: parentId,
    successor_id: null,
    created_at: now,
    expires_at: refreshTokenEnd(grant, now),
    spent_at: null,
    answer: null,
  });
}

/** Marks a token as used and stores the sealed response for a retry. Returns false if it was used or is gone. */
export async function consumeRefreshToken(
  tx: Db,
  authority: RowAuthority,
  { row, successorId, answer, now }: {
    row: RefreshToken;
    successorId: string;
    answer: Uint8Array;
    now: Instant;
  },
): Promise<boolean> {
  const change = { spent_at: now, successor_id: successorId, answer };
  return await replaceIfUnchanged(tx, authority, "refresh_token", row, change) !== undefined;
}

/** Erases the sealed response that contained this token, because the client has received it. */
export async function eraseParentResponse(
  tx: Db,
  authority: RowAuthority,
  { parent_id: id }: RefreshToken,
): Promise<void> {
  const parent = id === null ? undefined : await findRefreshTokenRow(tx, authority, id);
  if (parent === undefined || parent.answer === null) return;
  await replaceRow(tx, authority, "refresh_token", parent, { answer: null });
}
