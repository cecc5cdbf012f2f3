import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify } from "jose";
import { type Cause, RemoteDocumentError } from "../../lib/remote-document.ts";
import { HOUR, type Instant, SECOND } from "../../lib/time.ts";
import { consumeProof } from "../dpop/consume-proof.ts";
import { ProofError } from "../dpop/proof-key.ts";
import type { OAuthServices } from "../services.ts";
import { ASSERTION_ALGORITHMS, type ClientKey } from "./client-keys.ts";
import type { Client } from "./client.ts";

const LONGEST = 8192;
const LONGEST_ID = 256;

/** The latest `exp` of an assertion. It is remembered until then. */
const LATEST_EXPIRY = HOUR;

const KEY_TYPES: Readonly<Record<string, string>> = { RS256: "RSA", ES256: "EC", EdDSA: "OKP" };

/** Returns the `sub` of an assertion, unverified; undefined if it is not a JWT that has one. */
export function subjectOf(assertion: string): string | undefined {
  try {
    const { sub } = assertion.length > LONGEST ? {} : decodeJwt(assertion);
    // Not verified: jose does not check its type.
    return typeof sub === "string" && sub !== "" ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the keys that may have signed an assertion with this header. */
function candidatesOf(
  keys: readonly ClientKey[],
  { alg = "", kid }: { readonly alg?: string; readonly kid?: string },
): readonly ClientKey[] {
  return keys.filter((key) =>
    key["kty"] === KEY_TYPES[alg] && (key["alg"] ?? alg) === alg && (key["use"] ?? "sig") === "sig" &&
    (kid === undefined || key["kid"] === undefined || key["kid"] === kid)
  );
}

/** Returns the claims if one of the keys signed the assertion for this client and time. */
async function verifyWith(
  keys: readonly ClientKey[],
  assertion: string,
  { clientId, alg, now }: {
    readonly clientId: string;
    readonly alg: string | undefined;
    readonly now: Instant;
  },
): Promise<JWTPayload | undefined> {
  for (const { use: _use, ...key } of keys) {
    try {
      const { payload } = await jwtVerify(assertion, await importJWK(key, alg), {
        algorithms: [...ASSERTION_ALGORITHMS],
        issuer: clientId,
        subject: clientId,
        requiredClaims: ["aud", "exp", "jti"],
        currentDate: new Date(now),
      });
      return payload;
    } catch {
      // Another key may fit. The client chooses its keys, and so every failure is its own.
    }
  }
  return undefined;
}

/**
 * Verifies a client's assertion (RFC 7523 section 3): signed by a key of the client, `iss` and `sub` are its id, `aud`
 * is the issuer or a list of it alone, `exp` is at most an hour ahead. Then marks its `jti` as used, until `exp`, in a
 * transaction of its own. Returns false if it is invalid, was used, or if the client's keys cannot be fetched.
 */
export async function consumeAssertion(
  { groupCommit, clientDocuments, issuer }: Pick<OAuthServices, "groupCommit" | "clientDocuments" | "issuer">,
  { client: { clientId, keys }, assertion, ...cause }: Cause & {
    readonly client: Pick<Client, "clientId" | "keys">;
    readonly assertion: string;
  },
): Promise<boolean> {
  if (keys === undefined) return false;
  const { now } = cause;
  try {
    const header = decodeProtectedHeader(assertion);
    const isMissing = (set: readonly ClientKey[]): boolean => candidatesOf(set, header).length === 0;
    const candidates = candidatesOf(await clientDocuments.getKeys(keys, cause, isMissing), header);
    const claims = await verifyWith(candidates, assertion, { clientId, alg: header.alg, now });
    if (claims === undefined || !isForIssuer(claims, issuer)) return false;
    const { exp, jti } = claims;
    // A NumericDate may have a fraction (RFC 7519 section 2).
    const endsAt = Math.ceil(exp! * SECOND);
    if (endsAt > now + LATEST_EXPIRY || typeof jti !== "string" || jti === "" || jti.length > LONGEST_ID) {
      return false;
    }
    // No thumbprint of a DPoP key has a space, so the two kinds cannot be confused.
    const proof = { jkt: `client_assertion ${clientId}`, id: jti, endsAt };
    await groupCommit.run((tx) => consumeProof(tx, proof, now));
    return true;
  } catch (error) {
    if (error instanceof ProofError || error instanceof RemoteDocumentError || error instanceof TypeError) {
      return false;
    }
    throw error;
  }
}

function isForIssuer({ aud }: JWTPayload, issuer: string): boolean {
  return aud === issuer || (Array.isArray(aud) && aud.length === 1 && aud[0] === issuer);
}
