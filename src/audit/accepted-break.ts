import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import type { ColumnKind } from "../db/dialect.ts";
import type { AuditEventTable, Db } from "../db/schema/schema.ts";
import { nextTurn } from "../lib/cooperative.ts";
import { lengthPrefixed, utf8 } from "../lib/bytes.ts";
import { sha256 } from "../lib/sha256.ts";

/** A part of the log that is not sound, and that a person let pass exactly as it stood. */
export interface BrokenPart {
  /** The first entry that was not sound; below 1 where somebody put in one before the first. */
  readonly from: number;
  /** The entry that says so, which is no part of it. */
  readonly to: number;
  /** As `digestPart` made it. */
  readonly digest: string;
}

const DOMAIN = utf8("holdfast/audit/broken-part/v1");
const PAGE = 1000;
const COLUMNS = {
  seq: "integer",
  at: "integer",
  event: "text",
  account_id: "text",
  subject: "text",
  detail: "text",
  hash: "blob",
  mac: "blob",
} as const satisfies Readonly<Record<keyof AuditEventTable, ColumnKind>>;

/**
 * SHA-256, as hexadecimal, over the rows of a part as they stand there, and the hash before it: whether it is the very
 * part that a person looked at, and not one of which no person knows in its place.
 */
export async function digestPart(db: Db, { from, to }: Omit<BrokenPart, "digest">): Promise<string> {
  const { tableItself, typed } = languageOf(db);
  // With their types: in a part that somebody edited anything can stand anywhere.
  const row = sql.join(Object.entries(COLUMNS).map(([name, kind]) => typed(name, kind)), sql` || ',' || `);
  let digest = DOMAIN;
  // Numbers as text: somebody can put in one that is no safe integer.
  for (let after = String(from - 2);;) {
    const { rows } = await sql<
      { readonly seq: string; readonly row: string }
    >`select cast(seq as text) as seq, ${row} as "row" from ${tableItself("audit_event")}
      where seq > cast(${after} as bigint) and seq < ${to} order by audit_event.seq limit ${PAGE}`.execute(
      db,
    );
    for (const { seq, row } of rows) {
      const text = BigInt(seq) < from ? `before:${row.split(",").at(-2)}` : row;
      digest = sha256(lengthPrefixed(digest, utf8(text)));
    }
    if (rows.length < PAGE) return digest.toHex();
    after = rows.at(-1)!.seq;
    if (!db.isTransaction) await nextTurn();
  }
}

/** Which entries a person let pass, in words for their operator. */
export function letPassWords({ from, to }: BrokenPart): string {
  return `entries ${from} to ${to - 1} are not sound, and as they are a person let them pass in entry ${to}`;
}

/** Whether a part of the log is still what was let pass. Reads all of it. */
export async function isAsLetPass(db: Db, part: BrokenPart): Promise<boolean> {
  return await digestPart(db, part) === part.digest;
}
