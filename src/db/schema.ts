import type { Kysely } from "kysely";
import type { Instant } from "../lib/time.ts";

/**
 * The tables, one interface each. Times are milliseconds since 1970, ids are text, bytes are blobs.
 * Rows with a `mac` grant authority: `vault/authority.ts` says which of their columns it covers and what editing
 * one of the others would gain.
 */

/** The root seed under the TEE's sealing key. One row for the life of the database. */
export interface SealedSeedTable {
  id: number;
  version: number;
  seal_key_id: string;
  sealed: Uint8Array;
  created_at: Instant;
}

/** A person. `id` is also the WebAuthn user handle. */
export interface AccountTable {
  id: string;
  /** Lower case, as `accounts/email.ts` normalises it. */
  email: string | null;
  name: string | null;
  created_at: Instant;
  mac: Uint8Array;
}

/** A 6-digit code on its way to an address. One row per address, purpose and browser: a new code replaces it. */
export interface EmailCodeTable {
  id: string;
  email: string;
  purpose: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** The code under a vault key: six digits alone would be searched in no time. */
  code_mac: Uint8Array;
  attempts: number;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The right to make one account, held by the browser that proved the address. */
export interface SignUpTicketTable {
  id: string;
  secret_hash: string;
  /** Drawn in advance, because the passkey is made for it before the account exists. */
  account_id: string;
  email: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A WebAuthn challenge, consumed by deletion. */
export interface ChallengeTable {
  kind: "registration" | "authentication";
  /** 32 random bytes, base64url. */
  challenge: string;
  /** Who may answer it: `ticket:<id>`, `session:<id>` or `browser:<hash>`. */
  bound_to: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A WebAuthn credential record (Level 3 section 4). */
export interface PasskeyTable {
  id: string;
  account_id: string;
  credential_id: Uint8Array;
  /** The COSE key exactly as the authenticator sent it. */
  public_key: Uint8Array;
  algorithm: number;
  aaguid: string;
  backup_eligible: number;
  backed_up: number;
  sign_count: number;
  name: string;
  /** JSON array of WebAuthn transport names. */
  transports: string;
  created_at: Instant;
  last_used_at: Instant | null;
  mac: Uint8Array;
}

/** A signed-in browser. */
export interface SessionTable {
  id: string;
  secret_hash: string;
  account_id: string;
  passkey_id: string;
  created_at: Instant;
  authenticated_at: Instant;
  /** The absolute end; the idle end follows from `last_seen_at`. */
  expires_at: Instant;
  last_seen_at: Instant;
  mac: Uint8Array;
}

export type BlindSigning = "allow" | "guard" | "deny";

/** An Ethereum key: everything about it but the private key, which is derived again for each signature. */
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
  mac: Uint8Array;
}

/** The answer given under an `Idempotency-Key`. */
export interface IdempotentAnswerTable {
  account_id: string;
  idempotency_key: string;
  /** SHA-256 of method, path and body, base64url. */
  request_hash: string;
  /** The JSON body of the answer. */
  answer: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A mail, sealed by the vault with its id and expiry as additional data. */
export interface OutboxTable {
  id: string;
  sealed: Uint8Array;
  created_at: Instant;
  expires_at: Instant;
}

/** One token bucket: the instant at which it will be full again (GCRA). */
export interface RateLimitTable {
  name: string;
  subject: string;
  full_at: Instant;
}

/** The audit log: append-only, each entry chained to the one before. */
export interface AuditEventTable {
  seq: number;
  at: Instant;
  event: string;
  account_id: string | null;
  /** What it happened to: a key, passkey, session or row id. */
  subject: string | null;
  /** JSON of the event's further members. */
  detail: string;
  /** SHA-256 over the previous hash and this entry. */
  hash: Uint8Array;
  /** Vault MAC over `seq` and `hash`. */
  mac: Uint8Array;
}

/** What an application is: code in a browser, on a device, or on a server that can keep a secret. */
export type ClientType = "spa" | "native" | "web";

/** Algorithms that tokens are signed with (RFC 7518 section 3.1, RFC 8037 section 3.1). */
export type TokenAlgorithm = "ES256" | "RS256" | "EdDSA";

/** An application that may ask people to sign in. `id` is its `client_id`. */
export interface ClientTable {
  id: string;
  name: string;
  /** Its home page. */
  uri: string;
  type: ClientType;
  /** JSON arrays of URIs, as registered. */
  redirect_uris: string;
  post_logout_redirect_uris: string;
  id_token_alg: TokenAlgorithm;
  /** Base64url SHA-256; null for those who cannot keep a secret. */
  secret_hash: string | null;
  disabled: number;
  created_at: Instant;
  updated_at: Instant;
  mac: Uint8Array;
}

/** An authorization request that waits for a person to sign in or to decide. Consumed by deletion. */
export interface AuthorizationRequestTable {
  id: string;
  client_id: string;
  redirect_uri: string;
  scope: string;
  state: string | null;
  nonce: string | null;
  code_challenge: string;
  /** The values of `prompt`, separated by spaces. */
  prompt: string;
  /** Seconds. */
  max_age: number | null;
  login_hint: string | null;
  /** Whom `id_token_hint` names. */
  hinted_account_id: string | null;
  /** The browser that may go on with it; null until the first one that comes with a cookie. */
  browser_hash: string | null;
  /** The session that was asked for consent; null until one was. */
  session_id: string | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** What a person let an application have, for each place that answers go to. */
export interface ConsentTable {
  account_id: string;
  client_id: string;
  /** Scheme and host of the redirect URI. */
  redirect_target: string;
  scope: string;
  created_at: Instant;
  mac: Uint8Array;
}

/** One sign-in to an application: its code and all tokens that come of it live as long as this row. */
export interface AuthorizationGrantTable {
  id: string;
  account_id: string;
  client_id: string;
  scope: string;
  /** When the passkey was used. */
  authenticated_at: Instant;
  created_at: Instant;
  /** Moves with each refresh. */
  expires_at: Instant;
  mac: Uint8Array;
}

/** An authorization code. Used ones stay as long as their grant, to know a replay. */
export interface AuthorizationCodeTable {
  id: string;
  secret_hash: string;
  grant_id: string;
  redirect_uri: string;
  code_challenge: string;
  nonce: string | null;
  created_at: Instant;
  expires_at: Instant;
  used_at: Instant | null;
  mac: Uint8Array;
}

/** A refresh token. Spent ones stay until their end, to know a reuse. */
export interface RefreshTokenTable {
  id: string;
  secret_hash: string;
  grant_id: string;
  /** The token this one replaced. */
  parent_id: string | null;
  /** The token that replaced this one. */
  successor_id: string | null;
  created_at: Instant;
  expires_at: Instant;
  spent_at: Instant | null;
  /** The token response that spending it gave, sealed, for a client that did not receive it. */
  answer: Uint8Array | null;
  mac: Uint8Array;
}

/** A request to sign out that waits for the person's word, with where to go afterwards. */
export interface LogoutRequestTable {
  id: string;
  client_id: string | null;
  /** Whom `id_token_hint` names. */
  hinted_account_id: string | null;
  redirect_uri: string | null;
  state: string | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A key that tokens are signed with. `id` is its `kid`: the RFC 7638 thumbprint. */
export interface TokenKeyTable {
  id: string;
  algorithm: TokenAlgorithm;
  /** The public JWK. */
  public_jwk: string;
  /** The private key, PKCS #8, sealed by the vault. */
  sealed: Uint8Array;
  created_at: Instant;
  /** From here on the newest such key signs; it is published earlier. */
  signs_from: Instant;
  mac: Uint8Array;
}

export interface Tables {
  sealed_seed: SealedSeedTable;
  account: AccountTable;
  email_code: EmailCodeTable;
  sign_up_ticket: SignUpTicketTable;
  challenge: ChallengeTable;
  passkey: PasskeyTable;
  session: SessionTable;
  ethereum_key: EthereumKeyTable;
  idempotent_answer: IdempotentAnswerTable;
  outbox: OutboxTable;
  rate_limit: RateLimitTable;
  audit_event: AuditEventTable;
  client: ClientTable;
  authorization_request: AuthorizationRequestTable;
  consent: ConsentTable;
  authorization_grant: AuthorizationGrantTable;
  authorization_code: AuthorizationCodeTable;
  refresh_token: RefreshTokenTable;
  logout_request: LogoutRequestTable;
  token_key: TokenKeyTable;
}

/** A database handle: the outer one or a transaction. Inside a transaction only the transaction is used. */
export type Db = Kysely<Tables>;
