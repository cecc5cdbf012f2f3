import type { AnySchema } from "../api/value.ts";
import type { ProblemCode } from "../lib/error.ts";
import type { RateLimitName } from "../limits/rate-limit.ts";

/** A schema of an object with named members: a query, or a form. */
export type MembersSchema = AnySchema & { readonly entries: Readonly<Record<string, AnySchema>> };

/** What an answer brings: JSON as its schema says, a page, a file, a line of text, or nothing. */
export type Content = AnySchema | "page" | "file" | "text" | null;

/** Groups of operations, in the order in which they are shown. */
export const TAGS = {
  Keys: "Make keys, look at them, sign with them. Marked operations take a program's token.",
  Requests: "Signatures that the owner of a key is asked for first.",
  Accounts: "Sign up and sign in, with an address or another provider, and a passkey.",
  Passkeys: "What one's own account keeps: passkeys, sessions, step-ups.",
  Recovery: "The way back into an account whose passkeys are lost.",
  Tokens: "What programs use keys with.",
  Audit: "What was recorded.",
  OAuth: "The OAuth 2.1 and OpenID Connect provider.",
  Admin:
    "Who may come, whose accounts there are, and which applications sign people in. Needs the admin key.",
  Pages: "What people see. Programs have no use for these.",
  Operations: "Whether it lives and serves, and what describes it.",
} as const;
export type Tag = keyof typeof TAGS;

/** What is to be known of a route besides its row: what it takes, what it answers and when it refuses. */
export interface Operation {
  /** For generated clients: one word, in camelCase, never given to another. */
  readonly id: string;
  readonly tag: Tag;
  /** One line. */
  readonly summary: string;
  readonly description?: string;
  readonly query?: MembersSchema;
  readonly body?: AnySchema;
  /** The body is a form, or may be left out. */
  readonly bodyIs?: "form" | "optional";
  /** Further headers of the request. */
  readonly headers?: readonly RequestHeader[];
  readonly answers: Readonly<Record<number, Content>>;
  /** Headers of its success. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** Sent again it does nothing more: the answer is the same, and only its record and its limit count twice. */
  readonly isRepeatable?: true;
  /** What it counts. */
  readonly limits?: readonly RateLimitName[];
  /** Problems beyond those that follow from guard, method, path and body (`codesOf`). */
  readonly codes?: readonly ProblemCode[];
}

/** The headers that requests may bring, and what they are for. */
export const REQUEST_HEADERS = {
  "Idempotency-Key":
    "1 to 255 printable ASCII characters: the same key with the same body makes nothing twice",
  Prefer: "`wait=8`: seconds to wait for an answer, 8 at most (RFC 7240)",
  "Holdfast-Witness": "The newest receipt that an answer brought: a service that forgot it answers `log_cut`",
} as const;
export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The headers that answers bring, and what they say. */
export const ANSWER_HEADERS = {
  Location: "The path of what was made",
  Link: 'The next page, with `rel="next"` (RFC 8288)',
  "Holdfast-Witness": "A receipt of the log: keep the newest, and send it along",
  "Preference-Applied": "The preference that was followed (RFC 7240)",
  "Retry-After": "Seconds after which to try again",
  "RateLimit":
    '`"name";r=9;t=6` for each limit that was counted: how many requests are left, and seconds until there is one more',
  "RateLimit-Policy": '`"name";q=10;w=60`: how many there are in how many seconds',
} as const;
export type AnswerHeader = keyof typeof ANSWER_HEADERS;
