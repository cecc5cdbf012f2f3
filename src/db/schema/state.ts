import { authenticated, bytes, integer, nullable, text, time } from "./column.ts";

export const STATE_TABLES = {
  /** The state of an account, or of the service: what its rows add up to, so that a missing or older row shows. */
  owner_state: authenticated(1, {
    /** The account's id, or `service`. */
    owner: text,
    /** Increases with every change of a row that belongs to the owner. */
    version: integer,
    /** The set hash of each kind of row, as `store/state/set-hash.ts` encodes it. */
    sets: bytes,
  }),
};

export const SEAL_TABLES = {
  /** The root seed, sealed under one key. The holder of any slot's key can open the seed. */
  seal_slot: authenticated(1, {
    id: text,
    /** `dstack`, `file`, `broker`, `recovery` or `simulated`. */
    source: text,
    /** The version of dstack's guest API that gave the key; null for any other source. */
    api: nullable(text),
    seal_key_id: text,
    version: integer,
    sealed: bytes,
    /** The number of shares that open a recovery slot, the number of all its shares, and the SHA-256 of each. */
    threshold: nullable(integer),
    shares: nullable(integer),
    share_hashes: nullable(bytes),
    created_at: time,
    /** The last start that this slot opened. An attacker can put an earlier time back. */
    opened_at: nullable(time),
  }),

  /** The ids of all slots. One row, so that a slot which was removed and is put back does not open. */
  seal_set: authenticated(1, {
    id: text,
    version: integer,
    /** The slots' ids in order, separated by spaces. */
    slots: text,
  }),
};
