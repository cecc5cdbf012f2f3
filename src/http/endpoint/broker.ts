import * as v from "valibot";
import { issueReleaseChallenge } from "../../broker/challenge.ts";
import { releaseSealingKey } from "../../broker/release.ts";
import type { BrokerServices } from "../../broker/services.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { readJson } from "../request/body.ts";
import type { ReleaseChallenge, ReleasedKey } from "../answer/schema/broker.ts";
import { json } from "../answer/respond.ts";
import { counted } from "../answer/rate-limit.ts";
import type { Endpoint } from "../route.ts";

/** The endpoints of a release broker. Anybody may call them: the quote is what counts. */
export interface BrokerEndpoints {
  readonly challenge: Endpoint<undefined>;
  readonly release: Endpoint<undefined>;
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
