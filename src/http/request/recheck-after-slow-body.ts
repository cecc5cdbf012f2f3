import type { RequestContext } from "../request-context.ts";

/**
 * Milliseconds after which a body is late, so that a request whose body an attacker holds back cannot act after its
 * session was revoked. A shorter delay does not matter: the request could have preceded the revocation.
 */
const LATE_AFTER = 100;

/** Thrown instead of reading a late body on; contains all of it. */
class LateBodyError extends Error {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super("The request must be checked again: its body came late");
    this.name = "LateBodyError";
    this.bytes = bytes;
  }
}

/** Returns true if a check at the start of the request is out of date. */
export function isLate({ clock, now }: Pick<RequestContext, "clock" | "now">): boolean {
  const took = clock() - now;
  // A negative duration means that the clock was set back.
  return took < 0 || took > LATE_AFTER;
}

/** Restarts the request with this body unless it arrived in time. */
export function throwIfLate(context: RequestContext, bytes: Uint8Array): void {
  if (isLate(context)) throw new LateBodyError(bytes);
}

/**
 * Runs guard and endpoint. If the body was late, runs both again with the current time, so that a revoked session
 * cannot act and deadlines hold. No endpoint acts before it has read the body.
 */
export async function runWithRecheck<T>(
  context: RequestContext,
  respond: (context: RequestContext) => Promise<T>,
): Promise<T> {
  try {
    return await respond(context);
  } catch (error) {
    if (!(error instanceof LateBodyError)) throw error;
    return await respond({ ...context, now: context.clock(), lateBody: error.bytes });
  }
}
