import { added, authenticated, bytes, column, integer, mutable, nullable, text, time } from "./column.ts";

/** A client type: code in a browser, an app on a device, or a server that can keep a secret. */
export type ClientType = "spa" | "native" | "web";

/** The token signing algorithms (RFC 7518 section 3.1, RFC 8037 section 3.1). */
export type TokenAlgorithm = "ES256" | "RS256" | "EdDSA";

export const OAUTH_TABLES = {
  /**
   * An application that may ask users to sign in. `id` is its `client_id`: a URL if the document there describes it,
   * then stored when the first user lets it in.
   */
  client: authenticated(1, {
    id: text,
    name: text,
    uri: text,
    type: column<ClientType>(),
    /** JSON array of URIs, as registered. So is `post_logout_redirect_uris`. */
    redirect_uris: text,
    post_logout_redirect_uris: text,
    id_token_alg: column<TokenAlgorithm>(),
    /** Base64url SHA-256; null for a public client. */
    secret_hash: nullable(text),
    disabled: integer,
    created_at: time,
    updated_at: time,
    /** Key scopes that it may request, separated by spaces; null for none. */
    key_scopes: nullable(text),
    /** 1 if its access tokens for keys must be DPoP-bound (RFC 9449); null without key scopes. */
    dpop_bound: nullable(integer),
    /** Hash and expiry of the previous secret, which is accepted until then. Both null without one. */
    previous_secret_hash: nullable(text),
    previous_secret_expires_at: nullable(time),
    /** 1 if `CLIENTS_FILE` declares the client: only the file changes it then. Otherwise null. */
    declared: nullable(integer),
    /** OpenID Connect Back-Channel Logout 1.0 section 2.2; null if not registered. */
    backchannel_logout_uri: nullable(text),
    /** 1 if the logout token must name the session; null without such a URI. */
    backchannel_logout_session: nullable(integer),
    /** 1 if every authorization request must be pushed (RFC 9126 section 6); otherwise null. */
    require_pushed: added(integer),
    /** Scopes of claims that it may request, separated by spaces; null for none. */
    claim_scopes: added(text),
    /** Null for the default method of its type (RFC 7591 section 2). */
    auth_method: added(column<"private_key_jwt" | "none" | "client_secret_basic">()),
    /** JSON array of the public keys that it authenticates with, or their address; null for none. */
    jwks: added(text),
    jwks_uri: added(text),
    /** JSON array of ids of the groups whose members may use it; null for every account. */
    groups: added(text),
    /** 1 if it may use the device authorization grant (RFC 8628); otherwise null. */
    device_grant: added(integer),
  }),

  /** A pushed authorization request (RFC 9126). Consumed by deletion, by the first code that it leads to. */
  pushed_request: authenticated(1, {
    id: text,
    client_id: text,
    /** JSON array of the names and values of the parameters. */
    parameters: text,
    created_at: time,
    /** The time until which its `request_uri` begins an authorization request. */
    expires_at: time,
  }),

  /** An authorization request, pending until the user signs in or decides. Consumed by deletion. */
  authorization_request: authenticated(1, {
    id: text,
    client_id: text,
    redirect_uri: text,
    scope: text,
    state: nullable(text),
    nonce: nullable(text),
    code_challenge: text,
    /** Separated by spaces. */
    prompt: text,
    /** Seconds. */
    max_age: nullable(integer),
    login_hint: nullable(text),
    /** The account that `id_token_hint` names. */
    hinted_account_id: nullable(text),
    /** The browser that may continue the request; null until the first one with a cookie arrives. */
    browser_hash: nullable(text),
    /** The session that was asked for consent; null before. */
    session_id: nullable(text),
    created_at: time,
    expires_at: time,
    /** Thumbprint of the key that the code will be bound to (RFC 9449 section 10). */
    dpop_jkt: nullable(text),
    /** The signing policy that the client requests, canonical JSON; null for none. */
    policy: nullable(text),
    /** The pushed request that its code uses up; null for none. */
    pushed_request_id: added(text),
    /** The path of the requested resource (RFC 8707); null for the issuer. */
    resource: added(text),
    /** The claims that it requests by name (`ClaimsRequest`), JSON; null for the usual ones. */
    claims: added(text),
    /** JSON of the metadata in the document at `client_id`; null for a registered client. */
    client_document: added(text),
  }),

  /**
   * A device authorization request (RFC 8628). An approved one has a grant, and its tokens are issued while that is
   * `waiting`. Used ones stay until they are swept, to detect a replay.
   */
  device_request: authenticated(1, {
    id: text,
    client_id: text,
    secret_hash: text,
    /** Without the dash. */
    user_code: text,
    scope: text,
    claims: nullable(text),
    policy: nullable(text),
    resource: nullable(text),
    /** Thumbprint of the key that the device code is bound to; null for none. */
    dpop_jkt: nullable(text),
    /** The network that the request came from. */
    network: text,
    /** `used`: approved, and redeemed by an older version. */
    state: column<"pending" | "approved" | "denied" | "used">(),
    /** The account that approved it, and the grant. Null before. */
    account_id: nullable(text),
    grant_id: nullable(text),
    created_at: time,
    expires_at: time,
    polled_at: mutable(nullable(time), "a device is told to poll more slowly, or is not"),
    /** Seconds between two polls. */
    poll_interval: mutable(integer, "a device is told to poll more slowly, or is not"),
  }),

  /** A user's consent to a client, for one redirect target. */
  consent: authenticated(1, {
    account_id: text,
    client_id: text,
    /** Scheme and host of the redirect URI; `device` for a device. */
    redirect_target: text,
    scope: text,
    created_at: time,
    /** The claims beyond those of the scope, separated by spaces; null for the usual ones. */
    claims: added(text),
    /** JSON array of ids of the keys whose addresses the client sees; null if it did not ask. */
    wallets: added(text),
  }),

  /** One sign-in to a client. Its code and all tokens issued from it live as long as this row. */
  authorization_grant: authenticated(2, {
    id: text,
    account_id: text,
    client_id: text,
    scope: text,
    /** `waiting` until its code is redeemed. */
    state: column<"waiting" | "in_use">(),
    /** The time of the passkey use. */
    authenticated_at: time,
    created_at: time,
    /** Extended by each refresh. */
    expires_at: time,
    /** Thumbprint of the key that the code and a public client's refresh tokens are bound to; null for none. */
    jkt: nullable(text),
    /** JSON array of ids of the keys that the user selected; null for none. */
    keys: nullable(text),
    /** The signing policy for these keys, canonical JSON; null if nothing may be signed. */
    policy: nullable(text),
    /** The latest possible expiry, if the user chose one; null means 90 days after creation. */
    ends_at: nullable(time),
    /** The `application_session` it was created in, which may be deleted already. */
    sid: text,
    /** The refresh token that may be used next; null until the code is redeemed. */
    refresh_id: nullable(text),
    /** The path of the resource that its access tokens are for (RFC 8707); null for the issuer. */
    resource: added(text),
    /** The claims that it was granted by name (`ClaimsRequest`), JSON; null for the usual ones. */
    claims: added(text),
    /** JSON array of ids of the keys whose addresses the client sees; null if it did not ask. */
    wallets: added(text),
    /** The session that it was created in, which may have ended. */
    session_id: added(text),
    /** Its code (`StoredCode`), JSON; null for a device. Stays after its use, to detect a replay. */
    code: added(text),
  }),

  /** A refresh token. It may be used while its grant names it. Used ones stay until they expire, to detect reuse. */
  refresh_token: authenticated(1, {
    id: text,
    secret_hash: text,
    /** The grant may be deleted already; the token is invalid then. */
    grant_id: text,
    /** The token that it replaced. */
    parent_id: nullable(text),
    /** Null, except in a token that an older version used. */
    successor_id: nullable(text),
    created_at: time,
    expires_at: time,
    /** Null, like `successor_id`. */
    spent_at: nullable(time),
    /** The token response that contains it, sealed, for a client that did not receive it. */
    answer: mutable(
      nullable(bytes),
      "a client's retry counts as a reuse and ends the grant: the seal admits no other answer",
    ),
  }),

  /** A pending sign-out request that the user must confirm, with the redirect that follows. */
  logout_request: authenticated(2, {
    id: text,
    client_id: nullable(text),
    /** The `sid` from `id_token_hint`. */
    hinted_sid: nullable(text),
    redirect_uri: nullable(text),
    state: nullable(text),
    created_at: time,
    expires_at: time,
  }),

  /**
   * A session's sign-in to a client. `id` is the `sid` by which the client knows it (OpenID Connect Back-Channel Logout
   * 1.0 section 2.1). Lives as long as the session.
   */
  application_session: authenticated(1, {
    id: text,
    session_id: text,
    client_id: text,
    account_id: text,
    created_at: time,
  }),

  /**
   * A pending logout notification to a client, for one session or all sessions of an account. The MAC covers all
   * columns except `attempts` and `next_attempt_at`, as in `OutboxTable`.
   */
  logout_notice: authenticated(1, {
    id: text,
    client_id: text,
    /** The `sub` of the logout token. The account may be deleted already. */
    subject: text,
    /** Null for all sessions. */
    sid: nullable(text),
    /** The time of the sign-out. */
    created_at: time,
    expires_at: time,
    /** The number of delivery attempts that were started. */
    attempts: mutable(integer, "an application is told once more, or not at all, as if the row were deleted"),
    /** The time of the next attempt. A process moves it ahead before it starts one. */
    next_attempt_at: mutable(time, "an application is told late, or once more before the row expires"),
  }),

  /** A token signing key. `id` is its `kid`: the RFC 7638 thumbprint. */
  token_key: authenticated(1, {
    id: text,
    algorithm: column<TokenAlgorithm>(),
    public_jwk: text,
    /** The private key, PKCS #8, sealed by the vault. */
    sealed: bytes,
    created_at: time,
    /** The newest key whose time has come signs. The key is published earlier. */
    signs_from: time,
  }),
};
