import { countOutcome, type OutcomeFamily } from "../../http/count-outcome.ts";
import {
  accessToken,
  clientCredentials,
  pushingClient,
  setNonceHeader,
} from "../../http/guard/oauth-guards.ts";
import { readSentProof } from "../../http/request/authorization-header.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { pushAuthorizationRequest } from "../../oauth/authorize/pushed-request.ts";
import { requestDeviceCode } from "../../oauth/authorize/device-request.ts";
import { introspectToken, revokeToken } from "../../oauth/token/introspection.ts";
import { handleTokenRequest } from "../../oauth/token/token.ts";
import { readUserInfo } from "../../oauth/token/userinfo.ts";
import type { DeviceAuthorization, Introspection, PushedRequest, TokenResponse, UserInfo } from "./schema.ts";

/** The metrics of the grant types. */
const FAMILY_OF_GRANT: ReadonlyMap<string | undefined, OutcomeFamily> = new Map([
  ["authorization_code", "holdfast_authorization_codes_total"],
  ["refresh_token", "holdfast_token_refreshes_total"],
]);

/** The token endpoint (RFC 6749 sections 3.2 and 5). */
export const issueTokens = defineEndpoint(
  clientCredentials,
  {},
  async (context, credentials, _input, services) => {
    const { db, vault, metrics, random } = services;
    const sentProof = readSentProof(context);
    if (sentProof.header !== null) setNonceHeader(context, vault);
    const request = { ...credentials, sentProof, random };
    const issue = () => handleTokenRequest(db, withRateLimitHeaders(context, services), request);
    const family = FAMILY_OF_GRANT.get(credentials.form.get("grant_type"));
    const tokens = family === undefined ? await issue() : await countOutcome(metrics, family, issue);
    // RFC 6749 section 5.1 requires both headers; the boundary sets Cache-Control.
    return json<typeof TokenResponse>(200, tokens, [["pragma", "no-cache"]]);
  },
);

/** The pushed authorization request endpoint (RFC 9126 section 2). */
export const pushRequest = defineEndpoint(
  pushingClient,
  {},
  async (context, credentials, _input, services) => {
    const { db, vault, random } = services;
    const sentProof = readSentProof(context);
    if (sentProof.header !== null) setNonceHeader(context, vault);
    const pushed = await pushAuthorizationRequest(db, withRateLimitHeaders(context, services), {
      ...credentials,
      sentProof,
      random,
    });
    return json<typeof PushedRequest>(201, pushed);
  },
);

/** The device authorization endpoint (RFC 8628 section 3.1). */
export const authorizeDevice = defineEndpoint(
  clientCredentials,
  {},
  async (context, credentials, _input, services) => {
    const { db, vault, random } = services;
    const sentProof = readSentProof(context);
    if (sentProof.header !== null) setNonceHeader(context, vault);
    const issued = await requestDeviceCode(db, withRateLimitHeaders(context, services), {
      ...credentials,
      sentProof,
      random,
    });
    return json<typeof DeviceAuthorization>(200, issued);
  },
);

/** The introspection endpoint (RFC 7662 section 2). */
export const introspectOAuthToken = defineEndpoint(
  clientCredentials,
  {},
  async (context, credentials, _input, services) =>
    json<typeof Introspection>(
      200,
      await introspectToken(services.db, withRateLimitHeaders(context, services), credentials),
    ),
);

/** The revocation endpoint (RFC 7009 section 2). Responds 200 without a body, also for an unknown token. */
export const revokeOAuthToken = defineEndpoint(
  clientCredentials,
  {},
  async (context, credentials, _input, services) => {
    await revokeToken(services.db, withRateLimitHeaders(context, services), credentials);
    return new Response(null, { status: 200 });
  },
);

/** The userinfo endpoint (OpenID Connect Core section 5.3), for GET and POST. */
export const getUserInfo = defineEndpoint(accessToken, {}, async (context, sent, _input, services) => {
  if (sent.scheme === "DPoP") setNonceHeader(context, services.vault);
  return json<typeof UserInfo>(
    200,
    await readUserInfo(services.db, withRateLimitHeaders(context, services), { sent, now: context.now }),
  );
});
