import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { rateLimitRowKey } from "../../limits/rate-limit.ts";
import { authenticateClient, type ClientCredentials } from "../client/client-authentication.ts";
import { checkProof, type SentProof } from "../dpop/check-proof.ts";
import { ProofError } from "../dpop/proof-key.ts";
import type { Proof } from "../dpop/proof.ts";
import { consumeProof, proofRowKey } from "../dpop/consume-proof.ts";
import { OAuthError } from "../error.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { redeemCode } from "./redeem-code.ts";
import { redeemDeviceCode } from "./redeem-device-code.ts";
import { refresh } from "./refresh.ts";
import { readOpaqueToken } from "./opaque-token.ts";
import type { ExpectedRows } from "../../store/read.ts";
import type { OAuthServices } from "../services.ts";
import type { GrantTypeHandler } from "./token-request.ts";
import type { TokenResponse } from "./token-response.ts";

const HANDLERS: Readonly<Record<string, GrantTypeHandler>> = {
  authorization_code: redeemCode,
  refresh_token: refresh,
  "urn:ietf:params:oauth:grant-type:device_code": redeemDeviceCode,
};

export const GRANT_TYPES: readonly string[] = Object.keys(HANDLERS);

/**
 * Handles the token endpoint (RFC 6749 section 3.2). Throws an OAuthError or `rate_limited`. Commits what the request
 * used or ended before it throws, except that a proof is used only on success. `db` must be the outer handle.
 */
export async function handleTokenRequest(
  db: Db,
  services: OAuthServices,
  request: ClientCredentials & { readonly sentProof: SentProof; readonly random: RandomBytes },
): Promise<TokenResponse> {
  const { form, network, now, random } = request;
  const grantType = findParameter(form, "grant_type");
  if (grantType === undefined) {
    throw new OAuthError("invalid_request", "Send grant_type in a form-encoded body");
  }
  const handleGrant = Object.hasOwn(HANDLERS, grantType) ? HANDLERS[grantType] : undefined;
  if (handleGrant === undefined) {
    throw new OAuthError("unsupported_grant_type", `Send a grant_type of ${GRANT_TYPES.join(" or ")}`);
  }
  const client = await authenticateClient(db, services, request, () => expectedOf(form));
  // Counted in the transaction of the response, so that a usual request needs one commit.
  const subject = `${network} ${client.clientId}`;
  const count = async (tx: Db): Promise<void> => {
    await services.limits.take(tx, "token_request", subject, now);
  };
  try {
    const proof = findProof(services, request);
    const recordRequest = async (tx: Db): Promise<void> => {
      await count(tx);
      if (proof !== undefined) await consumeProof(tx, proof, now);
    };
    const rowKeys = [
      rateLimitRowKey(services.vault, "token_request", subject),
      ...proof === undefined ? [] : [proofRowKey(proof)],
    ];
    return await handleGrant(db, services, { client, form, proof, recordRequest, rowKeys, now, random });
  } catch (error) {
    const refusal = error instanceof ProofError ? new OAuthError(error.code, error.message) : error;
    if (refusal instanceof OAuthError) await services.groupCommit.run(count);
    throw refusal;
  }
}

/**
 * Returns what a token request reads: the signing keys, its refresh token, and the account that code or token names,
 * unverified.
 */
function expectedOf(form: OAuthParameters): readonly ExpectedRows[] {
  const code = readOpaqueToken(findParameter(form, "code") ?? "", "grant");
  const token = code ?? readOpaqueToken(findParameter(form, "refresh_token") ?? "", "refresh");
  if (token === undefined) return [["token_key", {}]];
  const ofToken: readonly ExpectedRows[] = code === undefined ? [["refresh_token", { id: token.id }]] : [];
  return [["token_key", {}], ["account", { id: token.accountId }], ...ofToken];
}

/** Returns the proof of the request (RFC 9449 section 5), if any. */
function findProof(
  services: OAuthServices,
  { sentProof, now }: { sentProof: SentProof; now: Instant },
): Proof | undefined {
  if (sentProof.header === null) return undefined;
  return checkProof(services, sentProof, { accessToken: undefined, boundTo: undefined, now });
}
