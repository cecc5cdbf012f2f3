import type { ProblemCode } from "../../src/lib/error.ts";

export const PROBLEM_MEANINGS: Readonly<Record<ProblemCode, string>> = {
  invalid_request: "The request or one of its members is malformed; see `errors`",
  invalid_json:
    "The body is empty or not JSON, is nested too deeply, has a duplicate member, or has a number that loses precision",
  invalid_code: "The e-mail code is wrong, expired or used, or was requested in another browser",
  invalid_passkey_registration: "The new passkey was not accepted. Request new options and start again",
  identity_refused:
    "The other provider's response was not accepted, or the user declined there. The response is a page",
  invalid_transaction: "The transaction or authorization is incomplete or ambiguous; see `errors`",
  invalid_typed_data: "The typed data is invalid or ambiguous (EIP-712); see `errors`",
  looks_like_transaction: "The key's `blindSigning` is `guard`, and the raw bytes could be a transaction",
  invalid_passkey:
    "The passkey was not accepted. The response is the same for every reason, except for a deleted passkey: see Passkeys",
  authentication_required: "No session, or the token is not valid here",
  blind_signing_denied: "The key's `blindSigning` forbids this format",
  policy_denied: "An active policy does not allow this; see `policy`, `rule`, `value` and `reason`",
  insufficient_scope: "The token does not allow this",
  cross_site_request: "Another web site sent the request",
  release_refused: "The release broker refuses this trust domain a key; `detail` names the check that failed",
  fresh_session_required: "Sign in again, or step up. This needs one of the two within the last 10 minutes",
  account_disabled: "An administrator disabled the account. Answered only after its passkey was verified",
  no_access: "The user is in no group that may use the application",
  recently_recovered:
    "The account was recovered within the last 7 days, so its protection cannot be loosened yet",
  recovery_refused: "These codes recover no account. The response is the same if the account does not exist",
  invitation_required: "A new account needs an invitation, and this browser has opened no valid one",
  sign_up_closed: "The service creates no new accounts",
  not_found: "It does not exist, or is not yours",
  method_not_allowed: "The path does not have this method; see `Allow`",
  group_exists: "A group has this name",
  account_exists: "The address or the identity already has an account",
  key_archived: "The key is archived. Unarchive it to sign with it",
  last_passkey: "An account keeps at least one passkey. Add another one first",
  public_client: "A public client has no secret",
  client_declared: "The operator's file declares the client. Change it there",
  policy_locked: "The key's policy is locked, and the change could allow more",
  recovery_waiting: "A recovery of the account is already pending. No code was used",
  recovery_in_browser:
    "This browser began a recovery of another account that is still pending. No code was used",
  recovery_not_ready: "The recovery's delay has not passed yet",
  limit_used_up:
    "The approved signature is over a limit of a policy; `rule` names it, and the request stays pending",
  signing_request_over: "The signing request is no longer pending; `detail` says how it ended",
  too_many_tokens: "The account has 50 tokens. Revoke one first",
  too_many_webhooks: "The account, or the administrator, has 10 webhooks. Delete one first",
  too_many_keys: "The account has 10,000 keys, the maximum. Archived keys count",
  too_many_passkeys: "The account has 50 passkeys, the maximum",
  body_too_large: "The body is larger than the limit above",
  unsupported_media_type: "The body is not `application/json`, or is compressed",
  already_made:
    "It was created with this `Idempotency-Key` more than 10 minutes ago. Its secret is not shown again",
  idempotency_mismatch: "The `Idempotency-Key` was used for another request",
  too_many_signing_requests:
    "Too many signing requests are pending. The first of them expires after `Retry-After`",
  rate_limited: "Too many requests; see `Retry-After`",
  internal_error: "A fault of the service. Report the `requestId`",
  identity_unavailable: "Another provider does not respond as it should. The response is a page",
  unavailable: "Try again after `Retry-After`. `detail` says if the database's disk is full or failed",
  log_cut:
    "The audit log was altered or cut. Until the operator acknowledges it, nothing that needs a log entry is done",
  inconsistent_store:
    "Data of this account is missing from the database or is not the newest. Nothing is done until the operator has checked it",
};
