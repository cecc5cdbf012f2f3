import * as v from "valibot";
import { Count, list, NextCursor, Time } from "../../api/value.ts";
import { SIGNATURE_EVENTS } from "../../audit/event.ts";
import type { AuditEventName } from "../../audit/event.ts";
import type { ActivityKind } from "./page.ts";

/** What was recorded of an account. */
export const EventList = v.strictObject({
  events: list(v.strictObject({
    seq: Count,
    at: Time,
    event: v.string(),
    subject: v.nullable(v.string()),
    detail: v.record(v.string(), v.unknown()),
  })),
  unproven: v.pipe(
    v.number(),
    v.integer(),
    v.description("Entries left out, which the service did not write as they are"),
  ),
  head: v.pipe(
    v.nullable(v.strictObject({ seq: Count, hash: v.string() })),
    v.description("The end of the log, to keep elsewhere"),
  ),
  nextCursor: NextCursor,
});

/** Which events belong to what a person looks for. */
export const EVENTS_OF: Readonly<Record<Exclude<ActivityKind, "all">, readonly AuditEventName[]>> = {
  signing: [...SIGNATURE_EVENTS, "signature_asked", "signing_request_ended", "approval_refused"],
  "sign-ins": [
    "account_created",
    "identity_linked",
    "passkey_added",
    "passkey_renamed",
    "passkey_removed",
    "signed_in",
    "sign_in_refused",
    "signed_out",
    "stepped_up",
    "step_up_refused",
    "session_ended",
    "sessions_ended",
  ],
  applications: [
    "consent_given",
    "consent_withdrawn",
    "authorization_denied",
    "grant_started",
    "code_redeemed",
    "grant_refreshed",
    "grant_ended",
  ],
  tokens: ["token_created", "token_changed", "token_revoked"],
};
