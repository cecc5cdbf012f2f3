import { authenticated, bytes, integer, text } from "./column.ts";

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
