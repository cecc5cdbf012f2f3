import { DAY, HOUR, SECOND } from "../lib/time.ts";

// Lifetimes of rows without an expiry column. Readers check them, and the sweep deletes the rows.

/** The idle time of a session, unless the operator chose another. */
export const SESSION_IDLE_LIFETIME = 7 * DAY;

/** The longest idle time that an operator can choose. */
export const LONGEST_SESSION_IDLE = 90 * DAY;

/** The time after its last sign-in for which a browser is recognised. No browser keeps a cookie for longer. */
export const DEVICE_LIFETIME = 400 * DAY;

/**
 * The time for which an authorization request waits for its user. A pushed or device request is kept as long after its
 * end.
 */
export const PENDING_REQUEST_LIFETIME = HOUR;

export const REMOVAL_MEMORY = 400 * DAY;

/** The time for which a delivery of a webhook can be seen, and sent again. */
export const DELIVERY_MEMORY = 30 * DAY;

export const ENDED_TOKEN_MEMORY = 30 * DAY;

export const ENDED_INVITATION_MEMORY = 30 * DAY;

/** The time for which a signing request is kept after its approval deadline: its program may poll late. */
export const SIGNING_REQUEST_MEMORY = DAY;

/** The time in which a used refresh token returns its response again, to a client that did not receive it. */
export const RETRY_WINDOW = 10 * SECOND;
