import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { widen } from "../../lib/ip-address.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/time.ts";
import { findRow } from "../../store/read.ts";
import { insertIfAbsent } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { type Client, findClient } from "../client/client.ts";
import { authenticateClient, type ClientCredentials } from "../client/client-authentication.ts";
import { checkProof, type SentProof } from "../dpop/check-proof.ts";
import { consumeProof } from "../dpop/consume-proof.ts";
import { ProofError } from "../dpop/proof-key.ts";
import type { Proof } from "../dpop/proof.ts";
import { OAuthError } from "../error.ts";
import { isOfClient } from "../grant.ts";
import { findParameter } from "../parameters.ts";
import { limitPendingRequests } from "../pending-request-limit.ts";
import type { OAuthServices } from "../services.ts";
import {
  type DeviceCode,
  type DeviceRow,
  newDeviceCode,
  POLL_INTERVAL,
  requireDeviceGrant,
} from "../token/device-code.ts";
import { checksFor, checkThumbprint, readRequestedRights } from "./requested-rights.ts";

const LIFETIME = 10 * MINUTE;

/** Consonants only, so that no code is a word (RFC 8628 section 6.1). 8 of them are 34 random bits. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";

const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** RFC 8628 section 3.2. Times in seconds. */
export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

type DeviceAuthorizationRequest = ClientCredentials & {
  readonly sentProof: SentProof;
  readonly random: RandomBytes;
};

/**
 * Handles the device authorization endpoint (RFC 8628 section 3.1): authenticates the client, validates what it asks
 * for, and issues a device code and a user code for ten minutes. A DPoP proof or `dpop_jkt` binds the device code to
 * its key. Throws an OAuthError or `rate_limited`. `db` must be the outer handle.
 */
export async function requestDeviceCode(
  db: Db,
  services: OAuthServices,
  request: DeviceAuthorizationRequest,
): Promise<DeviceAuthorization> {
  const client = await authenticateClient(db, services, request);
  requireDeviceGrant(client);
  try {
    const { sentProof, now } = request;
    const proof = sentProof.header === null
      ? undefined
      : checkProof(services, sentProof, { accessToken: undefined, boundTo: undefined, now });
    const code = newDeviceCode(request);
    const userCode = await store(services, { request, client, proof, code });
    const verificationUri = `${services.issuer}/device`;
    return {
      device_code: code.text,
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
      expires_in: LIFETIME / SECOND,
      interval: POLL_INTERVAL,
    };
  } catch (error) {
    throw error instanceof ProofError ? new OAuthError(error.code, error.message) : error;
  }
}

/** Stores a request and returns its user code. */
async function store(
  services: OAuthServices,
  { request: { form, network, now, random }, client, proof, code }: {
    readonly request: DeviceAuthorizationRequest;
    readonly client: Client;
    readonly proof: Proof | undefined;
    readonly code: DeviceCode;
  },
): Promise<string> {
  const check: ReturnType<typeof checksFor> = checksFor();
  const rights = readRequestedRights(services, { client, parameters: form }, check);
  check(rights.subject === undefined, "invalid_request", "Send no value of sub in claims");
  const dpopJkt = findParameter(form, "dpop_jkt") ?? proof?.jkt;
  checkThumbprint(dpopJkt, check);
  check(
    proof === undefined || proof.jkt === dpopJkt,
    "invalid_dpop_proof",
    "Send the dpop_jkt of the key of the DPoP proof, or none",
  );
  return await services.groupCommit.run(async (tx) => {
    await services.limits.take(tx, "authorization_request", network, now);
    await services.limits.take(tx, "authorization_request_site", widen(network, "site"), now);
    if (proof !== undefined) await consumeProof(tx, proof, now);
    let row: DeviceRow | undefined;
    // Another request may have the same user code.
    while (row === undefined) {
      row = await insertIfAbsent(tx, services.authority, "device_request", "byUserCode", {
        id: code.id,
        client_id: client.clientId,
        secret_hash: code.secretHash,
        user_code: newUserCode(random),
        scope: rights.scope,
        claims: rights.claims,
        policy: rights.policy ?? null,
        resource: rights.resource,
        dpop_jkt: dpopJkt ?? null,
        network,
        state: "pending",
        account_id: null,
        grant_id: null,
        created_at: now,
        expires_at: now + LIFETIME,
        polled_at: null,
        poll_interval: POLL_INTERVAL,
      });
    }
    await limitPendingRequests(tx, "device_request", random);
    return formatUserCode(row.user_code);
  });
}

/** Creates eight uniform characters. Rejects bytes from 240 up. */
function newUserCode(random: RandomBytes): string {
  let text = "";
  while (text.length < 8) {
    const [byte] = random(1);
    if (byte! < 240) text += ALPHABET[byte! % ALPHABET.length];
  }
  return text;
}

export function formatUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Parses a user code without regard to case, dashes and spaces. Returns undefined if the format is wrong. */
function readUserCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, "").toUpperCase();
  return USER_CODE.test(code) ? code : undefined;
}

/** A device request that waits for a decision, and its client. */
export interface PendingDevice {
  readonly row: DeviceRow;
  readonly client: Client;
}

/**
 * Returns the pending request with this user code. Throws the same `not_found` for a code that is unknown, decided or
 * expired, or whose client is disabled. Does not count the attempt.
 */
export async function getPendingDevice(
  db: Db,
  authority: RowAuthority,
  { userCode, now }: { readonly userCode: string; readonly now: Instant },
): Promise<PendingDevice> {
  const code = readUserCode(userCode);
  const row = code === undefined
    ? undefined
    : await findRow(db, authority, "device_request", "byUserCode", { user_code: code });
  const client = row?.state === "pending" && row.expires_at > now
    ? await findClient(db, authority, row.client_id)
    : undefined;
  const isUsable = row !== undefined && client !== undefined && !client.disabled && client.deviceGrant &&
    isOfClient(client, row);
  if (!isUsable) throw new ProtocolError("not_found", "There is no such code, or it has expired");
  return { row, client };
}

/** Like `getPendingDevice`, and counts the attempt by network, also one that fails. Throws `rate_limited`. */
export async function enterUserCode(
  db: Db,
  { authority, limits, groupCommit }: Pick<OAuthServices, "authority" | "limits" | "groupCommit">,
  { userCode, network, now }: { readonly userCode: string; readonly network: string; readonly now: Instant },
): Promise<PendingDevice> {
  await groupCommit.run((tx) => limits.take(tx, "device_user_code", network, now));
  return await getPendingDevice(db, authority, { userCode, now });
}
