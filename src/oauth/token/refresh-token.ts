import type { RefreshTokenTable } from "../../db/oauth-schema.ts";
import { prepared, preparedInsert } from "../../db/prepared.ts";
import type { Slot } from "../../db/prepared.ts";
import type { Db } from "../../db/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { GRANT_LIFETIME } from "../grant.ts";
import type { Grant } from "../grant.ts";
import { newOpaqueToken, readOpaqueToken } from "./opaque-token.ts";
import type { OpaqueToken } from "./opaque-token.ts";

/** How long a refresh token lives unused. */
const REFRESH_TOKEN_LIFETIME = 7 * DAY;

export type RefreshToken = Readonly<RefreshTokenTable>;

/** The end of a refresh token that is issued now: never beyond its family's. */
export function refreshTokenEnd(grant: Grant, now: Instant): Instant {
  return Math.min(now + REFRESH_TOKEN_LIFETIME, grant.created_at + GRANT_LIFETIME);
}

const selectToken = prepared((db, slot: Slot<{ readonly id: string }>) =>
  db.selectFrom("refresh_token").selectAll().where("id", "=", slot("id"))
);

/** The row of that id, spent or not; undefined when there is none or it is not authentic. */
export async function findRefreshTokenRow(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<RefreshToken | undefined> {
  const [row] = await selectToken(db, { id });
  return row !== undefined && authority.isAuthentic("refresh_token", row) ? row : undefined;
}

/** The row of a token as its holder presents it, spent and expired ones too; undefined when it was never issued. */
export async function findRefreshToken(
  db: Db,
  authority: RowAuthority,
  text: string,
): Promise<RefreshToken | undefined> {
  const read = readOpaqueToken(text, "refresh");
  const row = read === undefined ? undefined : await findRefreshTokenRow(db, authority, read.id);
  return row !== undefined && read!.matches(row.secret_hash) ? row : undefined;
}

const insertRow = preparedInsert("refresh_token");

/** A refresh token that is not stored yet. */
export function newRefreshToken(moment: { now: Instant; random: RandomBytes }): OpaqueToken {
  return newOpaqueToken("refresh", moment);
}

/** Stores a refresh token of a grant, as the successor of another or as the family's first. */
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
  const unsealed = {
    id: token.id,
    secret_hash: token.secretHash,
    grant_id: grant.id,
    parent_id: parentId,
    successor_id: null,
    created_at: now,
    expires_at: refreshTokenEnd(grant, now),
    spent_at: null,
  };
  const row = { ...unsealed, answer: null, mac: authority.mac("refresh_token", unsealed) };
  await insertRow(tx, row);
}

const markSpent = prepared((
  db,
  slot: Slot<
    Pick<RefreshTokenTable, "id" | "mac"> & {
      readonly old: Uint8Array;
      readonly spent_at: Instant;
      readonly successor_id: string;
      readonly answer: Uint8Array;
    }
  >,
) =>
  db.updateTable("refresh_token").set({
    spent_at: slot("spent_at"),
    successor_id: slot("successor_id"),
    answer: slot("answer"),
    mac: slot("mac"),
  }).where("id", "=", slot("id")).where("mac", "=", slot("old")).returning("id")
);

/** Spends a refresh token by one statement, keeping the sealed answer for a retry; false when it is spent or gone. */
export async function spendRefreshToken(
  tx: Db,
  authority: RowAuthority,
  { row, successorId, answer, now }: {
    row: RefreshToken;
    successorId: string;
    answer: Uint8Array;
    now: Instant;
  },
): Promise<boolean> {
  const spent = { ...row, spent_at: now, successor_id: successorId };
  const mac = authority.mac("refresh_token", spent);
  const { id, mac: old } = row;
  return (await markSpent(tx, { id, old, spent_at: now, successor_id: successorId, answer, mac })).length ===
    1;
}

const eraseAnswer = prepared((db, slot: Slot<{ readonly id: string }>) =>
  db.updateTable("refresh_token").set({ answer: null }).where("id", "=", slot("id"))
);

/** Erases the answer that led to this token: its client has it. */
export async function eraseAnswerBefore(tx: Db, { parent_id: id }: RefreshToken): Promise<void> {
  if (id === null) return;
  await eraseAnswer(tx, { id });
}
