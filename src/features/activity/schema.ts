import * as v from "valibot";
import { Count, list, NextCursor, Time } from "../../api/value.ts";
import { type AuditEventName, SIGNATURE_EVENTS } from "../../audit/event.ts";
import { pageParameters } from "../../http/request/paging.ts";

export const ACTIVITY_KINDS = ["all", "signing", "sign-ins", "applications", "tokens"] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export const EVENTS_OF: Readonly<Record<Exclude<ActivityKind, "all">, readonly AuditEventName[]>> = {
  signing: [
    ...SIGNATURE_EVENTS,
    "signature_asked",
    "signing_refused",
    "signing_request_ended",
    "approval_refused",
  ],
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
  tokens: ["token_created", "token_changed", "token_revoked", "signing_stopped"],
};

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
    v.description("The number of entries left out because they are not authentic"),
  ),
  head: v.pipe(
    v.nullable(v.strictObject({ seq: Count, hash: v.string() })),
    v.description("The head of the audit log. Keep a copy elsewhere"),
  ),
  nextCursor: NextCursor,
});

export const ListQuery = v.strictObject(pageParameters);

const filters = {
  kind: v.optional(v.picklist(ACTIVITY_KINDS), "all"),
  key: v.optional(v.pipe(v.string(), v.regex(/^key_[0-9a-v]{26}$/, "Expected the id of a key"))),
};

export const PageQuery = v.strictObject({ cursor: pageParameters.cursor, ...filters });

export const FileQuery = v.strictObject(filters);
