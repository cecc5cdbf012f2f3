import { sql } from "kysely";
import { languageOf } from "../db/port.ts";
import type { ColumnKind } from "../db/dialect.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { yieldToEventLoop } from "../lib/cooperative.ts";
import { lengthPrefixed, utf8 } from "../lib/bytes.ts";
import { sha256 } from "../lib/sha256.ts";

/** A broken part of the log that an operator accepted exactly as it was. */
export interface BrokenPart {
  /** The first broken entry; below 1 if an attacker inserted one before the first. */
  readonly from: number;
  /** The acknowledging entry, which is not part of it. */
  readonly to: number;
  /** The result of `digestPart`. */
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
  state: "blob",
  hash: "blob",
  mac: "blob",
} as const satisfies Readonly<Record<keyof Tables["audit_event"], ColumnKind>>;

/** Hashes a part's rows and the hash before it, to detect a change since the operator accepted the part. */
export async function digestPart(db: Db, { from, to }: Omit<BrokenPart, "digest">): Promise<string> {
  const { tableItself, typed } = languageOf(db);
  // Includes the types: a manipulated column can hold any type.
  const row = sql.join(Object.entries(COLUMNS).map(([name, kind]) => typed(name, kind)), sql` || ',' || `);
  let digest = DOMAIN;
  // Numbers as text: an attacker can insert one that is not a safe integer.
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
    if (!db.isTransaction) await yieldToEventLoop();
  }
}

export function formatAcceptedBreak({ from, to }: BrokenPart): string {
  return `entries ${from} to ${to - 1} are not valid; the operator accepted them as they are in entry ${to}`;
}

/** Returns true if an accepted part is unchanged. Reads all of it. */
export async function isAcceptedBreakUnchanged(db: Db, part: BrokenPart): Promise<boolean> {
  return await digestPart(db, part) === part.digest;
}
