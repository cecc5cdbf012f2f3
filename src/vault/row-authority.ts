import type { AuthorityKind } from "./authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "./authority.ts";
import { createProvenRows } from "./verified-rows.ts";
import type { Vault } from "./vault.ts";

/**
 * The vault's row MACs as domain functions use them. `onRejected` hears of every row that is not authentic; it must not
 * throw. Does not notice a row's own older version put back in its place.
 */
export function createRowAuthority(
  vault: Vault,
  onRejected: <K extends AuthorityKind>(kind: K, row: SealedRow<K>) => void,
): RowAuthority {
  const rows = createProvenRows();
  return {
    mac: (kind, row) => vault.mac(kind, row),
    proveRow: (kind, row) => {
      const known = rows.find(kind, row);
      if (known !== undefined) return known;
      if (!vault.verifyMac(kind, row)) {
        onRejected(kind, row);
        return undefined;
      }
      rows.keep(kind, row);
      return row;
    },
    reject: onRejected,
  };
}
