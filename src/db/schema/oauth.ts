import type { Instant } from "../../lib/time.ts";

/** A client type: code in a browser, an app on a device, or a server that can keep a secret. */
export type ClientType = "spa" | "native" | "web";

/** The token signing algorithms (RFC 7518 section 3.1, RFC 8037 section 3.1). */
export type TokenAlgorithm = "ES256" | "RS256" | "EdDSA";

/** An application that may ask users to sign in. `id` is its `client_id`. */
export interface ClientTable {
  id: string;
  name: string;
  uri: string;
  type: ClientType;
  /** JSON array of URIs, as registered. So is `post_logout_redirect_uris`. */
  redirect_uris: string;
  post_logout_redirect_uris: string;
  id_token_alg: TokenAlgorithm;
  /** Base64url SHA-256; null for a public client. */
  secret_hash: string | null;
  disabled: number;
  created_at: Instant;
  updated_at: Instant;
  /** Key scopes that it may request, separated by spaces; null for none. */
  key_scopes: string | null;
  /** 1 if its access tokens for keys must be DPoP-bound (RFC 9449); null without key scopes. */
  dpop_bound: number | null;
  /** Hash and expiry of the previous secret, which is accepted until then. Both null without one. */
  previous_secret_hash: string | null;
  previous_secret_expires_at: Instant | null;
  /** 1 if `CLIENTS_FILE` declares the client: only the file changes it then. Otherwise null. */
  declared: number | null;
  /** OpenID Connect Back-Channel Logout 1.0 section 2.2; null if not registered. */
  backchannel_logout_uri: string | null;
  /** 1 if the logout token must name the session; null without such a URI. */
  backchannel_logout_session: number | null;
  mac: Uint8Array;
}

/** An authorization request, pending until the user signs in or decides. Consumed by deletion. */
export interface AuthorizationRequestTable {
  id: string;
  client_id: string;
  redirect_uri: string;
  scope: string;
  state: string | null;
  nonce: string | null;
  code_challenge: string;
  /** Separated by spaces. */
  prompt: string;
  /** Seconds. */
  max_age: number | null;
  login_hint: string | null;
  /** The account that `id_token_hint` names. */
  hinted_account_id: string | null;
  /** The browser that may continue the request; null until the first one with a cookie arrives. */
  browser_hash: string | null;
  /** The session that was asked for consent; null before. */
  session_id: string | null;
  created_at: Instant;
  expires_at: Instant;
  /** Thumbprint of the key that the code will be bound to (RFC 9449 section 10). */
  dpop_jkt: string | null;
  /** The signing policy that the client requests, canonical JSON; null for none. */
  policy: string | null;
  mac: Uint8Array;
}

/** A user's consent to a client, for one redirect target. */
export interface ConsentTable {
  account_id: string;
  client_id: string;
  /** Scheme and host of the redirect URI. */
  redirect_target: string;
  scope: string;
  created_at: Instant;
  mac: Uint8Array;
}

/** One sign-in to a client. Its code and all tokens issued from it live as long as this row. */
export interface AuthorizationGrantTable {
  id: string;
  account_id: string;
  client_id: string;
  scope: string;
  /** `waiting` until its code is redeemed. */
  state: "waiting" | "in_use";
  /** The time of the passkey use. */
  authenticated_at: Instant;
  created_at: Instant;
  /** Extended by each refresh. */
  expires_at: Instant;
  /** Thumbprint of the key that the code and a public client's refresh tokens are bound to; null for none. */
  jkt: string | null;
  /** JSON array of ids of the keys that the user selected; null for none. */
  keys: string | null;
  /** The signing policy for these keys, canonical JSON; null if nothing may be signed. */
  policy: string | null;
  /** The latest possible expiry, if the user chose one; null means 90 days after creation. */
  ends_at: Instant | null;
  /** The `application_session` it was created in, which may be deleted already. */
  sid: string;
  mac: Uint8Array;
}

/** An authorization code. Used ones stay as long as their grant, to detect a replay. */
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

/** A refresh token. Used ones stay until they expire, to detect reuse. */
export interface RefreshTokenTable {
  id: string;
  secret_hash: string;
  /** The grant may be deleted already; the token is invalid then. */
  grant_id: string;
  parent_id: string | null;
  successor_id: string | null;
  created_at: Instant;
  expires_at: Instant;
  spent_at: Instant | null;
  /** The token response to its use, sealed, for a client that did not receive it. */
  answer: Uint8Array | null;
  mac: Uint8Array;
}

/** A pending sign-out request that the user must confirm, with the redirect that follows. */
export interface LogoutRequestTable {
  id: string;
  client_id: string | null;
  /** The `sid` from `id_token_hint`. */
  hinted_sid: string | null;
  redirect_uri: string | null;
  state: string | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/**
 * A session's sign-in to a client. `id` is the `sid` by which the client knows it (OpenID Connect Back-Channel Logout
 * 1.0 section 2.1). Lives as long as the session.
 */
export interface ApplicationSessionTable {
  id: string;
  session_id: string;
  client_id: string;
  account_id: string;
  created_at: Instant;
  mac: Uint8Array;
}

/**
 * A pending logout notification to a client, for one session or all sessions of an account. The MAC covers all columns
 * except `attempts` and `next_attempt_at`, as in `OutboxTable`.
 */
export interface LogoutNoticeTable {
  id: string;
  client_id: string;
  /** The `sub` of the logout token. The account may be deleted already. */
  subject: string;
  /** Null for all sessions. */
  sid: string | null;
  /** The time of the sign-out. */
  created_at: Instant;
  expires_at: Instant;
  /** The number of delivery attempts that were started. */
  attempts: number;
  /** The time of the next attempt. A process moves it ahead before it starts one. */
  next_attempt_at: Instant;
  mac: Uint8Array;
}

/** A token signing key. `id` is its `kid`: the RFC 7638 thumbprint. */
export interface TokenKeyTable {
  id: string;
  algorithm: TokenAlgorithm;
  public_jwk: string;
  /** The private key, PKCS #8, sealed by the vault. */
  sealed: Uint8Array;
  created_at: Instant;
  /** The newest key whose time has come signs. The key is published earlier. */
  signs_from: Instant;
  mac: Uint8Array;
}

export interface OAuthTables {
  client: ClientTable;
  authorization_request: AuthorizationRequestTable;
  consent: ConsentTable;
  authorization_grant: AuthorizationGrantTable;
  authorization_code: AuthorizationCodeTable;
  refresh_token: RefreshTokenTable;
  logout_request: LogoutRequestTable;
  application_session: ApplicationSessionTable;
  logout_notice: LogoutNoticeTable;
  token_key: TokenKeyTable;
}
