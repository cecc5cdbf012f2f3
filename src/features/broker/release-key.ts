import { issueReleaseChallenge } from "../../broker/challenge.ts";
import { releaseSealingKey } from "../../broker/release.ts";
import type { BrokerServices } from "../../broker/services.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { ChallengeBody, ReleaseBody, type ReleaseChallenge, type ReleasedKey } from "./schema.ts";

export const issueChallenge = defineEndpoint(
  publicAccess,
  { body: ChallengeBody },
  async (context, _principal, { body: { workload } }, services: BrokerServices) => {
    const { now, clientAddress } = context;
    const request = { workload, network: networkOf(clientAddress), now };
    const challenge = await issueReleaseChallenge(counted(context, services), request);
    return json<typeof ReleaseChallenge>(200, challenge);
  },
);

/** Does not authenticate the caller: the quote is verified instead. */
export const releaseKey = defineEndpoint(
  publicAccess,
  { body: ReleaseBody },
  async (context, _principal, { body: { claims, quote } }, services: BrokerServices) => {
    const { now, clientAddress } = context;
    const request = { claims, quote, network: networkOf(clientAddress), now };
    const { epkBroker, ciphertext, signature } = await releaseSealingKey(counted(context, services), request);
    return json<typeof ReleasedKey>(200, {
      epkBroker: toBase64url(epkBroker),
      ciphertext: toBase64url(ciphertext),
      signature: toBase64url(signature),
    });
  },
);
