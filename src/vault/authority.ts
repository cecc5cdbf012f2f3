import type { AuthenticatedColumn } from "../db/schema/column.ts";
import type { AUTHENTICATED_TABLES, Tables } from "../db/schema/schema.ts";
import type { DatabaseError } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import { AUTHORITY, type AuthorityKind } from "./authenticated-columns.ts";

export function columnsOf(kind: AuthorityKind): readonly string[] {
  const { authenticated, unauthenticated } = AUTHORITY[kind];
  return [...authenticated, ...unauthenticated, "mac"];
}

export type AuthorityRow<K extends AuthorityKind> = {
  readonly [C in AuthenticatedColumn<(typeof AUTHENTICATED_TABLES)[K]> & keyof Tables[K]]: Tables[K][C];
};

export type SealedRow<K extends AuthorityKind> = AuthorityRow<K> & { readonly mac: Uint8Array };

export interface RowAuthority {
  /** Returns the MAC of a row about to be written: 32 bytes. */
  mac<K extends AuthorityKind>(kind: K, row: AuthorityRow<K>): Uint8Array;
  /**
   * Returns the row if the service wrote it, often as the object returned before. Otherwise reports it and returns
   * undefined: the caller must treat it as missing. The object may be frozen, and its bytes must not be changed.
   */
  verifyRow<K extends AuthorityKind>(kind: K, row: SealedRow<K>): SealedRow<K> | undefined;
  /** Reports a row that is authentic but spent. The caller must treat it as missing. */
  reportRejected<K extends AuthorityKind>(kind: K, row: SealedRow<K>): void;
  /** Returns a keyed hash of the parts for set hashes: 32 bytes. */
  setHash(...parts: readonly Uint8Array[]): Uint8Array;
  /**
   * Reports that the rows of an owner do not add up to its state, or that its state is not the newest. Returns the
   * error to throw: `inconsistent`, or `log_cut` if the log itself has a fault.
   */
  reportInconsistent(db: Db, owner: string, kind: AuthorityKind): DatabaseError;
  /** Reads the audit log to its end, so that `stateTagsOf` has the newest state of each owner. */
  followLog(db: Db): Promise<void>;
  /** Registers the writing of the states that this transaction changes, and of their log entries, before the commit. */
  logStates(tx: Db): void;
}
