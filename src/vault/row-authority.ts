import type { AuthorityKind, RowAuthority, SealedRow } from "./authority.ts";
import type { Vault } from "./vault.ts";

/**
 * The vault's row MACs as domain functions use them. `onRejected` hears of every row that is not authentic; it must not
 * throw. Does not notice a row's own older version put back in its place.
 */
export function createRowAuthority(
  vault: Vault,
  onRejected: <K extends AuthorityKind>(kind: K, row: SealedRow<K>) => void,
): RowAuthority {
  return {
    mac: (kind, row) => vault.mac(kind, row),
    isAuthentic: (kind, row) => {
      const authentic = vault.verifyMac(kind, row);
      if (!authentic) onRejected(kind, row);
      return authentic;
    },
    reject: onRejected,
  };
}
