import { forgetDevices } from "../accounts/session/known-browser.ts";
import { endEverySession, type EndingContext } from "../accounts/session/logout-notification.ts";
import { recordRemoval } from "../accounts/passkey/removed-passkey.ts";
import { revokeApiToken } from "../accounts/token/manage-token.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import { planCancellation, writePolicyState } from "../keys/key-policy.ts";
import { getKeyRow } from "../keys/key-row.ts";
import { policyStateAt, toPolicyState } from "../keys/policy-state.ts";
import { endGrant } from "../oauth/grant.ts";
import { listRows } from "../store/read.ts";
import { removeRow } from "../store/write.ts";
import { deleteWebhook, listWebhooks } from "../webhooks/webhook.ts";
import type { RecoveryServices } from "./services.ts";

interface Whose {
  readonly accountId: string;
  readonly now: Instant;
}

/**
 * Ends every access to an account, in the transaction that adds its new passkey: passkeys, sessions, known browsers,
 * API tokens, grants and webhooks. Notifies the clients. Cancels pending policy changes of keys, but keeps their
 * current policies. Skips rows that are not authentic: they grant nothing.
 */
export async function endAccess(
  tx: Db,
  services: RecoveryServices,
  whose: Whose & EndingContext,
): Promise<void> {
  const sessions = await endAllSessions(tx, services, whose);
  await removePasskeys(tx, services, whose, sessions);
  await endTokens(tx, services, whose);
  await endGrants(tx, services, whose);
  await deleteWebhooks(tx, services, whose);
  await cancelLooserPolicies(tx, services, whose);
}

/** Returns the number of sessions that each passkey had opened. */
async function endAllSessions(
  tx: Db,
  { authority }: RecoveryServices,
  { accountId, now, random }: Whose & EndingContext,
): Promise<ReadonlyMap<string, number>> {
  const where = { account_id: accountId };
  const rows = await endEverySession(tx, authority, accountId, { now, random });
  const opened = new Map<string, number>();
  for (const row of rows) {
    opened.set(row.passkey_id, (opened.get(row.passkey_id) ?? 0) + 1);
  }
  const known = await listRows(tx, authority, "account_device", "latestOfAccount", where);
  await forgetDevices(tx, authority, { accountId, ids: known.map(({ id }) => id) });
  return opened;
}

async function removePasskeys(
  tx: Db,
  { vault, authority }: RecoveryServices,
  { accountId, now }: Whose,
  sessions: ReadonlyMap<string, number>,
): Promise<void> {
  for (const passkey of await listRows(tx, authority, "passkey", "ofAccount", { account_id: accountId })) {
    await recordRemoval(tx, authority, { passkey, now });
    await removeRow(tx, authority, "passkey", passkey);
    const detail = { sessions: sessions.get(passkey.id) ?? 0 };
    await appendAudit(tx, vault, now, { event: "passkey_removed", accountId, subject: passkey.id, detail });
  }
}

async function endTokens(tx: Db, services: RecoveryServices, { accountId, now }: Whose): Promise<void> {
  for (
    const { id } of await listRows(tx, services.authority, "api_token", "ofAccount", {
      account_id: accountId,
    })
  ) {
    await revokeApiToken(tx, services, { accountId, tokenId: id, now });
  }
}

async function endGrants(tx: Db, services: RecoveryServices, { accountId, now }: Whose): Promise<void> {
  const where = { account_id: accountId };
  const grants = await listRows(tx, services.authority, "authorization_grant", "ofAccount", where);
  for (const grant of grants) await endGrant(tx, services, { grant, reason: "recovered", now });
}

async function deleteWebhooks(tx: Db, services: RecoveryServices, { accountId, now }: Whose): Promise<void> {
  const subject = accountId;
  for (const { id } of await listWebhooks(tx, services.authority, subject)) {
    await deleteWebhook(tx, services, { subject, id, now });
  }
}

/** Keeps a change that has already taken effect, recorded or not. */
async function cancelLooserPolicies(
  tx: Db,
  services: RecoveryServices,
  { accountId, now }: Whose,
): Promise<void> {
  const keys = await listRows(tx, services.authority, "ethereum_key", "ofAccount", { account_id: accountId });
  for (const { id: keyId, policy_change } of keys) {
    if (policy_change === null) continue;
    const row = await getKeyRow(tx, services, { accountId, keyId }).catch(absent);
    const step = row === undefined ? undefined : planCancellation(policyStateAt(toPolicyState(row), now));
    if (step !== undefined) await writePolicyState(tx, services, row!, step, now);
  }
}

/** Ignores a key with an outdated row that was restored: it cannot sign. */
function absent(error: unknown): undefined {
  if (error instanceof ProtocolError && error.code === "not_found") return undefined;
  throw error;
}
