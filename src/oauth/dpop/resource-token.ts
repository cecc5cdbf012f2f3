import type { Db } from "../../db/schema/schema.ts";
import { RefusalError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import { challengeParameters, RESOURCES, type ResourceUse } from "../resource.ts";
import type { OAuthServices } from "../services.ts";
import { checkProof, type SentProof } from "./check-proof.ts";
import { consumeProof } from "./consume-proof.ts";
import { PROOF_ALGORITHMS, ProofError, type ProofFault } from "./proof-key.ts";
import type { Proof } from "./proof.ts";

export interface SentToken {
  readonly scheme: "Bearer" | "DPoP";
  readonly text: string;
  readonly proof: SentProof;
  readonly use: ResourceUse;
}

function toRefusal(use: ResourceUse, error: unknown): unknown {
  return error instanceof ProofError ? refusedAtResource(use, "DPoP", error.code, error.message) : error;
}

/**
 * Checks that a token was sent as its kind requires (RFC 9449 sections 7.1 and 7.2). A token bound to a key needs the
 * scheme DPoP and a proof, which is returned and not yet marked as used. Any other needs Bearer. Throws a refusal for
 * the resource.
 */
export function verifyTokenProof(
  services: Pick<OAuthServices, "vault" | "importVerifier">,
  { scheme, text, proof, use }: SentToken,
  { jkt, now }: { jkt: string | undefined; now: Instant },
): Proof | undefined {
  if (jkt === undefined) {
    if (scheme === "Bearer") return undefined;
    const message = "This token is bound to no key: send it with the scheme Bearer";
    throw refusedAtResource(use, "DPoP", "invalid_token", message);
  }
  if (scheme === "Bearer") {
    const message = "This token is bound to a key: send it with the scheme DPoP";
    throw refusedAtResource(use, "DPoP", "invalid_token", message);
  }
  try {
    return checkProof(services, proof, { accessToken: text, boundTo: jkt, now });
  } catch (error) {
    throw toRefusal(use, error);
  }
}

/** Marks a token's proof as used, in the transaction of its request. Throws a refusal for the resource. */
export async function consumeTokenProof(
  tx: Db,
  proof: Proof | undefined,
  { use, now }: { readonly use: ResourceUse; readonly now: Instant },
): Promise<void> {
  if (proof === undefined) return;
  try {
    await consumeProof(tx, proof, now);
  } catch (error) {
    throw toRefusal(use, error);
  }
}

/** Like `consumeTokenProof`, rate-limited for the account. Committed when it returns. */
export async function commitTokenProof(
  { groupCommit, limits }: Pick<OAuthServices, "groupCommit" | "limits">,
  { proof, use, accountId, holder, now }: {
    proof: Proof | undefined;
    use: ResourceUse;
    accountId: string;
    /** The id of the token or grant. */
    holder: string | undefined;
    now: Instant;
  },
): Promise<void> {
  if (proof === undefined) return;
  await groupCommit.run(async (tx) => {
    await limits.take(tx, "dpop_proof", accountId, now, holder);
    await consumeTokenProof(tx, proof, { use, now });
  });
}

/** The challenge of a resource that accepts proofs (RFC 9449 section 7.1). The parameters of the use follow it. */
const DPOP_CHALLENGE = `DPoP algs="${PROOF_ALGORITHMS.join(" ")}"`;

/** Returns the challenge of a resource for a scheme (RFC 6750 section 3, RFC 9449 section 7.1). */
export function challengeOf(
  scheme: SentToken["scheme"],
  use: ResourceUse,
  fault?: Parameters<typeof challengeParameters>[1],
): string {
  const start = scheme === "DPoP" ? DPOP_CHALLENGE : `Bearer realm="${RESOURCES[use.path].realm}"`;
  return start + challengeParameters(use, fault);
}

/** Returns the challenges for a request without a token, which name no error (RFC 6750 section 3.1). */
export function challengesOf(use: ResourceUse): string {
  return `${challengeOf("Bearer", use)}, ${challengeOf("DPoP", use)}`;
}

/** Returns a 401 of a resource (RFC 9449 section 7.1). The message must fit into a quoted string of a header. */
function refusedAtResource(
  use: ResourceUse,
  scheme: SentToken["scheme"],
  code: ProofFault | "invalid_token",
  message: string,
): RefusalError {
  return new RefusalError(message, {
    code,
    problem: "authentication_required",
    status: 401,
    headers: { "WWW-Authenticate": challengeOf(scheme, use, { error: code, description: message }) },
  });
}
