import { authenticated, bytes, column, integer, nullable, text, time } from "./column.ts";

export type BlindSigning = "allow" | "guard" | "deny";

export const KEY_TABLES = {
  /** An Ethereum key. The private key is not stored: it is derived for each signature. */
  ethereum_key: authenticated(1, {
    id: text,
    account_id: text,
    key_index: integer,
    address: bytes,
    public_key: bytes,
    label: text,
    blind_signing: column<BlindSigning>(),
    created_at: time,
    archived_at: nullable(time),
    /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
    revision: nullable(integer),
    /** The signing policy, canonical JSON; null allows everything. */
    policy: nullable(text),
    /** The policy from `policy_change_at` on; JSON `null` for none. Both columns are null without a pending change. */
    policy_change: nullable(text),
    policy_change_at: nullable(time),
  }),
};
