import { authenticated, integer, nullable, text, time } from "./column.ts";

export const ADMINISTRATION_TABLES = {
  /** The right to create a number of accounts, held by the owner of its link. */
  invitation: authenticated(1, {
    id: text,
    secret_hash: text,
    /** The only address it is for, normalised; null if any person with the link may use it. */
    email: nullable(text),
    /** The number of accounts that may be created with it, and that were. */
    uses: integer,
    used: integer,
    created_at: time,
    expires_at: time,
  }),

  /** A group of accounts. Applications may be for some groups only. */
  user_group: authenticated(1, {
    id: text,
    name: text,
    created_at: time,
  }),

  /** An account's place in a group. */
  group_member: authenticated(1, {
    id: text,
    group_id: text,
    account_id: text,
    created_at: time,
  }),

  /** The account that is an administrator by an address: the first that a code of this service verified it for. */
  administrator_address: authenticated(1, {
    email: text,
    account_id: text,
    created_at: time,
  }),

  /** A browser that is signed in to the administration pages. */
  admin_session: authenticated(1, {
    id: text,
    secret_hash: text,
    /** The administrator's account and session; both null if the admin key was used. */
    account_id: nullable(text),
    session_id: nullable(text),
    /** Hash of the admin key under a vault key; null if an account signed in. */
    admin_key_hash: nullable(text),
    created_at: time,
    expires_at: time,
  }),
};
