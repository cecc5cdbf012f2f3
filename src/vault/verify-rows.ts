import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import { AUTHORITY } from "./authority.ts";
import type { AuthorityKind, SealedRow } from "./authority.ts";
import type { Vault } from "./vault.ts";

/** How many rows of a kind there are, and how many of them the service did not write. */
export interface RowCount {
  readonly kind: AuthorityKind;
  readonly rows: number;
  readonly forged: number;
}

const PAGE = 1000;

/** Checks the MAC of every row that grants authority. Does not notice what was deleted or put back from before. */
export async function verifyRows(db: Db, vault: Vault): Promise<readonly RowCount[]> {
  const counts: RowCount[] = [];
  for (const kind of Object.keys(AUTHORITY) as AuthorityKind[]) {
    counts.push(await verifyKind(db, vault, kind));
  }
  return counts;
}

type Paged = SealedRow<AuthorityKind> & { readonly rowid: number };

async function verifyKind(db: Db, vault: Vault, kind: AuthorityKind): Promise<RowCount> {
  let [rows, forged, last] = [0, 0, 0];
  for (;;) {
    const page = await sql<Paged>`select rowid as rowid, * from ${
      sql.table(kind)
    } where rowid > ${last} order by rowid limit ${PAGE}`.execute(db);
    for (const row of page.rows) {
      if (!vault.verifyMac(kind, row)) forged++;
      last = row.rowid;
    }
    rows += page.rows.length;
    if (page.rows.length < PAGE) return { kind, rows, forged };
  }
}
