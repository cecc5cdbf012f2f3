/** Why a DPoP proof is not taken, in the words of RFC 9449 section 12.2. */
export type ProofFault = "invalid_dpop_proof" | "use_dpop_nonce";

/**
 * A proof that does not prove what it must. The message is for whoever wrote the client: it names the claim at fault,
 * holds nothing of what was sent, and fits into a quoted string of a header.
 */
export class ProofError extends Error {
  readonly code: ProofFault;

  constructor(code: ProofFault, message: string) {
    super(message);
    this.name = "ProofError";
    this.code = code;
  }
}
