import type { AccountServices, RelyingParty } from "../../accounts/services.ts";
import {
  beginConfirmation,
  type Confirmation,
  type ConfirmationResponse,
  finishConfirmation,
} from "../../accounts/passkey-confirmation.ts";
import { requireSession, type SignedIn } from "../../accounts/session/session.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newTimedId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { replaceRow } from "../../store/write.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../../webauthn/options.ts";
import { mayUseClient } from "../client/client-access.ts";
import { insertGrant } from "../grant.ts";
import type { OAuthServices } from "../services.ts";
import type { DeviceRow } from "../token/device-code.ts";
import { recordConsent } from "./consent.ts";
import { enterUserCode, getPendingDevice, type PendingDevice } from "./device-request.ts";
import { chooseWallets, grantChoice, type KeyChoice, type RequestedKeys } from "./key-choice.ts";

type DecisionServices = OAuthServices & AccountServices & { readonly mailer: Mailer };

export interface DeviceDecision {
  readonly signedIn: SignedIn;
  readonly userCode: string;
  readonly network: string;
  readonly now: Instant;
}

export interface DeviceApproval extends DeviceDecision {
  readonly relyingParty: RelyingParty;
  readonly random: RandomBytes;
}

/** Returns what a device request asks of keys. */
export function requestedKeysOf({ scope, claims, policy }: DeviceRow): RequestedKeys {
  return { scope, claims, policy: policy ?? undefined };
}

/** Binds the confirmation to this request, and `beginConfirmation` binds it to the session. */
function confirmationOf(approval: DeviceApproval, { id }: DeviceRow): Confirmation {
  return { ...approval, purpose: `device:${id}` };
}

async function requireAccess(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { client }: PendingDevice,
  { signedIn: { account } }: DeviceDecision,
): Promise<void> {
  if (await mayUseClient(db, authority, client, account.id)) return;
  throw new ProtocolError("no_access", "You are in no group that may use this application");
}

/**
 * Begins an approval. Requires a ceremony even right after a sign-in: following a link approves nothing. Throws
 * `not_found`, `no_access` and `rate_limited`.
 */
export async function beginDeviceApproval(
  db: Db,
  services: DecisionServices,
  approval: DeviceApproval,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const pending = await enterUserCode(db, services, approval);
  await requireAccess(db, services, pending, approval);
  return await beginConfirmation(db, services, {
    ...confirmationOf(approval, pending.row),
    network: approval.network,
  });
}

/**
 * Approves a device request in the transaction that records the passkey's use, with the keys and the policy that the
 * user chose. Checks session, request, client and groups again there. Throws `not_found`, `no_access`,
 * `recently_recovered`, `invalid_request` if the request involves keys and none was selected, and the errors of
 * `finishConfirmation`. `db` must be the outer handle.
 */
export async function finishDeviceApproval(
  db: Db,
  services: DecisionServices,
  approval: DeviceApproval & ConfirmationResponse & { readonly choice: KeyChoice },
): Promise<void> {
  const { signedIn: { account, session }, response, device, network } = approval;
  const entered = await enterUserCode(db, services, approval);
  await requireAccess(db, services, entered, approval);
  const confirmation = { ...confirmationOf(approval, entered.row), response, device, network };
  await finishConfirmation(db, services, confirmation, {
    perform: async (tx) => {
      await requireSession(tx, services.authority, session);
      const pending = await getPendingDevice(tx, services.authority, approval);
      if (pending.row.id !== entered.row.id) throw new ProtocolError("not_found", "There is no such code");
      await requireAccess(tx, services, pending, approval);
      await approve(tx, services, pending, approval);
    },
    refused: (reason) => ({
      event: "device_approval_refused",
      accountId: account.id,
      subject: entered.client.clientId,
      detail: { reason },
    }),
  });
}

async function approve(
  tx: Db,
  services: DecisionServices,
  { row, client }: PendingDevice,
  { signedIn: { account, session }, choice, now, random }: DeviceApproval & { readonly choice: KeyChoice },
): Promise<void> {
  const { authority } = services;
  const accountId = account.id;
  const { clientId } = client;
  const { scope, claims, resource } = row;
  const chosen = { request: requestedKeysOf(row), requestId: undefined, choice, accountId, client, now };
  const keyGrant = await grantChoice(tx, services, chosen);
  const wallets = await chooseWallets(tx, services, chosen);
  const subject = { accountId, clientId, scope, claims, keyGrant, wallets };
  await recordConsent(tx, services, { ...subject, redirectTarget: "device" }, now);
  const grant = await insertGrant(tx, services, {
    id: newTimedId("grant", { now, random }),
    ...subject,
    session,
    jkt: row.dpop_jkt ?? undefined,
    resource,
    authenticatedAt: now,
    code: undefined,
    expiresAt: row.expires_at,
    now,
    random,
  });
  const change = { state: "approved", account_id: accountId, grant_id: grant.id } as const;
  await replaceRow(tx, authority, "device_request", row, change);
}

/** Declines a device request. Throws `not_found` and `rate_limited`. `db` must be the outer handle. */
export async function denyDevice(
  db: Db,
  services: OAuthServices,
  decision: DeviceDecision,
): Promise<void> {
  const { signedIn: { account }, now } = decision;
  await enterUserCode(db, services, decision);
  await services.groupCommit.run(async (tx) => {
    const { row } = await getPendingDevice(tx, services.authority, decision);
    await replaceRow(tx, services.authority, "device_request", row, { state: "denied" });
    await appendAudit(tx, services.vault, now, {
      event: "authorization_denied",
      accountId: account.id,
      subject: row.client_id,
      detail: {},
    });
  });
}
