import { sql } from "kysely";
import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { AuthorityRow, RowAuthority, SealedRow } from "../../vault/authority.ts";
import { notWritten, ownRow } from "../authentic.ts";
import { keyOf, type RawRow } from "../lookups.ts";
import { insertOne, selectOwned } from "../queries.ts";
import { isFormerSet, isOfAccount, kindsOf, nameOfRow, ownerOf, SERVICE } from "./kinds.ts";
import { tagOf } from "./owner-state.ts";
import { recordRebuilt } from "./pending.ts";
import { selectRowsOf } from "./row-sets.ts";
import { copySets, sumOf, writeSet } from "./set-hash.ts";
import { deleteState, insertState } from "./write-states.ts";

/** The rows of one kind in the database that name an owner. */
export interface StoredRows {
  /** Those that the service wrote, in any version and in any copy of the database. */
  readonly authentic: readonly RawRow[];
  readonly forged: number;
}

/** Returns the rows of an owner without comparing them with its state. Use it only to show or repair them. */
export async function readStoredRows(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  owner: string,
): Promise<StoredRows> {
  const stored = await selectRowsOf(db, kind, owner);
  const authentic = stored.filter((row) =>
    ownRow(authority, kind, row) !== undefined && (owner === SERVICE || ownerOf(kind, row) === owner)
  );
  return { authentic, forged: stored.length - authentic.length };
}

/**
 * Replaces all rows of an account, a client or the service, authentic or not, and writes a new state for them. The
 * caller appends the audit entry that names the state. No other change of the owner's rows may be in the same
 * transaction.
 */
export async function rebuildState(
  tx: Db,
  authority: RowAuthority,
  { owner, now }: { readonly owner: string; readonly now: Instant },
  rows: ReadonlyMap<AuthorityKind, readonly RawRow[]>,
): Promise<void> {
  const kinds = kindsOf(owner);
  const version = await unusedVersion(tx, authority, owner, now);
  const sets = copySets(new Uint8Array(), { kinds, owner });
  for (const [index, kind] of kinds.entries()) {
    if (isFormerSet(owner, kind)) {
      await rebuildFormer(tx, authority, { kind, now }, rows.get(kind));
      continue;
    }
    const sealed = (rows.get(kind) ?? []).map((row) => ({
      ...row,
      mac: authority.mac(kind, row as unknown as AuthorityRow<AuthorityKind>),
    }));
    if (isOfAccount(owner)) await replaceRows(tx, kind, owner, sealed);
    else await replaceInPlace(tx, kind, owner, sealed);
    writeSet(authority, { owner, kinds }, sets, index, { version, sum: sumOf(authority, sealed) });
  }
  const columns = { owner, version, sets };
  const mac = authority.mac("owner_state", columns);
  await deleteState(tx, { owner });
  if (await insertState(tx, { ...columns, mac }) !== 1) {
    throw notWritten("owner_state", "the state was not replaced");
  }
  recordRebuilt(tx, authority, { rebuilt: owner, tag: tagOf(mac) });
}

/** Gives each row of an older version's database a state of its own, and deletes those that are not among `rows`. */
async function rebuildFormer(
  tx: Db,
  authority: RowAuthority,
  { kind, now }: { readonly kind: AuthorityKind; readonly now: Instant },
  rows: readonly RawRow[] | undefined,
): Promise<void> {
  if (rows === undefined) return;
  for (const stored of await selectRowsOf(tx, kind, SERVICE)) {
    const owner = ownerOf(kind, stored)!;
    const kept = rows.filter((row) => ownerOf(kind, row) === owner);
    await rebuildState(tx, authority, { owner, now }, new Map([[kind, kept]]));
  }
}

/** Returns a version that the owner never had. Each change adds 1, so all earlier ones are below the clock's time. */
async function unusedVersion(tx: Db, authority: RowAuthority, owner: string, now: Instant): Promise<number> {
  const [row] = await tx.selectFrom("owner_state").selectAll().where("owner", "=", owner).execute();
  const isOurs = row !== undefined &&
    authority.verifyRow("owner_state", row as SealedRow<"owner_state">) !== undefined;
  return Math.max(isOurs ? Number(row.version) + 1 : 0, now);
}

async function replaceRows(
  tx: Db,
  kind: AuthorityKind,
  owner: string,
  rows: readonly RawRow[],
): Promise<void> {
  if (kind === "account") {
    // Other rows refer to it, so it is not deleted.
    const updated = await tx.updateTable(kind).set(rows[0] as object).where("id", "=", owner)
      .executeTakeFirst();
    if (updated.numUpdatedRows === 1n) return;
  } else {
    await sql`delete from ${sql.table(kind)} where account_id = ${owner}`.execute(tx);
  }
  for (const row of rows) {
    if (await insertOne(kind)(tx, row) !== 1) throw notWritten(kind, "a row was not replaced");
  }
}

/** Keeps rows in their place: rows of accounts refer to clients. */
async function replaceInPlace(
  tx: Db,
  kind: AuthorityKind,
  owner: string,
  rows: readonly RawRow[],
): Promise<void> {
  const kept = new Map(rows.map((row) => [nameOfRow(kind, row), row]));
  for (const stored of await selectOwned(tx, kind, owner)) {
    const row = kept.get(nameOfRow(kind, stored));
    kept.delete(nameOfRow(kind, stored));
    const same = sql.join(
      keyOf(kind).map((column) => sql`${sql.ref(column)} = ${stored[column]}`),
      sql` and `,
    );
    if (row === undefined) {
      await sql`delete from ${sql.table(kind)} where ${same}`.execute(tx);
    } else {
      const updated = await tx.updateTable(kind).set(row as object).where(sql<boolean>`${same}`)
        .executeTakeFirst();
      if (updated.numUpdatedRows !== 1n) throw notWritten(kind, "a row was not replaced");
    }
  }
  for (const row of kept.values()) {
    if (await insertOne(kind)(tx, row) !== 1) throw notWritten(kind, "a row was not replaced");
  }
}
