import type { Db } from "../../db/schema/schema.ts";
import { RefusalError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import type { OAuthServices } from "../services.ts";
import { checkProof, type SentProof } from "./check-proof.ts";
import { consumeProof } from "./consume-proof.ts";
import { PROOF_ALGORITHMS, ProofError, type ProofFault } from "./proof-key.ts";
import type { Proof } from "./proof.ts";

export interface SentToken {
  readonly scheme: "Bearer" | "DPoP";
  readonly text: string;
  readonly proof: SentProof;
}

function toRefusal(error: unknown): unknown {
  return error instanceof ProofError ? refusedAtResource(error.code, error.message) : error;
}

/**
 * Checks that a token was sent as its kind requires (RFC 9449 sections 7.1 and 7.2). A token bound to a key needs the
 * scheme DPoP and a proof, which is returned and not yet marked as used. Any other needs Bearer. Throws a refusal for
 * the resource.
 */
export function verifyTokenProof(
  services: Pick<OAuthServices, "vault" | "importVerifier">,
  { scheme, text, proof }: SentToken,
  { jkt, now }: { jkt: string | undefined; now: Instant },
): Proof | undefined {
  if (jkt === undefined) {
    if (scheme === "Bearer") return undefined;
    throw refusedAtResource("invalid_token", "This token is bound to no key: send it with the scheme Bearer");
  }
  if (scheme === "Bearer") {
    throw refusedAtResource("invalid_token", "This token is bound to a key: send it with the scheme DPoP");
  }
  try {
    return checkProof(services, proof, { accessToken: text, boundTo: jkt, now });
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Marks a token's proof as used, in the transaction of its request. Throws a refusal for the resource. */
export async function consumeTokenProof(tx: Db, proof: Proof | undefined, now: Instant): Promise<void> {
  if (proof === undefined) return;
  try {
    await consumeProof(tx, proof, now);
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Like `consumeTokenProof`, rate-limited for the account. Committed when it returns. */
export async function commitTokenProof(
  { groupCommit, limits }: Pick<OAuthServices, "groupCommit" | "limits">,
  { proof, accountId, holder, now }: {
    proof: Proof | undefined;
    accountId: string;
    /** The id of the token or grant. */
    holder: string | undefined;
    now: Instant;
  },
): Promise<void> {
  if (proof === undefined) return;
  await groupCommit.run(async (tx) => {
    await limits.take(tx, "dpop_proof", accountId, now, holder);
    await consumeTokenProof(tx, proof, now);
  });
}

/** The challenge of a resource that accepts proofs (RFC 9449 section 7.1). The error follows it. */
export const DPOP_CHALLENGE = `DPoP algs="${PROOF_ALGORITHMS.join(" ")}"`;

/** Returns a 401 of a resource (RFC 9449 section 7.1). The message must fit into a quoted string of a header. */
export function refusedAtResource(code: ProofFault | "invalid_token", message: string): RefusalError {
  const challenge = `${DPOP_CHALLENGE}, error="${code}", error_description="${message}"`;
  return new RefusalError(message, {
    code,
    problem: "authentication_required",
    status: 401,
    headers: { "WWW-Authenticate": challenge },
  });
}
