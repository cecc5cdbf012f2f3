import type { ProblemCode } from "../../src/lib/error.ts";

export const PROBLEM_MEANINGS: Readonly<Record<ProblemCode, string>> = {
  invalid_request: "the request or one of its members is malformed; see `errors`",
  invalid_json:
    "the body is empty or no JSON, is nested too deeply, names a member twice, or has a number whose fraction would be lost",
  invalid_code: "the e-mail code is wrong, expired, used, or was requested in another browser",
  invalid_passkey_registration: "the new passkey was not accepted; request new options and start again",
  identity_refused:
    "another provider's answer was not accepted, or the person declined there; a page says so",
  invalid_transaction:
    "a transaction or authorization that is incomplete or has no single reading; `errors` points at the fault",
  invalid_typed_data: "EIP-712 input that has no single right meaning; `errors` points at the fault",
  looks_like_transaction: "the key's `blindSigning` is `guard` and the raw bytes could be a transaction",
  invalid_passkey:
    "the passkey was not accepted; the answer is the same for every reason, except for a deleted passkey: see Passkeys",
  authentication_required: "no session, or the token is not valid here",
  blind_signing_denied: "the key's `blindSigning` setting forbids this format",
  policy_denied:
    "a policy in force does not allow this; `policy`, `rule`, `value` and `reason` say which and why",
  insufficient_scope: "the token does not allow this",
  cross_site_request: "another web site sent this",
  release_refused: "a release broker gives this trust domain no key; the detail names the check that failed",
  fresh_session_required: "sign in again, or step up: this needs one of the two within the last 10 minutes",
  account_disabled: "an administrator disabled the account; answered only after its passkey was verified",
  recently_recovered:
    "the account was recovered within the last seven days: its protection cannot be loosened",
  recovery_refused:
    "these codes recover no account; the answer is the same whether or not the account exists",
  invitation_required: "a new account needs an invitation, and this browser has opened no valid one",
  sign_up_closed: "the service creates no more accounts",
  not_found: "it does not exist, or is not yours",
  method_not_allowed: "see `Allow`",
  account_exists: "the address, or the identity at another provider, got its account in the meantime",
  key_archived: "unarchive the key to sign with it",
  last_passkey: "an account keeps one passkey; add another first",
  public_client: "a public client has no secret",
  client_declared: "the operator's file declares the client: change it there",
  policy_locked: "the key's policy is locked, and the change could allow more",
  recovery_waiting: "a recovery of the account is pending already; no code was used",
  recovery_in_browser:
    "a recovery of another account, begun in this browser, is pending, and a browser can finish only one; no code was used",
  recovery_not_ready: "the recovery's delay has not passed yet",
  signing_request_over: "this signing request is not pending any more; the detail says how it ended",
  too_many_tokens: "the account has 50 tokens: revoke one",
  too_many_passkeys: "an account has at most 50 passkeys",
  body_too_large: "the body is over the limit above",
  unsupported_media_type: "not `application/json`, or compressed",
  already_made: "made under this `Idempotency-Key` over ten minutes ago: its secret is not shown again",
  idempotency_mismatch: "the `Idempotency-Key` was used for another request",
  too_many_signing_requests:
    "too many signing requests are pending for this owner; the first of them expires after `Retry-After`",
  rate_limited: "see `Retry-After`",
  internal_error: "a fault of the service; report the `requestId`",
  identity_unavailable: "another provider does not answer as it should; a page says so",
  unavailable:
    "try again after `Retry-After`; the detail says so where the database's disk is full or failed",
  log_cut:
    "the audit log is not as it was, and a person has to look; until then nothing that must be recorded is done",
};
