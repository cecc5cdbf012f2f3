import type { Db } from "../../db/schema/schema.ts";
import { check } from "../../identity/error.ts";
import type { Attempt } from "../../identity/provider.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { newSecret } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { insertRow, takeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { hashSecret } from "../session/bearer-secret.ts";

/** How long a person may stay at the other provider. */
const IDENTITY_REQUEST_LIFETIME = 10 * MINUTE;

/** A browser on its way to a provider. */
export interface IdentityRequest {
  readonly providerId: string;
  /** Who alone can come back with it; empty where a session is. */
  readonly browserHash: string;
  /** The query with which the browser goes on when it is back. */
  readonly onward: string;
  /** The session whose account is to be linked to whoever comes back; undefined where somebody signs in. */
  readonly sessionId?: string;
}

/** A browser that came back, before the provider is asked who it brought. */
export interface ReturnedBrowser {
  readonly attempt: Attempt;
  readonly onward: string;
  /** The session whose account is to be linked; undefined where somebody signs in. */
  readonly sessionId: string | undefined;
}

/** The secrets of a try. Nonce and verifier follow from the state, so that the database holds none of them. */
function attemptOf(
  vault: Vault,
  providerId: string,
  { redirectUri, state }: Omit<Attempt, "nonce" | "codeVerifier">,
): Attempt {
  const derive = (what: string): string =>
    toBase64url(vault.keyedHash("identity-request", utf8(what), utf8(providerId), utf8(state)));
  return { redirectUri, state, nonce: derive("nonce"), codeVerifier: derive("code-verifier") };
}

/** Draws the secrets of a try at a provider; `storeIdentityRequest` makes it one that can come back. */
export function newAttempt(
  vault: Vault,
  { providerId, redirectUri, random }: { providerId: string; redirectUri: string; random: RandomBytes },
): Attempt {
  return attemptOf(vault, providerId, { redirectUri, state: newSecret(random) });
}

/** Stores a try for the browser that makes it, for ten minutes. */
export async function storeIdentityRequest(
  tx: Db,
  authority: RowAuthority,
  { request, state, now }: { request: IdentityRequest; state: string; now: Instant },
): Promise<void> {
  await insertRow(tx, authority, "identity_request", {
    provider: request.providerId,
    state_hash: hashSecret(state),
    browser_hash: request.browserHash,
    onward: request.onward,
    created_at: now,
    expires_at: now + IDENTITY_REQUEST_LIFETIME,
    session_id: request.sessionId ?? null,
  });
}

/**
 * Takes the try of this state away by one statement, and answers it and where the browser goes on. The provider is part
 * of its key: what was begun with one is nothing to the other (RFC 9700 section 4.4). Throws an IdentityError for a
 * state that was never given, was used, has expired or was given to another browser, or session where one began to
 * link; it is used up all the same, provided `db` is the outer handle.
 */
export async function consumeIdentityRequest(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  value: {
    providerId: string;
    redirectUri: string;
    state: string;
    browserHash: string;
    /** The session of the browser, if it has one. */
    sessionId: string | undefined;
    now: Instant;
  },
): Promise<ReturnedBrowser> {
  const { providerId, redirectUri, state } = value;
  const asked = { provider: providerId, state_hash: hashSecret(state) };
  const row = await takeRow(db, authority, "identity_request", "byState", asked);
  check(row !== undefined, "request_unknown");
  const isHolder = row.session_id === null
    ? row.browser_hash === value.browserHash
    : row.session_id === value.sessionId;
  check(isHolder && row.expires_at > value.now, "request_unknown");
  return {
    attempt: attemptOf(vault, providerId, { redirectUri, state }),
    onward: row.onward,
    sessionId: row.session_id ?? undefined,
  };
}
