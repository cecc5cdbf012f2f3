import type { Instant } from "../../lib/time.ts";
import type { Vault } from "../../vault/vault.ts";
import type { OAuthServices } from "../services.ts";
import { endOfNonce } from "./nonce.ts";
import { type KnownProofHeaders, type Proof, verifyProof } from "./proof.ts";

export interface SentProof {
  /** The unparsed `DPoP` header. */
  readonly header: string | null;
  readonly method: string;
  /** The request's target on the service's own origin. */
  readonly target: URL;
}

const known = new WeakMap<Vault, KnownProofHeaders>();

/**
 * Verifies a proof with a nonce of this service (RFC 9449 section 4.3). Throws a ProofError. Does not mark it as
 * used: `consumeProof` does.
 */
export function checkProof(
  { vault, importVerifier }: Pick<OAuthServices, "vault" | "importVerifier">,
  sent: SentProof,
  { accessToken, boundTo, now }: {
    /** The access token of the request. Undefined at the token endpoint. */
    accessToken: string | undefined;
    /** The thumbprint of the required key. Undefined for any key. */
    boundTo: string | undefined;
    now: Instant;
  },
): Proof {
  const headers = known.get(vault) ?? new Map();
  known.set(vault, headers);
  return verifyProof(headers, {
    ...sent,
    accessToken,
    boundTo,
    importVerifier,
    endOfNonce: (nonce) => endOfNonce(vault, nonce, now),
    now,
  });
}
