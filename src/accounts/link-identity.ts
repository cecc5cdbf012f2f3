import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { ProviderConnection } from "../identity/provider-request.ts";
import type { Attempt, CallbackParameters, IdentityProvider } from "../identity/provider.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { findAccountByIdentity, insertIdentity, removeIdentity } from "./identity/identity.ts";
import { newAttempt, storeIdentityRequest } from "./identity/identity-request.ts";
import { requireNoCooldown } from "./recovery/recovery-state.ts";
import type { AccountServices } from "./services.ts";
import { consumeFreshness, requireFreshSession } from "./session/fresh-session.ts";
import { requireSession, type SignedIn } from "./session/session.ts";

/**
 * Begins to link the account to an identity at a provider and returns the authorization URL. Uses the step-up for
 * this one request, which only this session can finish. Throws `fresh_session_required`, `recently_recovered` and
 * `rate_limited`. Throws an IdentityError if the provider's metadata is unavailable. `db` must be the outer handle,
 * because the provider may be slow.
 */
export async function beginLink(
  db: Db,
  { vault, authority, limits }: AccountServices,
  value: {
    readonly signedIn: SignedIn;
    readonly provider: IdentityProvider;
    readonly connection: ProviderConnection;
    readonly redirectUri: string;
    readonly network: string;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
): Promise<URL> {
  const { signedIn: { session }, provider, now } = value;
  const act = { session, action: "link_identity", now } as const;
  requireFreshSession(act);
  await transaction(db, (tx) => limits.take(tx, "identity_request", value.network, now));
  const attempt = newAttempt(vault, { ...value, providerId: provider.id });
  const url = await provider.authorizationUrl(attempt, value.connection);
  await transaction(db, async (tx) => {
    await consumeFreshness(tx, authority, act);
    await requireNoCooldown(tx, { vault, authority }, { accountId: session.accountId, now });
    const request = { providerId: provider.id, browserHash: "", returnTo: "", sessionId: session.id };
    await storeIdentityRequest(tx, authority, { request, state: attempt.state, now });
  });
  return url;
}

/** The result of linking: `taken` if another account has the identity, `already` if this account has it. */
export type LinkOutcome = "linked" | "already" | "taken";

/**
 * Fetches the identity from the provider and links it to the account. Never takes an identity from another account.
 * Throws an IdentityError, or `authentication_required` if the session has ended; then it writes nothing. Does not
 * check that this session began the request: the caller compares it with the stored request. `db` must be the outer
 * handle.
 */
export async function finishLink(
  db: Db,
  { vault, authority }: AccountServices,
  { signedIn: { session, account }, provider, callback, attempt, connection, now, random }: {
    readonly signedIn: SignedIn;
    readonly provider: IdentityProvider;
    readonly callback: CallbackParameters;
    readonly attempt: Attempt;
    readonly connection: ProviderConnection;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
): Promise<LinkOutcome> {
  const { issuer, subject } = await provider.identify(callback, attempt, connection);
  const accountId = account.id;
  return await transaction(db, async (tx): Promise<LinkOutcome> => {
    await requireSession(tx, authority, session);
    const linked = await insertIdentity(tx, authority, { issuer, subject, accountId, now, random });
    if (linked === undefined) {
      const holder = await findAccountByIdentity(tx, authority, { issuer, subject });
      return holder?.id === accountId ? "already" : "taken";
    }
    await appendAudit(tx, vault, now, {
      event: "identity_linked",
      accountId,
      subject: linked,
      detail: { issuer },
    });
    return "linked";
  });
}

/**
 * Deletes a link of the account. Its passkeys still sign in. Throws `not_found`. Throws `fresh_session_required`
 * unless the sign-in, or a step-up for this link, is less than ten minutes old.
 */
export async function unlinkIdentity(
  db: Db,
  { vault, authority }: Pick<AccountServices, "vault" | "authority">,
  { signedIn: { session, account }, identityId, now }: {
    readonly signedIn: SignedIn;
    readonly identityId: string;
    readonly now: Instant;
  },
): Promise<void> {
  const act = { session, action: `unlink_identity:${identityId}`, now } as const;
  requireFreshSession(act);
  const accountId = account.id;
  await transaction(db, async (tx) => {
    await consumeFreshness(tx, authority, act);
    const { issuer } = await removeIdentity(tx, authority, { accountId, identityId });
    await appendAudit(tx, vault, now, {
      event: "identity_unlinked",
      accountId,
      subject: identityId,
      detail: { issuer },
    });
  });
}
