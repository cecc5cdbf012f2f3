import { sameValue } from "../lib/object.ts";
import { AUTHORITY, type AuthorityKind } from "./authenticated-columns.ts";
import { columnsOf, type SealedRow } from "./authority.ts";

/** Kinds whose rows are often read again unchanged. For others, the cache would cost more than it saves. */
const ASKED_AGAIN: ReadonlySet<AuthorityKind> = new Set<AuthorityKind>([
  "account",
  "api_token",
  "application_session",
  "client",
  "ethereum_key",
  "session",
  "token_key",
]);

/** The maximum size in bytes, as `sizeOf` estimates: some ten thousand rows. One runtime uses twice as much. */
const MOST = 16 * 1024 * 1024;
/** The maximum size of a cached row in bytes. */
const LARGEST = 4096;
/** The overhead in bytes of an object with its members, of a text and of an array of bytes. */
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
 * A cache of rows with a verified MAC, by id. A row that the database returns again, byte for byte with its MAC, need
 * not be verified again in this process. Any difference requires verification.
 */
export interface VerifiedRows {
  /** Returns the cached row, or undefined if it is not cached or any column differs. */
  find<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined;
  /** Caches a row that was just verified, if its kind is cached. */
  keep<K extends AuthorityKind>(kind: K, row: SealedRow<K>): void;
}

const COLUMNS = Object.fromEntries(
  Object.keys(AUTHORITY).map((kind) => [kind, columnsOf(kind as AuthorityKind)]),
) as Readonly<Record<AuthorityKind, readonly string[]>>;

function idOf(row: Columns): string | undefined {
  return typeof row["id"] === "string" ? row["id"] : undefined;
}

/** Estimates the memory of a row in bytes. Overestimates most rows. */
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

export function createVerifiedRows(): VerifiedRows {
  // Two generations, dropped as a whole: deleting the oldest entries of a Map one by one takes 7 µs each, because it
  // steps over the deleted ones.
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

  function findCached(id: string): Proven | undefined {
    const known = lately.get(id);
    if (known !== undefined) return known;
    const older = before.get(id);
    if (older !== undefined) add(id, older);
    return older;
  }

  return {
    find<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined {
      const known = findCached(idOf(row as Columns) ?? "");
      if (known === undefined || known.kind !== kind) return undefined;
      return isSame(kind, known.row as Columns, row as Columns) ? known.row as SealedRow<K> : undefined;
    },
    keep(kind, row) {
      if (!ASKED_AGAIN.has(kind)) return;
      const id = idOf(row as Columns);
      const size = sizeOf(row as Columns);
      // An additional column was not verified.
      const isWhole = Object.keys(row).length === COLUMNS[kind].length;
      if (id === undefined || size > LARGEST || !isWhole) return;
      add(id, { kind, row: Object.freeze(row), size });
    },
  };
}
