import { languageOf } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import { AUTHORITY, type AuthorityKind } from "../vault/authenticated-columns.ts";
import type { SealedRow } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

export interface RowCount {
  readonly kind: AuthorityKind;
  readonly rows: number;
  readonly forged: number;
}

/** Verifies the MAC of every authenticated row, without an index. Does not detect deleted or restored rows. */
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

async function verifyKind(
  db: Db,
  vault: Vault,
  kind: AuthorityKind,
  onPage: (rows: number) => void,
): Promise<RowCount> {
  let [rows, forged] = [0, 0];
  const columns = [...AUTHORITY[kind].authenticated, "mac"];
  for await (const page of languageOf(db).readTable(db, { table: kind, columns })) {
    for (const row of page) if (!vault.verifyMac(kind, row as unknown as SealedRow<AuthorityKind>)) forged++;
    rows += page.length;
    onPage(page.length);
  }
  return { kind, rows, forged };
}
