import * as v from "valibot";
import { Base64url, Count } from "../../api/value.ts";
import { issueReleaseChallenge } from "../../broker/challenge.ts";
import { releaseSealingKey } from "../../broker/release.ts";
import type { BrokerServices } from "../../broker/services.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { networkOf } from "../../lib/ip-address.ts";

const ChallengeBody = v.strictObject({ workload: v.pipe(v.string(), v.maxLength(64)) });

const ReleaseBody = v.strictObject({
  claims: v.pipe(v.string(), v.maxLength(1024)),
  quote: v.pipe(
    v.string(),
    // Not `v.base64()`: it ignores case by the rules of Unicode and admits an ſ, at which the transform throws.
    v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "Quote must be base64"),
    v.transform((text): Uint8Array => Uint8Array.fromBase64(text)),
  ),
});

export const ReleaseChallenge = v.strictObject({
  nonce: Base64url,
  exp: v.pipe(Count, v.description("Seconds since 1970")),
  brokerKeyId: Base64url,
});

export const ReleasedKey = v.strictObject({
  epkBroker: Base64url,
  ciphertext: Base64url,
  signature: Base64url,
});

export const issueChallenge = defineEndpoint(
  publicAccess,
  { body: ChallengeBody },
  async (context, _principal, { body: { workload } }, services: BrokerServices) => {
    const { now, clientAddress } = context;
    const request = { workload, network: networkOf(clientAddress), now };
    const challenge = await issueReleaseChallenge(withRateLimitHeaders(context, services), request);
    return json<typeof ReleaseChallenge>(200, challenge);
  },
);

/** Does not authenticate the caller: the quote is verified instead. */
export const releaseKey = defineEndpoint(
  publicAccess,
  { body: ReleaseBody },
  async (context, _principal, { body: { claims, quote } }, services: BrokerServices) => {
    const { now, clientAddress, traceparent } = context;
    const request = { claims, quote, network: networkOf(clientAddress), now, traceparent };
    const { epkBroker, ciphertext, signature } = await releaseSealingKey(
      withRateLimitHeaders(context, services),
      request,
    );
    return json<typeof ReleasedKey>(200, {
      epkBroker: toBase64url(epkBroker),
      ciphertext: toBase64url(ciphertext),
      signature: toBase64url(signature),
    });
  },
);
