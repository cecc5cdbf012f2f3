import type { Instant } from "../../lib/time.ts";

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
  /** Scopes for keys that it may ask people for, separated by spaces; null for none. */
  key_scopes: string | null;
  /** Whether its access tokens for keys must be bound to a key of its own (RFC 9449); null without such scopes. */
  dpop_bound: number | null;
  /** The secret before this one, as a hash, and until when it counts as well. Both are null where none does. */
  previous_secret_hash: string | null;
  previous_secret_expires_at: Instant | null;
  /** 1 where a file declares it (`CLIENTS_FILE`), which alone changes it then; null elsewhere. */
  declared: number | null;
  /** Where it hears that a session is over (OpenID Connect Back-Channel Logout 1.0 section 2.2); null for nowhere. */
  backchannel_logout_uri: string | null;
  /** Whether it must be told which session; null without such a URI. */
  backchannel_logout_session: number | null;
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
  /** The thumbprint of the key that the code is to be bound to (RFC 9449 section 10). */
  dpop_jkt: string | null;
  /** What the application asks to sign, canonical JSON; null where it asks for nothing of the kind. */
  policy: string | null;
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
  /** `waiting` until its code is redeemed. */
  state: "waiting" | "in_use";
  /** When the passkey was used. */
  authenticated_at: Instant;
  created_at: Instant;
  /** Moves with each refresh. */
  expires_at: Instant;
  /** The thumbprint of the key that the code, and a public client's refresh tokens, are bound to; null for none. */
  jkt: string | null;
  /** The ids of the keys that the person picked, JSON; null where none can be used. */
  keys: string | null;
  /** What may be signed with them, canonical JSON; null for nothing. */
  policy: string | null;
  /** The latest that its end can move to, where the person chose one; 90 days from its beginning where null. */
  ends_at: Instant | null;
  /** The `application_session` that it was made in, which may be gone. */
  sid: string;
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
  /** The grant may be gone: then the token is worth nothing. */
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
  /** The session that `id_token_hint` names, as its application knows it. */
  hinted_sid: string | null;
  redirect_uri: string | null;
  state: string | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/**
 * That a session signed the person in to an application: `id` is the `sid` by which the application knows it (OpenID
 * Connect Back-Channel Logout 1.0 section 2.1). Lives as long as the session.
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
 * A word to an application that a session, or every session of a person, is over, until the application took it. The
 * two open columns are as in the outbox.
 */
export interface LogoutNoticeTable {
  id: string;
  client_id: string;
  /** Whose sessions: the `sub` of the logout token. The account may be gone. */
  subject: string;
  /** Which one; null for all. */
  sid: string | null;
  /** When it happened. */
  created_at: Instant;
  expires_at: Instant;
  /** How often a process has set about telling it. */
  attempts: number;
  /** When it may be told. A process that sets about it moves this ahead first. */
  next_attempt_at: Instant;
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

/** The tables of the authorization server, one interface each, as in `schema.ts`. */
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
