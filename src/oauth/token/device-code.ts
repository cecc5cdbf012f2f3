import { hashSecret, secretMatches } from "../../accounts/session/bearer-secret.ts";
import type { Db } from "../../db/schema/schema.ts";
import { newSecret, newTimedId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Client } from "../client/client.ts";
import { OAuthError } from "../error.ts";

/** Seconds between two polls, and those that each `slow_down` adds (RFC 8628 sections 3.2 and 3.5). */
export const POLL_INTERVAL = 5;

export type DeviceRow = Authentic<"device_request">;

const PREFIX = "device_";

/** 43 characters of secret and 26 of the request's id. */
const DEVICE_CODE = /^([A-Za-z0-9]{43})([0-9a-v]{26})$/;

/** A device code and the parts that are stored. */
export interface DeviceCode {
  readonly text: string;
  readonly id: string;
  readonly secretHash: string;
}

/** Creates a device code with 256 random bits of secret. */
export function newDeviceCode({ now, random }: { now: Instant; random: RandomBytes }): DeviceCode {
  const id = newTimedId("device", { now, random });
  const secret = newSecret(random);
  return { text: secret + id.slice(PREFIX.length), id, secretHash: hashSecret(secret) };
}

/** Returns decided, used and expired requests too. Returns undefined if the code was never issued. */
export async function findDeviceRow(
  db: Db,
  authority: RowAuthority,
  deviceCode: string,
): Promise<DeviceRow | undefined> {
  const match = DEVICE_CODE.exec(deviceCode);
  if (match === null) return undefined;
  const [, secret, id] = match;
  const row = await findRow(db, authority, "device_request", "byId", { id: PREFIX + id! });
  return row !== undefined && secretMatches(secret!, row.secret_hash) ? row : undefined;
}

/** Throws `unauthorized_client` unless the client is registered for the grant (RFC 6749 section 5.2). */
export function requireDeviceGrant({ deviceGrant }: Pick<Client, "deviceGrant">): void {
  if (deviceGrant) return;
  throw new OAuthError(
    "unauthorized_client",
    "This client is not registered for the device authorization grant",
  );
}
