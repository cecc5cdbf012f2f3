import type { Tables } from "../db/schema/schema.ts";
import { AUTHORITY } from "./authenticated-columns.ts";
import type { AuthorityEntry, AuthorityKind } from "./authenticated-columns.ts";

/** Every column of a kind: what its MAC covers, what it leaves open, and the MAC. */
export function columnsOf(kind: AuthorityKind): readonly string[] {
  const { covered, open }: AuthorityEntry = AUTHORITY[kind];
  return [...covered, ...Object.keys(open), "mac"];
}

type Covered<K extends AuthorityKind> = (typeof AUTHORITY)[K]["covered"][number];

/** The columns of a row that its MAC covers. */
export type AuthorityRow<K extends AuthorityKind> = {
  readonly [C in Covered<K> & keyof Tables[K]]: Tables[K][C];
};

/** A row as it comes from the database, with its MAC. */
export type SealedRow<K extends AuthorityKind> = AuthorityRow<K> & { readonly mac: Uint8Array };

/** What makes and checks the MACs of rows. Handed to whoever writes or reads such rows. */
export interface RowAuthority {
  /** The MAC of a row about to be written: 32 bytes. */
  mac<K extends AuthorityKind>(kind: K, row: AuthorityRow<K>): Uint8Array;
  /**
   * This very row, where the service wrote it: often the object that stood for it before. A row that it did not write is
   * reported, and undefined: it must be treated as absent. The object may be frozen, and its bytes must not be changed.
   */
  proveRow<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined;
  /** Reports a row that the service wrote and that must be treated as absent all the same: it is over. */
  reject<K extends AuthorityKind>(kind: K, row: SealedRow<K>): void;
}
