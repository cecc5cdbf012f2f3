import { RefusalError } from "../../lib/error.ts";
import type { ProofFault } from "./error.ts";
import { PROOF_ALGORITHMS } from "./proof-key.ts";

/** The challenge of a resource that takes proofs (RFC 9449 section 7.1); what is wrong comes behind it. */
export const DPOP_CHALLENGE = `DPoP algs="${PROOF_ALGORITHMS.join(" ")}"`;

/**
 * 401 of a resource: the token is worth nothing as it was sent, or the proof that came with it is not taken (RFC 9449
 * section 7.1). The message must fit into a quoted string of a header.
 */
export function refusedAtResource(code: ProofFault | "invalid_token", message: string): RefusalError {
  const challenge = `${DPOP_CHALLENGE}, error="${code}", error_description="${message}"`;
  return new RefusalError(message, {
    code,
    problem: "authentication_required",
    status: 401,
    headers: { "WWW-Authenticate": challenge },
  });
}
