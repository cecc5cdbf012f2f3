import type { ExtraHeaders } from "./response/respond.ts";
import type { Cookie } from "./cookie/cookie.ts";
import type { Clock, Instant } from "../lib/time.ts";

/** What of a `Request` is read: not all runtimes make a whole one in no time. */
export type AskedRequest = Pick<Request, "method" | "url" | "headers" | "body" | "signal" | "arrayBuffer">;

/** What an endpoint and its guard know about one request. */
export interface RequestContext {
  readonly request: AskedRequest;
  /** The request's target on the origin of `BASE_URL`: the `Host` header has no part in it. */
  readonly url: URL;
  /** What the request brought. */
  readonly cookies: readonly Cookie[];
  /** Path parameters, percent-decoded; never empty and never holding a slash or a control character. */
  readonly params: Readonly<Record<string, string>>;
  /** Ours, never the client's; also in `X-Request-Id`. */
  readonly requestId: string;
  readonly clientAddress: string;
  /** Headers that go out with whatever is answered, refusals included, by what they are for: guards add to them. */
  readonly answerHeaders: Map<string, ExtraHeaders>;
  /** When the request came in; of one whose body came late, when that was there. */
  readonly now: Instant;
  readonly clock: Clock;
  /** Waits until nobody else computes for long (`slow-lane.ts`); it is the request's turn until it is answered. */
  readonly slowly: () => Promise<void>;
  /** The body, where it came late. */
  readonly lateBody?: Uint8Array;
}
