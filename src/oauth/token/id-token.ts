import { sha512 } from "@noble/hashes/sha2.js";
import type { TokenAlgorithm } from "../../db/schema/oauth.ts";
import type { Db } from "../../db/schema/schema.ts";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Instant } from "../../lib/time.ts";
import { numericDate } from "./access-token.ts";
import type { Client } from "../client/client.ts";
import type { Grant } from "../grant.ts";
import { verifyOwnJwt } from "./jwt.ts";
import type { OAuthServices } from "../services.ts";
import { type SigningKey, TOKEN_LIFETIME } from "./signing-key.ts";
import type { UserClaims } from "./user-claims.ts";

/** The hash of each algorithm, also used for `at_hash` (OpenID Connect Core section 3.1.3.6). */
const HASHES: Readonly<Record<TokenAlgorithm, (bytes: Uint8Array) => Uint8Array>> = {
  ES256: sha256,
  RS256: sha256,
  EdDSA: sha512,
};

/** RFC 8176: every sign-in proves possession of a passkey with user presence and user verification. */
const AUTHENTICATION_METHODS = ["pop", "user", "mfa"] as const;

/**
 * Phishing-resistant (OpenID Connect EAP ACR Values 1.0 section 2), because a passkey responds to one origin only.
 * Not `phrh`: a synced passkey may be stored in software.
 */
export const AUTHENTICATION_CONTEXT = "phr";

/** Base64url of the left half of the hash. */
function accessTokenHash(accessToken: string, algorithm: TokenAlgorithm): string {
  const hash = HASHES[algorithm](utf8(accessToken));
  return toBase64url(hash.subarray(0, hash.length / 2));
}

/** Issues an ID token (OpenID Connect Core sections 2 and 3.1.3.6). On refresh, without `nonce` (section 12.2). */
export async function issueIdToken(
  services: Pick<OAuthServices, "vault" | "issuer">,
  { grant, key, client, user, nonce, accessToken, now }: {
    grant: Grant;
    key: SigningKey;
    client: Client;
    user: UserClaims;
    nonce: string | undefined;
    accessToken: string;
    now: Instant;
  },
): Promise<string> {
  return await services.vault.signJwt(key, "JWT", {
    iss: services.issuer,
    aud: client.clientId,
    iat: numericDate(now),
    exp: numericDate(now + TOKEN_LIFETIME),
    auth_time: numericDate(grant.authenticated_at),
    // OpenID Connect Back-Channel Logout section 2.1.
    sid: grant.sid,
    ...(nonce === undefined ? {} : { nonce }),
    at_hash: accessTokenHash(accessToken, key.algorithm),
    acr: AUTHENTICATION_CONTEXT,
    amr: AUTHENTICATION_METHODS,
    ...user,
  });
}

/** Reads an ID token of this service, expired or not. Returns undefined if it is invalid. */
export async function readIdTokenHint(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { hint, now }: { hint: string; now: Instant },
): Promise<{ accountId: string; clientId: string; sid: string | undefined } | undefined> {
  const claims = await verifyOwnJwt(db, services, { token: hint, type: "JWT", expiry: "ignored", now });
  if (typeof claims?.sub !== "string" || typeof claims.aud !== "string") return undefined;
  const { sub: accountId, aud: clientId, sid } = claims;
  return { accountId, clientId, sid: typeof sid === "string" ? sid : undefined };
}
