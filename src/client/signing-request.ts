import type { Operations } from "./api.ts";
import { sleep } from "./send.ts";

/** A signature that the owner of the key is asked for. */
export type SigningRequest = Operations["getSigningRequest"]["answer"]["request"];

/** What waits for the owner of the key, in the place of a signature. */
interface Asked {
  readonly request: Pick<SigningRequest, "id">;
}

/** The part of a client that looks. */
interface Looking {
  getSigningRequest(
    given: { readonly requestId: string },
    options: { readonly signal?: AbortSignal },
  ): Promise<Operations["getSigningRequest"]["answer"]>;
}

/** Seconds between two looks: a person takes longer to read than that. */
const LOOK_INTERVAL = 3;

/** The owner of the key was asked, and did not have it signed. */
export class NotSignedError extends Error {
  override readonly name = "NotSignedError";
  /** What became of it, and in `word` what the owner said. */
  readonly request: SigningRequest;

  constructor(request: SigningRequest) {
    super(`The signature was not given: ${request.word ?? request.refusal?.detail ?? request.status}`);
    this.request = request;
  }
}

/**
 * What a signing operation answers in the end. Where a policy has the owner of the key asked first, it is waited for, an
 * hour at the longest; the signal ends the waiting, and the request stays. Throws `NotSignedError` where the owner
 * declined it or did not answer, and where it was refused.
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
