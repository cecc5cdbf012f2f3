import { authenticated, integer, mutable, text, time } from "./column.ts";

export const PUSH_TABLES = {
  /** A browser that the account's user wants to be notified in (RFC 8030), as long as its session lasts. */
  push_subscription: authenticated(1, {
    id: text,
    account_id: text,
    session_id: text,
    /** The URL at the browser's push service. */
    endpoint: text,
    /** The browser's public key and authentication secret (RFC 8291 section 2), in base64url. */
    p256dh: text,
    auth: text,
    created_at: time,
    /** The end of the session. */
    expires_at: time,
  }),

  /** A message for a browser. The MAC covers what is sent and to whom. */
  push_delivery: authenticated(1, {
    id: text,
    subscription_id: text,
    /** JSON, as `push/message.ts` reads it. */
    body: text,
    created_at: time,
    expires_at: time,
    attempts: mutable(integer, "a browser gets a message of its own again, or not at all"),
    /** The time of the next attempt. A process moves it ahead before it starts one. */
    next_attempt_at: mutable(time, "as with the attempts"),
  }),
};
