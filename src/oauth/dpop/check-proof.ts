import type { Instant } from "../../lib/time.ts";
import type { Vault } from "../../vault/vault.ts";
import type { OAuthServices } from "../services.ts";
import { endOfNonce } from "./nonce.ts";
import { verifyProof } from "./proof.ts";
import type { KnownProofHeaders, Proof } from "./proof.ts";

/** What a request brings of a proof, and what the proof must be of. */
export interface SentProof {
  /** The `DPoP` header as it came. */
  readonly header: string | null;
  readonly method: string;
  /** The request's target on our own origin. */
  readonly target: URL;
}

/** Keys of clients that come again, by the vault whose nonces they answer. */
const known = new WeakMap<Vault, KnownProofHeaders>();

/**
 * Checks the proof that a request brings, with one of our own nonces (RFC 9449 section 4.3). Throws a ProofError. Does
 * not use it up: `spendProof` does.
 */
export function checkProof(
  { vault, importVerifier }: Pick<OAuthServices, "vault" | "importVerifier">,
  sent: SentProof,
  { accessToken, boundTo, now }: {
    /** The token that comes with it; undefined at the token endpoint. */
    accessToken: string | undefined;
    /** The thumbprint of the key that must have signed; undefined for any. */
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
