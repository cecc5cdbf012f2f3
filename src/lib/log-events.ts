export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An event of the service's log. */
interface LogEvent {
  readonly level: LogLevel;
  /** The names of its fields. One that ends with `?` is not in every line. */
  readonly fields: readonly string[];
  readonly about: string;
}

/** Every event of the log, by its name. No field may hold a secret, a body, or the address of a user. */
export const LOG_EVENTS = {
  request: {
    level: "info",
    fields: ["requestId", "method", "route", "status", "durationMs", "code?", "reason?", "traceparent?"],
    about: "A request was answered. `route` is the pattern of its path, `code` the problem",
  },
  request_failed: {
    level: "error",
    fields: ["requestId", "route", "error", "message", "stack", "cause?"],
    about: "An unexpected error, for which the client got a 500 or a 503",
  },
  database_fault: {
    level: "error",
    fields: ["code", "message", "cause"],
    about: "The database cannot be used or written. `/readyz` says so until it can",
  },
  pages_checked: {
    level: "info",
    fields: [],
    about: "All pages and indexes of a database file above 64 MiB were found sound",
  },
  database_recovered: { level: "info", fields: [], about: "The database can be used again" },
  audit_log_proven: {
    level: "info",
    fields: ["entries"],
    about: "The start has verified the audit log up to this entry",
  },
  audit_log_fault: {
    level: "error",
    fields: ["reason", "entry"],
    about: "The audit log was changed, and recording stopped",
  },
  audit_log_acknowledged: {
    level: "warn",
    fields: [],
    about: "An operator acknowledged the fault, and recording goes on",
  },
  audit_failed: { level: "error", fields: ["error"], about: "An entry about a fault could not be written" },
  audit_patrol_failed: {
    level: "error",
    fields: ["error"],
    about: "A step of the log's verification failed. It is tried again",
  },
  row_rejected: {
    level: "error",
    fields: ["kind", "subject?"],
    about: "A row of the database that the service did not write",
  },
  inconsistent_store: {
    level: "error",
    fields: ["owner", "kind"],
    about: "Rows of this account are missing or are not the newest",
  },
  mail_sent: { level: "info", fields: ["mail", "attempts"], about: "The mail server has accepted a mail" },
  mail_deferred: {
    level: "warn",
    fields: ["mail", "attempts", "reason"],
    about: "The mail server has not accepted a mail. It is tried again",
  },
  mail_given_up: {
    level: "warn",
    fields: ["mail", "attempts", "reason"],
    about: "A mail was refused for good, or not accepted for a day",
  },
  mail_failed: {
    level: "error",
    fields: ["mail?", "error"],
    about: "An unexpected error while sending mail",
  },
  development_mail: {
    level: "info",
    fields: ["to", "subject", "text"],
    about: "A mail of development, which is not sent",
  },
  logout_notice_taken: {
    level: "info",
    fields: ["client", "attempts"],
    about: "The application has accepted a logout notification",
  },
  logout_notice_deferred: {
    level: "warn",
    fields: ["client", "attempts", "reason"],
    about: "The application has not accepted a logout notification. It is tried again",
  },
  logout_notice_given_up: {
    level: "warn",
    fields: ["client", "attempts", "reason"],
    about: "A logout notification was refused for good, or not accepted for a day",
  },
  logout_notice_dropped: {
    level: "info",
    fields: ["client", "attempts"],
    about: "The application is disabled, or no longer registered for logout notifications",
  },
  logout_notice_failed: {
    level: "error",
    fields: ["error"],
    about: "An unexpected error while delivering logout notifications",
  },
  webhook_delivered: {
    level: "info",
    fields: ["webhook", "delivery", "attempts"],
    about: "The receiver of a webhook has accepted a delivery",
  },
  webhook_deferred: {
    level: "warn",
    fields: ["webhook", "delivery", "attempts", "reason"],
    about: "The receiver has not accepted a delivery. It is tried again",
  },
  webhook_given_up: {
    level: "warn",
    fields: ["webhook", "delivery", "attempts", "reason"],
    about: "A delivery was refused for good (`status 410`), or not accepted for a day",
  },
  webhook_dropped: {
    level: "warn",
    fields: ["webhook", "events"],
    about: "Events were dropped, because 1,000 deliveries wait for this receiver",
  },
  webhook_failed: {
    level: "error",
    fields: ["error"],
    about: "An unexpected error while delivering webhooks",
  },
  push_delivered: {
    level: "info",
    fields: ["subscription", "attempts"],
    about: "A push service has accepted a message for a browser",
  },
  push_dropped: {
    level: "info",
    fields: ["subscription", "attempts"],
    about: "A message for a browser was not sent: its session or the signing request has ended",
  },
  push_deferred: {
    level: "warn",
    fields: ["subscription", "attempts", "reason"],
    about: "A push service has not accepted a message. It is tried again",
  },
  push_given_up: {
    level: "warn",
    fields: ["subscription", "attempts", "reason"],
    about: "A message was refused for good, or not accepted in time",
  },
  push_subscription_gone: {
    level: "info",
    fields: ["subscription", "reason"],
    about: "A push service does not know a browser any more. Its subscription was deleted",
  },
  push_failed: {
    level: "error",
    fields: ["error"],
    about: "An unexpected error while sending push messages",
  },
  maintenance_failed: {
    level: "error",
    fields: ["job", "error"],
    about: "A job that runs every minute failed. The other jobs ran",
  },
  process_ended: {
    level: "error",
    fields: ["process", "code", "again_in_ms"],
    about: "One of several processes ended, and is started again",
  },
  shutdown_failed: { level: "error", fields: ["error"], about: "The end of the process met an error" },
  no_accounts: { level: "info", fields: ["note"], about: "There is no account yet" },
  no_trusted_proxies: {
    level: "warn",
    fields: ["note"],
    about: "All clients come through a proxy that `TRUSTED_PROXIES` does not name",
  },
  clear_signing_left_out: {
    level: "warn",
    fields: ["path", "reason"],
    about: "A file of `CLEAR_SIGNING_DIR`, or a part of one, cannot be used",
  },
  simulated_tee: {
    level: "warn",
    fields: ["note"],
    about: "The keys are not protected from the operator of the machine",
  },
  tee_waiting: {
    level: "info",
    fields: ["provider", "reason"],
    about: "The start waits for the guest agent or the broker",
  },
  tee_gives_no_quote: { level: "warn", fields: ["provider", "reason"], about: "The TEE gives no quote now" },
  sealing_key_not_in_memory: {
    level: "warn",
    fields: ["provider", "file"],
    about: "The file of the sealing key is on a disk",
  },
  seal_slot_refused: {
    level: "warn",
    fields: ["slot", "reason"],
    about: "A slot that the seed does not authenticate, or that is not in the set. It does not open",
  },
  seal_slot_added: {
    level: "warn",
    fields: ["slot", "source", "openedBy"],
    about: "The start added a slot for the configured key, because another source opened the seed",
  },
  seal_slot_not_added: {
    level: "warn",
    fields: ["source", "reason"],
    about: "The start could not add a slot for the configured key: remove a slot that is not needed",
  },
  seal_source_unavailable: {
    level: "warn",
    fields: ["source", "reason"],
    about: "A source gave no key, and a later one opened the seed",
  },
  seal_slot_opening_not_recorded: {
    level: "warn",
    fields: ["slot", "reason"],
    about: "The time of this opening could not be written",
  },
  sealing_key_lost_on_upgrade: {
    level: "warn",
    fields: ["provider", "keyProvider"],
    about: "The sealing key does not survive an upgrade",
  },
  broker_outside_tee: {
    level: "warn",
    fields: ["note"],
    about: "The operator of the broker's machine can have every key that it releases",
  },
  quote_refused: {
    level: "warn",
    fields: ["workload", "check", "detail"],
    about: "A broker released no key, because this check of the quote failed",
  },
  not_intels_root: {
    level: "warn",
    fields: ["workload", "root"],
    about: "A broker verified a quote by a root other than Intel's, which its allow-list names",
  },
} as const satisfies Readonly<Record<string, LogEvent>>;

export type LogEventName = keyof typeof LOG_EVENTS;

export type LogValue = string | number | boolean | null;

type FieldOf<E extends LogEventName> = (typeof LOG_EVENTS)[E]["fields"][number];

type Optional<F> = F extends `${infer N}?` ? N : never;

type Required<F> = F extends `${string}?` ? never : F;

/** The fields of an event. */
export type LogFieldsOf<E extends LogEventName> =
  & { readonly [N in Required<FieldOf<E>> & string]: LogValue }
  & { readonly [N in Optional<FieldOf<E>>]?: LogValue };

export type LogLevelOf<E extends LogEventName> = (typeof LOG_EVENTS)[E]["level"];
