import type { AuthorityKind } from "./authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "./authority.ts";
import { createVerifiedRows } from "./verified-rows.ts";
import type { Vault } from "./vault.ts";

/** The part of a `RowAuthority` that needs no audit log. */
export type RowMacs = Pick<RowAuthority, "mac" | "verifyRow" | "reportRejected" | "setHash">;

export type OnRejected = <K extends AuthorityKind>(kind: K, row: SealedRow<K>) => void;

/**
 * Creates the MACs of rows for the store. Calls `onRejected`, which must not throw, for every row that is not
 * authentic. Does not detect an older version of a row restored in its place.
 */
export function createRowMacs(vault: Vault, onRejected: OnRejected): RowMacs {
  const rows = createVerifiedRows();
  return {
    mac: (kind, row) => vault.mac(kind, row),
    verifyRow: (kind, row) => {
      const known = rows.find(kind, row);
      if (known !== undefined) return known;
      if (!vault.verifyMac(kind, row)) {
        onRejected(kind, row);
        return undefined;
      }
      rows.keep(kind, row);
      return row;
    },
    reportRejected: onRejected,
    setHash: (...parts) => vault.keyedHash("set-hash", ...parts),
  };
}
