import type { Db } from "../../db/schema/schema.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import { replaceIfUnchanged } from "../../store/write.ts";
import { OAuthError } from "../error.ts";
import { deleteWaitingGrant, endReplayedGrant, findGrant, isOfClient } from "../grant.ts";
import { findParameter } from "../parameters.ts";
import type { OAuthServices } from "../services.ts";
import { type DeviceRow, findDeviceRow, POLL_INTERVAL, requireDeviceGrant } from "./device-code.ts";
import { issueFirstTokens } from "./redeem-code.ts";
import { requireBoundKey, requireResource, type TokenRequest } from "./token-request.ts";
import type { TokenResponse } from "./token-response.ts";

const INVALID_CODE = "The device_code is wrong, used, or was issued to another client";

/**
 * Handles `grant_type=urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 sections 3.4 and 3.5). Throws
 * `authorization_pending`, `slow_down`, `access_denied` and `expired_token`. A replay that is correct in everything
 * else ends the grant, as one of a code does.
 */
export async function redeemDeviceCode(
  db: Db,
  services: OAuthServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { client, form, now } = request;
  requireDeviceGrant(client);
  const text = findParameter(form, "device_code");
  if (text === undefined) throw new OAuthError("invalid_request", "Send the device_code");
  const row = await findDeviceRow(db, services.authority, text);
  if (row === undefined || !isOfClient(client, row)) {
    throw new OAuthError("invalid_grant", INVALID_CODE);
  }
  if (row.grant_id !== null) return await redeemApproved(db, services, { request, row });
  if (row.expires_at <= now) throw expired();
  if (row.state === "denied") throw new OAuthError("access_denied", "The user declined");
  const poll = await recordPoll(services, row, now);
  if (poll === "changed") return await redeemDeviceCode(db, services, request);
  throw poll;
}

function expired(): OAuthError {
  return new OAuthError("expired_token", "The device_code has expired: begin again");
}

async function redeemApproved(
  db: Db,
  services: OAuthServices,
  { request, row }: { readonly request: TokenRequest; readonly row: DeviceRow },
): Promise<TokenResponse> {
  const { client, now } = request;
  const which = { id: row.grant_id!, accountId: row.account_id!, now };
  const grant = await findGrant(db, services.authority, which);
  if (grant === undefined && row.expires_at <= now) {
    await deleteWaitingGrant(services, which);
    throw expired();
  }
  if (grant === undefined || !isOfClient(client, grant)) throw new OAuthError("invalid_grant", INVALID_CODE);
  requireBoundKey(grant, request);
  requireResource(services, grant, request);
  if (grant.state !== "waiting") {
    await endReplayedGrant(services, { grant, now });
    throw new OAuthError("invalid_grant", INVALID_CODE);
  }
  const use = { grant, nonce: undefined, refusal: INVALID_CODE };
  // A concurrent request was first: this one is a replay, or the grant has ended.
  return await issueFirstTokens(db, services, request, use) ??
    await redeemDeviceCode(db, services, request);
}

/**
 * Records the time of a poll and returns its answer. A poll before the interval has passed makes the interval five
 * seconds longer (RFC 8628 section 3.5). Returns `changed` if the request changed since it was read.
 */
async function recordPoll(
  { groupCommit, authority }: OAuthServices,
  row: DeviceRow,
  now: Instant,
): Promise<OAuthError | "changed"> {
  const { polled_at: last, poll_interval: interval } = row;
  // A last poll in the future was recorded before the clock was set back.
  const isEarly = last !== null && last <= now && now < last + interval * SECOND;
  const change = isEarly ? { polled_at: now, poll_interval: interval + POLL_INTERVAL } : { polled_at: now };
  const recorded = await groupCommit.run((tx) =>
    replaceIfUnchanged(tx, authority, "device_request", row, change)
  );
  if (recorded === undefined) return "changed";
  return isEarly
    ? new OAuthError("slow_down", "Poll more slowly: wait 5 seconds longer between two requests")
    : new OAuthError("authorization_pending", "The user has not decided yet");
}
