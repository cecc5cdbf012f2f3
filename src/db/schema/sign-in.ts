import { added, authenticated, bytes, column, integer, mutable, nullable, text, time } from "./column.ts";

export const SIGN_IN_TABLES = {
  /** A 6-digit code sent to an address. One row per address, purpose and browser: a new code replaces it. */
  email_code: authenticated(1, {
    id: text,
    email: text,
    purpose: text,
    /** SHA-256 of the pre-session cookie's secret, base64url. */
    browser_hash: text,
    /** The network that requested it. */
    network: text,
    /** MAC of the code under a vault key: a plain hash of six digits can be searched at once. */
    code_mac: bytes,
    attempts: mutable(integer, "more tries at one code; `code_use` bounds those of its address"),
    created_at: time,
    expires_at: time,
  }),

  /** The last use of a code of an address, and the wrong tries at its codes. Deleted when both no longer matter. */
  code_use: authenticated(1, {
    /** A keyed hash of the address. It is also the owner of the row. */
    address_id: text,
    used_id: nullable(text),
    /** Codes from before are invalid. Null if none was used. */
    used_at: nullable(time),
    /** Each wrong try moves it ahead. No try is looked at while it is too far ahead. */
    tried_until: time,
    expires_at: time,
  }),

  /** The right to create one account, held by a browser that verified an address or an external identity. */
  sign_up_ticket: authenticated(2, {
    id: text,
    secret_hash: text,
    /** Generated in advance, because the passkey is created for it before the account exists. */
    account_id: text,
    /** Verified; null if the other provider does not vouch for one. */
    email: nullable(text),
    /** Unverified, as reported by the other provider. */
    name: nullable(text),
    /** The identity to link to the account. Both null for none. */
    issuer: nullable(text),
    subject: nullable(text),
    created_at: time,
    expires_at: time,
    /** The invitation used for it; null for none. */
    invitation_id: nullable(text),
  }),

  /** A pending redirect to another provider. Consumed by deletion when the browser returns. */
  identity_request: authenticated(1, {
    provider: text,
    /** SHA-256 of the state, base64url. Nonce and code verifier are derived from the state with a vault key. */
    state_hash: text,
    /** SHA-256 of the pre-session cookie's secret, base64url. */
    browser_hash: text,
    /** The query with which the browser continues: `request=…`, `next=…` or empty. */
    return_to: text,
    created_at: time,
    expires_at: time,
    /** The session whose account the identity will be linked to; null for a sign-in. */
    session_id: nullable(text),
  }),

  /** A pending sign-in to the account that another provider identified, which still needs its passkey. */
  sign_in_ticket: authenticated(1, {
    id: text,
    secret_hash: text,
    account_id: text,
    created_at: time,
    expires_at: time,
  }),

  /** A WebAuthn challenge, consumed by deletion. */
  challenge: authenticated(1, {
    kind: column<"registration" | "authentication" | "step_up">(),
    /** 32 random bytes, base64url. */
    challenge: text,
    /** `ticket:<id>`, `recovery:<id>`, `session:<id>` or `browser:<hash>`; for a step-up `session:<id>/<action>`. */
    bound_to: text,
    created_at: time,
    expires_at: time,
  }),

  /** A signed-in browser. */
  session: authenticated(2, {
    id: text,
    secret_hash: text,
    account_id: text,
    passkey_id: text,
    /** The `account_device` it was opened from, which may be deleted already. */
    device_id: text,
    /** Browser and system, as `accounts/session/user-agent.ts` formats them. */
    device: text,
    /** The network prefix of the sign-in. */
    network: text,
    created_at: time,
    authenticated_at: time,
    /** The action that the last step-up confirmed; null once it was performed. */
    step_up_action: nullable(text),
    stepped_up_at: nullable(time),
    /** The absolute expiry; the idle expiry follows from `last_seen_at`. */
    expires_at: time,
    last_seen_at: mutable(
      time,
      "a session idle for 7 days lives on, for the holder of its token, to its absolute end",
    ),
    /** Milliseconds without use after which it ends; null for seven days. */
    idle_ms: added(integer),
    /** 1 if it is on a shared computer: its cookie ends with the browser. Otherwise null. */
    is_shared: added(integer),
  }),

  /** A browser from which the account was signed in to. */
  account_device: authenticated(1, {
    id: text,
    account_id: text,
    /** SHA-256 of the device cookie's secret, base64url. */
    secret_hash: text,
    created_at: time,
    last_seen_at: mutable(
      time,
      "a browser is known for longer, to the holder of its secret, or a mail more is sent",
    ),
  }),
};
