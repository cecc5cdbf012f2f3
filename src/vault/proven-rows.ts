import { sameValue } from "../lib/same-value.ts";
import { AUTHORITY } from "./authority.ts";
import type { AuthorityEntry, AuthorityKind, SealedRow } from "./authority.ts";

/** Rows that are kept, the latest: half a kilobyte for a usual one, and 32 MB at most. */
export const KEPT_ROWS = 16_384;
/** Characters and bytes of the largest row that is kept. */
const LARGEST = 1000;

interface Proven {
  readonly kind: AuthorityKind;
  readonly row: SealedRow<AuthorityKind>;
}

type Columns = Readonly<Record<string, unknown>>;

/**
 * Rows whose MAC was right, by their ids, with all that stands in them: what comes from the database again as it was,
 * byte for byte and its MAC too, need not be proven again in this process. What does not has to be.
 */
export interface ProvenRows {
  /** The row as it is kept; undefined where it is not, or where any column differs. */
  find<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined;
  /** Keeps a row that was proven just now. */
  keep<K extends AuthorityKind>(kind: K, row: SealedRow<K>): void;
}

/** Every column of a kind. */
function columnsOf(kind: AuthorityKind): readonly string[] {
  const { covered, open }: AuthorityEntry = AUTHORITY[kind];
  return [...covered, ...Object.keys(open), "mac"];
}

const COLUMNS = Object.fromEntries(
  Object.keys(AUTHORITY).map((kind) => [kind, columnsOf(kind as AuthorityKind)]),
) as Readonly<Record<AuthorityKind, readonly string[]>>;

function idOf(row: Columns): string | undefined {
  return typeof row["id"] === "string" ? row["id"] : undefined;
}

function sizeOf(kind: AuthorityKind, row: Columns): number {
  let size = 0;
  for (const column of COLUMNS[kind]) {
    const value = row[column];
    if (typeof value === "string" || value instanceof Uint8Array) size += value.length;
  }
  return size;
}

function isSame(kind: AuthorityKind, one: Columns, other: Columns): boolean {
  for (const column of COLUMNS[kind]) if (!sameValue(one[column], other[column])) return false;
  return true;
}

/** An empty memory. */
export function createProvenRows(): ProvenRows {
  const kept = new Map<string, Proven>();
  return {
    find<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined {
      const known = kept.get(idOf(row as Columns) ?? "");
      if (known === undefined || known.kind !== kind) return undefined;
      return isSame(kind, known.row as Columns, row as Columns) ? known.row as SealedRow<K> : undefined;
    },
    keep(kind, row) {
      const id = idOf(row as Columns);
      if (id === undefined || sizeOf(kind, row as Columns) > LARGEST) return;
      // The oldest stands first.
      if (kept.size >= KEPT_ROWS && !kept.has(id)) kept.delete(kept.keys().next().value!);
      kept.set(id, { kind, row });
    },
  };
}
