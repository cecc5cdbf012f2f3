import type { RequestContext } from "../request-context.ts";

/**
 * Milliseconds after which a body came late. Whoever ends a session or a token need not wait for requests that were held
 * back; what was under way when it ended, and is over in a moment, might as well have been first.
 */
const PROMPT = 100;

/** Thrown in place of a body that came late, with all of it. */
class LateBody extends Error {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super("Judge the request anew: its body came late");
    this.name = "LateBody";
    this.bytes = bytes;
  }
}

/** Whether what was under way when a request was judged is over by now. */
export function isLate({ clock, now }: Pick<RequestContext, "clock" | "now">): boolean {
  const took = clock() - now;
  // A clock that was set back tells nothing.
  return took < 0 || took > PROMPT;
}

/** Has the request judged anew unless its body, which is these bytes, came soon after it. */
export function assertPrompt(context: RequestContext, bytes: Uint8Array): void {
  if (isLate(context)) throw new LateBody(bytes);
}

/**
 * Runs what answers a request, guard and all, and runs it again, as for a request that comes in now, where the body came
 * late: the guard has let somebody in who may be out by then, and what was to be done by a time may be too late. Nobody
 * acts before he has read the body.
 */
export async function judgeWhole<T>(
  context: RequestContext,
  answer: (context: RequestContext) => Promise<T>,
): Promise<T> {
  try {
    return await answer(context);
  } catch (error) {
    if (!(error instanceof LateBody)) throw error;
    return await answer({ ...context, now: context.clock(), lateBody: error.bytes });
  }
}
