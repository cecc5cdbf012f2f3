import type { Instant } from "../../lib/time.ts";

export type BlindSigning = "allow" | "guard" | "deny";

/** An Ethereum key. The private key is not stored: it is derived for each signature. */
export interface EthereumKeyTable {
  id: string;
  account_id: string;
  key_index: number;
  address: Uint8Array;
  public_key: Uint8Array;
  label: string;
  blind_signing: BlindSigning;
  created_at: Instant;
  archived_at: Instant | null;
  /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
  revision: number | null;
  /** The signing policy, canonical JSON; null allows everything. */
  policy: string | null;
  /** The policy from `policy_change_at` on; JSON `null` for none. Both columns are null without a pending change. */
  policy_change: string | null;
  policy_change_at: Instant | null;
  mac: Uint8Array;
}

export interface KeyTables {
  ethereum_key: EthereumKeyTable;
}
