import { sameValue } from "../lib/object.ts";
import { AUTHORITY } from "./authenticated-columns.ts";
import { columnsOf } from "./authority.ts";
import type { AuthorityKind } from "./authenticated-columns.ts";
import type { SealedRow } from "./authority.ts";

/** What is asked for again and again as it was. Of codes, grants or challenges, keeping costs more than it ever saves. */
const ASKED_AGAIN: ReadonlySet<AuthorityKind> = new Set<AuthorityKind>([
  "account",
  "api_token",
  "application_session",
  "client",
  "ethereum_key",
  "session",
  "token_key",
]);

/**
 * Bytes of all rows that are kept, the latest, as `sizeOf` has them: some ten thousand. One runtime needs twice as
 * many.
 */
const MOST = 16 * 1024 * 1024;
/** Bytes of the largest row that is kept. */
const LARGEST = 4096;
/** Bytes that an object with its members, a text and an array of bytes take besides what is in them. */
const OF_ROW = 400;
const OF_TEXT = 32;
const OF_BYTES = 200;

interface Proven {
  readonly kind: AuthorityKind;
  readonly row: SealedRow<AuthorityKind>;
  readonly size: number;
}

type Columns = Readonly<Record<string, unknown>>;

/**
 * Rows whose MAC was right, by their ids, with all that stands in them: what comes from the database again as it was,
 * byte for byte and its MAC too, need not be proven again in this process. What does not has to be.
 */
export interface ProvenRows {
  /** The row as it is kept; undefined where it is not, or where any column differs. */
  find<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined;
  /** Keeps a row that was proven just now, where one of its kind is asked for again. */
  keep<K extends AuthorityKind>(kind: K, row: SealedRow<K>): void;
}

const COLUMNS = Object.fromEntries(
  Object.keys(AUTHORITY).map((kind) => [kind, columnsOf(kind as AuthorityKind)]),
) as Readonly<Record<AuthorityKind, readonly string[]>>;

function idOf(row: Columns): string | undefined {
  return typeof row["id"] === "string" ? row["id"] : undefined;
}

/** About as many bytes as a row takes, from above for most. */
function sizeOf(row: Columns): number {
  let size = OF_ROW;
  for (const value of Object.values(row)) {
    if (typeof value === "string") size += OF_TEXT + 2 * value.length;
    if (value instanceof Uint8Array) size += OF_BYTES + value.length;
  }
  return size;
}

function isSame(kind: AuthorityKind, one: Columns, other: Columns): boolean {
  for (const column of COLUMNS[kind]) if (!sameValue(one[column], other[column])) return false;
  return true;
}

/** An empty memory. */
export function createProvenRows(): ProvenRows {
  // Those of lately, and of before: to drop the oldest one by one takes a Map 7 µs each, as it steps over the dropped.
  let lately = new Map<string, Proven>();
  let before = new Map<string, Proven>();
  let size = 0;

  function add(id: string, proven: Proven): void {
    size += proven.size - (lately.get(id)?.size ?? 0);
    lately.set(id, proven);
    if (size <= MOST / 2) return;
    before = lately;
    lately = new Map();
    size = 0;
  }

  function recall(id: string): Proven | undefined {
    const known = lately.get(id);
    if (known !== undefined) return known;
    const older = before.get(id);
    if (older !== undefined) add(id, older);
    return older;
  }

  return {
    find<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined {
      const known = recall(idOf(row as Columns) ?? "");
      if (known === undefined || known.kind !== kind) return undefined;
      return isSame(kind, known.row as Columns, row as Columns) ? known.row as SealedRow<K> : undefined;
    },
    keep(kind, row) {
      if (!ASKED_AGAIN.has(kind)) return;
      const id = idOf(row as Columns);
      const size = sizeOf(row as Columns);
      // Columns that nobody asked for are no part of what was proven.
      const isWhole = Object.keys(row).length === COLUMNS[kind].length;
      if (id === undefined || size > LARGEST || !isWhole) return;
      add(id, { kind, row: Object.freeze(row), size });
    },
  };
}
