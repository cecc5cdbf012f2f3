import type { Operations } from "./api.ts";
import { sleep } from "./send.ts";

/** A signature that the key's owner is asked to approve. */
export type SigningRequest = Operations["getSigningRequest"]["answer"]["request"];

/** A response with a signing request instead of a signature. */
interface Asked {
  readonly request: Pick<SigningRequest, "id">;
}

interface Looking {
  getSigningRequest(
    given: { readonly requestId: string },
    options: { readonly signal?: AbortSignal },
  ): Promise<Operations["getSigningRequest"]["answer"]>;
}

/** Seconds between two polls. The owner takes longer to read. */
const LOOK_INTERVAL = 3;

/** The error of a signing request that ended without a signature. */
export class NotSignedError extends Error {
  override readonly name = "NotSignedError";
  /** The request in its final state, with the owner's message in `word`. */
  readonly request: SigningRequest;

  constructor(request: SigningRequest) {
    super(`The signature was not given: ${request.word ?? request.refusal?.detail ?? request.status}`);
    this.request = request;
  }
}

/**
 * Returns the result of a signing operation. If a policy requires the owner's approval, waits for it until the request
 * expires, after at most an hour. The signal ends the waiting but not the request. Throws `NotSignedError` if the owner
 * declined or did not respond, or if the service refused.
 */
export async function untilSigned<T extends object>(
  client: Looking,
  answer: T | Asked,
  signal?: AbortSignal,
): Promise<Exclude<T, Asked>> {
  if (!("request" in answer)) return answer as Exclude<T, Asked>;
  const { id: requestId } = answer.request;
  const options = signal === undefined ? {} : { signal };
  for (;;) {
    const { request } = await client.getSigningRequest({ requestId }, options);
    if (request.signed !== undefined) return request.signed as unknown as Exclude<T, Asked>;
    if (request.status !== "pending") throw new NotSignedError(request);
    await sleep(LOOK_INTERVAL, signal);
  }
}
