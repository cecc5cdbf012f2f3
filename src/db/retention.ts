import { DAY, SECOND } from "../lib/time.ts";

// How long rows are of use whose end no column of their own says: whoever reads one checks it, and the sweep deletes it.

/** The longest a session lives unused. */
export const SESSION_IDLE_LIFETIME = 7 * DAY;

/** How long a browser is known that nobody signs in from; no browser keeps a cookie for longer. */
export const DEVICE_LIFETIME = 400 * DAY;

/** How long a removed passkey is remembered. */
export const REMOVAL_MEMORY = 400 * DAY;

/** How long an API token stays in its owner's list after its end. */
export const ENDED_TOKEN_MEMORY = 30 * DAY;

/** How long an invitation stays in the administrator's list after its end. */
export const ENDED_INVITATION_MEMORY = 30 * DAY;

/** How long a signing request is kept after the time in which it could be approved: its program may come late. */
export const SIGNING_REQUEST_MEMORY = DAY;

/** How long a spent refresh token gives its answer again, to a client that did not receive it. */
export const RETRY_WINDOW = 10 * SECOND;
