import { type AuditEventName, SIGNATURE_EVENTS } from "../../audit/event.ts";

export const ACTIVITY_KINDS = ["all", "signing", "sign-ins", "applications", "tokens"] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

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
