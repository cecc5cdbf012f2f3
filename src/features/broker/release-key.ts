import * as v from "valibot";
import { Base64url, Count } from "../../api/value.ts";
import { issueReleaseChallenge } from "../../broker/challenge.ts";
import { releaseSealingKey } from "../../broker/release.ts";
import type { BrokerServices } from "../../broker/services.ts";
import { readJson } from "../../http/request/body.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { networkOf } from "../../lib/ip-address.ts";

/** The endpoints of a release broker. Anybody may call them: the quote is what counts. */
export interface BrokerEndpoints {
  readonly challenge: LegacyEndpoint<undefined>;
  readonly release: LegacyEndpoint<undefined>;
}

const ChallengeBody = v.strictObject({ workload: v.pipe(v.string(), v.maxLength(64)) });

const ReleaseBody = v.strictObject({
  claims: v.pipe(v.string(), v.maxLength(1024)),
  quote: v.pipe(
    v.string(),
    // Not `v.base64()`: it goes without regard to case in Unicode, and lets in an ſ that the transform throws at.
    v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "Quote must be base64"),
    v.transform((text): Uint8Array => Uint8Array.fromBase64(text)),
  ),
});

/** Makes the endpoints of a release broker. */
export function createBrokerEndpoints(services: BrokerServices): BrokerEndpoints {
  return {
    challenge: async (context) => {
      const { workload } = await readJson(context, ChallengeBody);
      const { now, clientAddress } = context;
      return json<typeof ReleaseChallenge>(
        200,
        await issueReleaseChallenge(counted(context, services), {
          workload,
          network: networkOf(clientAddress),
          now,
        }),
      );
    },
    release: async (context) => {
      const { claims, quote } = await readJson(context, ReleaseBody);
      const { now, clientAddress } = context;
      const request = { claims, quote, network: networkOf(clientAddress), now };
      const { epkBroker, ciphertext, signature } = await releaseSealingKey(
        counted(context, services),
        request,
      );
      return json<typeof ReleasedKey>(200, {
        epkBroker: toBase64url(epkBroker),
        ciphertext: toBase64url(ciphertext),
        signature: toBase64url(signature),
      });
    },
  };
}

// What a release broker answers: a process of its own, which the description of the service leaves out.

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
