import { APPLICATION_EVENTS, TOKEN_EVENTS } from "./access-events.ts";
import { ACCOUNT_EVENTS, SIGN_IN_EVENTS } from "./account-events.ts";
import type { EventRow } from "./event-row.ts";
import { KEY_EVENTS } from "./key-events.ts";
import { RECOVERY_EVENTS } from "./recovery-events.ts";
import { SERVICE_EVENTS } from "./service-events.ts";
import { SIGNING_EVENTS } from "./signing-events.ts";

/** Every event by its name, with its sentences. */
export const EVENTS = {
  ...ACCOUNT_EVENTS,
  ...SIGN_IN_EVENTS,
  ...RECOVERY_EVENTS,
  ...KEY_EVENTS,
  ...SIGNING_EVENTS,
  ...TOKEN_EVENTS,
  ...APPLICATION_EVENTS,
  ...SERVICE_EVENTS,
};

export type AuditEventName = keyof typeof EVENTS;

type DetailOf<R> = R extends EventRow<infer D> ? D : never;

/** The details of every event, beyond time, account and subject. */
export type AuditDetails = { readonly [E in AuditEventName]: DetailOf<typeof EVENTS[E]> };

/** The details of an event that changes only the version of the account's row. */
export type NewVersion = AuditDetails["account_renamed"];

/** The events of a signature. */
export const SIGNATURE_EVENTS = [
  "message_signed",
  "typed_data_signed",
  "transaction_signed",
  "authorization_signed",
] as const satisfies readonly AuditEventName[];

/** An event, to be recorded in its own transaction. */
export type AuditEvent = {
  readonly [E in AuditEventName]: {
    readonly event: E;
    readonly accountId: string | null;
    /** The id of the affected key, passkey, session or row. */
    readonly subject: string | null;
    readonly detail: AuditDetails[E];
  };
}[AuditEventName];
