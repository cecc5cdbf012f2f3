import type { Instant } from "../../lib/time.ts";

/** A 6-digit code sent to an address. One row per address, purpose and browser: a new code replaces it. */
export interface EmailCodeTable {
  id: string;
  email: string;
  purpose: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** MAC of the code under a vault key: a plain hash of six digits can be searched at once. */
  code_mac: Uint8Array;
  attempts: number;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The right to create one account, held by a browser that verified an address or an external identity. */
export interface SignUpTicketTable {
  id: string;
  secret_hash: string;
  /** Generated in advance, because the passkey is created for it before the account exists. */
  account_id: string;
  /** Verified; null if the other provider does not vouch for one. */
  email: string | null;
  /** Unverified, as reported by the other provider. */
  name: string | null;
  /** The identity to link to the account. Both null for none. */
  issuer: string | null;
  subject: string | null;
  created_at: Instant;
  expires_at: Instant;
  /** The invitation used for it; null for none. */
  invitation_id: string | null;
  mac: Uint8Array;
}

/** A pending redirect to another provider. Consumed by deletion when the browser returns. */
export interface IdentityRequestTable {
  provider: string;
  /** SHA-256 of the state, base64url. Nonce and code verifier are derived from the state with a vault key. */
  state_hash: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** The query with which the browser continues: `request=…`, `next=…` or empty. */
  onward: string;
  created_at: Instant;
  expires_at: Instant;
  /** The session whose account the identity will be linked to; null for a sign-in. */
  session_id: string | null;
  mac: Uint8Array;
}

/** A pending sign-in to the account that another provider identified, which still needs its passkey. */
export interface SignInTicketTable {
  id: string;
  secret_hash: string;
  account_id: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A WebAuthn challenge, consumed by deletion. */
export interface ChallengeTable {
  kind: "registration" | "authentication" | "step_up";
  /** 32 random bytes, base64url. */
  challenge: string;
  /** `ticket:<id>`, `recovery:<id>`, `session:<id>` or `browser:<hash>`; for a step-up `session:<id>/<action>`. */
  bound_to: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A signed-in browser. */
export interface SessionTable {
  id: string;
  secret_hash: string;
  account_id: string;
  passkey_id: string;
  /** The `account_device` it was opened from, which may be deleted already. */
  device_id: string;
  /** Browser and system, as `accounts/session/user-agent.ts` formats them. */
  device: string;
  /** The network prefix of the sign-in. */
  network: string;
  created_at: Instant;
  authenticated_at: Instant;
  /** The action that the last step-up confirmed; null once it was performed. */
  step_up_action: string | null;
  stepped_up_at: Instant | null;
  /** The absolute expiry; the idle expiry follows from `last_seen_at`. */
  expires_at: Instant;
  last_seen_at: Instant;
  mac: Uint8Array;
}

/** A browser from which the account was signed in to. */
export interface AccountDeviceTable {
  id: string;
  account_id: string;
  /** SHA-256 of the device cookie's secret, base64url. */
  secret_hash: string;
  created_at: Instant;
  last_seen_at: Instant;
  mac: Uint8Array;
}

export interface SignInTables {
  email_code: EmailCodeTable;
  sign_up_ticket: SignUpTicketTable;
  identity_request: IdentityRequestTable;
  sign_in_ticket: SignInTicketTable;
  challenge: ChallengeTable;
  session: SessionTable;
  account_device: AccountDeviceTable;
}
