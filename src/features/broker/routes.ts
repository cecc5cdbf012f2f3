import type { BrokerServices } from "../../broker/services.ts";
import { type Route, route } from "../../http/route.ts";
import { CHALLENGE_PATH, RELEASE_PATH } from "../../tee/broker/broker-protocol.ts";
import { issueChallenge, ReleaseChallenge, ReleasedKey, releaseKey } from "./release-key.ts";

/** The routes of the release broker, a separate process. The OpenAPI document leaves them out. */
export const BROKER_ROUTES: readonly Route<BrokerServices>[] = [
  route("POST", CHALLENGE_PATH, issueChallenge, {
    id: "issueReleaseChallenge",
    tag: "Operations",
    summary: "Issue a nonce for a workload's quote",
    returns: { 200: ReleaseChallenge },
    limits: ["release_challenge", "release_challenge_global"],
    codes: ["release_refused"],
  }),
  route("POST", RELEASE_PATH, releaseKey, {
    id: "releaseKey",
    tag: "Operations",
    summary: "Release a sealing key to a workload after verifying its quote",
    returns: { 200: ReleasedKey },
    limits: ["release_request", "release_request_global"],
    codes: ["release_refused"],
  }),
];
