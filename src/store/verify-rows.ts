import { sql } from "kysely";
import { DatabaseError } from "../db/error.ts";
import type { Db } from "../db/schema.ts";
import { AUTHORITY } from "../vault/authority.ts";
import type { AuthorityKind, SealedRow } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** How many rows of a kind there are, and how many of them the service did not write. */
export interface RowCount {
  readonly kind: AuthorityKind;
  readonly rows: number;
  readonly forged: number;
}

const PAGE = 1000;

/** Whoever writes a file chooses where its rows stand, below zero too. */
const FIRST_ROWID = -(2n ** 63n);
const LAST_ROWID = 2n ** 63n - 1n;

/**
 * Checks the MAC of every row that grants authority, wherever in its table it stands. `onPage` hears how many rows were
 * read. Does not notice what was deleted or put back from before.
 */
export async function verifyRows(
  db: Db,
  vault: Vault,
  onPage: (rows: number) => void = () => {},
): Promise<readonly RowCount[]> {
  const counts: RowCount[] = [];
  let read = 0;
  for (const kind of Object.keys(AUTHORITY) as AuthorityKind[]) {
    counts.push(await verifyKind(db, vault, kind, (rows) => onPage(read += rows)));
  }
  return counts;
}

type Paged = SealedRow<AuthorityKind> & { readonly rowid: string };

async function verifyKind(
  db: Db,
  vault: Vault,
  kind: AuthorityKind,
  onPage: (rows: number) => void,
): Promise<RowCount> {
  let [rows, forged, next] = [0, 0, FIRST_ROWID];
  for (;;) {
    const page = await readPage(db, kind, next);
    for (const row of page) {
      const rowid = BigInt(row.rowid);
      if (rowid < next) {
        throw new DatabaseError("damaged", `Cannot read rows of ${kind}: their numbers do not grow`);
      }
      next = rowid + 1n;
      if (!vault.verifyMac(kind, row)) forged++;
    }
    rows += page.length;
    onPage(page.length);
    if (page.length < PAGE || next > LAST_ROWID) return { kind, rows, forged };
  }
}

/** From the table itself: an index with all these columns would be read in its place, and can say something else. */
async function readPage(db: Db, kind: AuthorityKind, from: bigint): Promise<readonly Paged[]> {
  const columns = sql.join([...AUTHORITY[kind].covered, "mac"].map(readable));
  const { rows } = await sql<Paged>`select cast(rowid as text) as rowid, ${columns} from ${
    sql.table(kind)
  } not indexed
    where rowid >= ${from} order by ${sql.table(kind)}.rowid limit ${PAGE}`.execute(db);
  return rows;
}

/** A column; a text, which no MAC takes for a number, where it holds one that a runtime could not give back. */
function readable(name: string): ReturnType<typeof sql> {
  const column = sql.ref(name);
  return sql`iif(typeof(${column}) <> 'integer' or ${column} between ${
    sql.lit(Number.MIN_SAFE_INTEGER)
  } and ${sql.lit(Number.MAX_SAFE_INTEGER)}, ${column}, 'no safe integer') as ${column}`;
}
