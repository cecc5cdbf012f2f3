import { buildPushPayload } from "@block65/webcrypto-web-push";
import type { PushKeys } from "./keys.ts";
import type { BrowserSubscription } from "./subscription.ts";

/** The headers and the body of a request to a push service. */
export interface PushRequest {
  readonly headers: Record<string, string>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Encrypts a payload of at most 3993 bytes for a browser (RFC 8291), and signs the request for the origin of its push
 * service (RFC 8292) for 12 hours. Every body has the same length. The push service keeps the message for `seconds`.
 */
export async function createPushRequest(
  { publicKey, privateKey, contact }: PushKeys,
  { endpoint, keys }: BrowserSubscription,
  { payload, seconds, urgency }: {
    readonly payload: string;
    readonly seconds: number;
    readonly urgency: "high" | "normal";
  },
): Promise<PushRequest> {
  const { headers, body } = await buildPushPayload(
    { data: payload, options: { ttl: seconds, urgency } },
    { endpoint, expirationTime: null, keys },
    { publicKey, privateKey, subject: contact },
  );
  return { headers, bytes: body };
}
