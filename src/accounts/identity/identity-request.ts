import type { Db } from "../../db/schema/schema.ts";
import { check } from "../../identity/error.ts";
import type { Attempt } from "../../identity/provider.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { newSecret, type RandomBytes } from "../../lib/id.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import { consumeRow, insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { hashSecret } from "../session/bearer-secret.ts";

const IDENTITY_REQUEST_LIFETIME = 10 * MINUTE;

export interface IdentityRequest {
  readonly providerId: string;
  /** The browser that must return with it. Empty if `sessionId` is set. */
  readonly browserHash: string;
  /** The query with which the browser continues after it returns. */
  readonly returnTo: string;
  /** The session whose account is to be linked. Undefined for a sign-in. */
  readonly sessionId?: string;
}

/** A returned browser, before the provider is asked for the identity. */
export interface ReturnedBrowser {
  readonly attempt: Attempt;
  readonly returnTo: string;
  readonly sessionId: string | undefined;
}

/** Derives nonce and code verifier from the state, so that the database stores none of them. */
function attemptOf(
  vault: Vault,
  providerId: string,
  { redirectUri, state }: Omit<Attempt, "nonce" | "codeVerifier">,
): Attempt {
  const derive = (what: string): string =>
    toBase64url(vault.keyedHash("identity-request", utf8(what), utf8(providerId), utf8(state)));
  return { redirectUri, state, nonce: derive("nonce"), codeVerifier: derive("code-verifier") };
}

/** Creates the secrets of a request. Store it with `storeIdentityRequest` before the browser leaves. */
export function newAttempt(
  vault: Vault,
  { providerId, redirectUri, random }: { providerId: string; redirectUri: string; random: RandomBytes },
): Attempt {
  return attemptOf(vault, providerId, { redirectUri, state: newSecret(random) });
}

export async function storeIdentityRequest(
  tx: Db,
  authority: RowAuthority,
  { request, state, now }: { request: IdentityRequest; state: string; now: Instant },
): Promise<void> {
  await insertRow(tx, authority, "identity_request", {
    provider: request.providerId,
    state_hash: hashSecret(state),
    browser_hash: request.browserHash,
    return_to: request.returnTo,
    created_at: now,
    expires_at: now + IDENTITY_REQUEST_LIFETIME,
    session_id: request.sessionId ?? null,
  });
}

/**
 * Deletes the request of this state in one statement and returns it. The provider is part of the key, so that a
 * response from another provider does not match (RFC 9700 section 4.4). Throws an IdentityError if the state is
 * unknown, used, expired, or belongs to another browser or session. The request is deleted in any case if `db` is the
 * outer handle.
 */
export async function consumeIdentityRequest(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  value: {
    providerId: string;
    redirectUri: string;
    state: string;
    browserHash: string;
    sessionId: string | undefined;
    now: Instant;
  },
): Promise<ReturnedBrowser> {
  const { providerId, redirectUri, state } = value;
  const where = { provider: providerId, state_hash: hashSecret(state) };
  const row = await consumeRow(db, authority, "identity_request", "byState", where);
  check(row !== undefined, "request_unknown");
  const isHolder = row.session_id === null
    ? row.browser_hash === value.browserHash
    : row.session_id === value.sessionId;
  check(isHolder && row.expires_at > value.now, "request_unknown");
  return {
    attempt: attemptOf(vault, providerId, { redirectUri, state }),
    returnTo: row.return_to,
    sessionId: row.session_id ?? undefined,
  };
}
