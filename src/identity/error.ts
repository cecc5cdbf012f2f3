/** Every fault of a third-party sign-in: the provider does not respond, the user declined, or a check failed. */
const FAULTS = {
  request_unknown: "refused",
  callback_repeated: "refused",
  callback_state: "refused",
  callback_issuer: "refused",
  callback_code: "refused",
  callback_error: "refused",
  denied: "denied",
  unreachable: "unavailable",
  too_slow: "unavailable",
  too_large: "unavailable",
  answer_status: "unavailable",
  answer_type: "unavailable",
  answer_json: "unavailable",
  metadata_issuer: "refused",
  metadata_endpoint: "refused",
  metadata_host: "refused",
  metadata_method: "refused",
  key_set: "refused",
  token_refused: "refused",
  token_answer: "refused",
  id_token_malformed: "refused",
  id_token_alg: "refused",
  id_token_key: "refused",
  id_token_signature: "refused",
  id_token_iss: "refused",
  id_token_aud: "refused",
  id_token_azp: "refused",
  id_token_exp: "refused",
  id_token_iat: "refused",
  id_token_nbf: "refused",
  id_token_sub: "refused",
  id_token_nonce: "refused",
  id_token_at_hash: "refused",
  userinfo_sub: "refused",
  user_answer: "refused",
} as const satisfies Record<string, "unavailable" | "refused" | "denied">;

export type IdentityFault = keyof typeof FAULTS;

/** A failed third-party sign-in. The code is for the log; contains nothing that the provider sent. */
export class IdentityError extends Error {
  readonly code: IdentityFault;
  readonly kind: (typeof FAULTS)[IdentityFault];

  constructor(code: IdentityFault) {
    super(`Third-party sign-in failed: ${code}`);
    this.name = "IdentityError";
    this.code = code;
    this.kind = FAULTS[code];
  }
}

export function check(condition: boolean, code: IdentityFault): asserts condition {
  if (!condition) throw new IdentityError(code);
}
