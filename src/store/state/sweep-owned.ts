import { type Kysely, sql } from "kysely";
import { passInconsistent } from "../../db/error.ts";
import {
  DEVICE_LIFETIME,
  ENDED_INVITATION_MEMORY,
  ENDED_TOKEN_MEMORY,
  LONGEST_SESSION_IDLE,
  SIGNING_REQUEST_MEMORY,
} from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Throttle } from "../../db/sweep.ts";
import { transaction } from "../../db/transaction.ts";
import type { Instant } from "../../lib/time.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { keyOf, primaryLookup, type RawRow } from "../lookups.ts";
import { deleteOne } from "../queries.ts";
import { removeRow } from "../write.ts";
import { nameOfRow } from "./kinds.ts";
import { recordForgotten } from "./pending.ts";
import { findOwned } from "./read-owned.ts";

/** Rows in one transaction, which blocks all other writers. */
const BATCH = 50;

/** The kinds with a state that expire, the column that says when, and the time after it at which a row is deleted. */
const SWEEPS: readonly (readonly [kind: AuthorityKind, column: string, after: number])[] = [
  ["invitation", "expires_at", ENDED_INVITATION_MEMORY],
  ["admin_session", "expires_at", 0],
  ["session", "expires_at", 0],
  ["session", "last_seen_at", LONGEST_SESSION_IDLE],
  ["account_device", "last_seen_at", DEVICE_LIFETIME],
  ["push_subscription", "expires_at", 0],
  ["api_token", "expires_at", ENDED_TOKEN_MEMORY],
  ["policy_use", "expires_at", ENDED_TOKEN_MEMORY],
  ["email_change", "expires_at", 0],
  ["authorization_grant", "expires_at", 0],
  ["signing_request", "expires_at", SIGNING_REQUEST_MEMORY],
  ["code_use", "expires_at", 0],
];

/**
 * Deletes expired rows that belong to a state, each with the change of its state. Returns their number. Leaves the rows
 * of an owner that do not add up. Works in small transactions, each run by `throttle`.
 */
export async function sweepOwned(
  db: Db,
  authority: RowAuthority,
  now: Instant,
  throttle: Throttle,
): Promise<number> {
  let swept = 0;
  for (const [kind, column, after] of SWEEPS) {
    let left = 0;
    for (let read = BATCH; read === BATCH;) {
      const names = await selectExpired(db, kind, { column, before: now - after, skip: left });
      read = names.length;
      if (read === 0) break;
      const deleted = await throttle(() =>
        deleteBatch(db, authority, { kind, column, before: now - after }, names)
      );
      swept += deleted;
      left += read - deleted;
    }
  }
  return swept;
}

async function selectExpired(
  db: Db,
  kind: AuthorityKind,
  { column, before, skip }: { readonly column: string; readonly before: Instant; readonly skip: number },
): Promise<readonly RawRow[]> {
  const table = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  const names = await table.selectFrom(kind).select([...keyOf(kind)]).where(column, "<=", before)
    .orderBy(column).limit(sql.lit(BATCH)).offset(sql.lit(skip)).execute();
  // Engines order equal times differently.
  return names.sort((one, other) => nameOfRow(kind, one) < nameOfRow(kind, other) ? -1 : 1);
}

async function deleteBatch(
  db: Db,
  authority: RowAuthority,
  { kind, column, before }: {
    readonly kind: AuthorityKind;
    readonly column: string;
    readonly before: Instant;
  },
  names: readonly RawRow[],
): Promise<number> {
  const lookup = primaryLookup(kind);
  return await transaction(db, async (tx) => {
    let deleted = 0;
    for (const where of names) {
      try {
        const row = await findOwned(tx, authority, { kind, lookup, where });
        if (row === undefined) {
          // The service did not write it.
          deleted += (await deleteOne(kind, lookup)(tx, where)).length;
        } else if (Number((row as unknown as RawRow)[column]) <= before) {
          await removeRow(tx, authority, kind, row);
          // An address has no other rows.
          if (kind === "code_use") recordForgotten(tx, authority, nameOfRow(kind, where));
          deleted++;
        }
      } catch (error) {
        passInconsistent(error);
      }
    }
    return deleted;
  });
}
