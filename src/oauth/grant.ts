import { findAccount } from "../accounts/account.ts";
import type { Account } from "../accounts/account.ts";
import type { GrantEnd } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { newTimedId } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import { DAY } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { closePolicyUse, openPolicyUse } from "../limits/policy-counters.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows, restOfRows } from "../store/read.ts";
import { insertRow, replaceRow, takeRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { findClient } from "./client/client.ts";
import type { Client } from "./client/client.ts";
import type { OAuthServices } from "./services.ts";

/** The longest a grant lives, however often it is refreshed. */
export const GRANT_LIFETIME = 90 * DAY;

/** Most grants, and most codes, one account may have to one client; a further one ends the one that would end first. */
export const GRANT_LIMIT = 100;

type GrantKeeper = Pick<OAuthServices, "vault" | "authority">;

/** One sign-in of a person to a client. Everything issued for it is worth something as long as its row is there. */
export type Grant = Authentic<"authorization_grant">;

/** What of a person's keys a grant is for. */
export interface KeyGrant {
  /** Ids of keys. */
  readonly keys: readonly string[];
  /** What may be signed with them, canonical JSON; undefined for nothing. */
  readonly policy: string | undefined;
  readonly endsAt: Instant;
}

/** The grant of that id; undefined when it ended or its row is not authentic. */
export async function findGrant(
  db: Db,
  authority: RowAuthority,
  { id, now }: { id: string; now: Instant },
): Promise<Grant | undefined> {
  const grant = await findRow(db, authority, "authorization_grant", "byId", { id });
  return grant === undefined || grant.expires_at <= now ? undefined : grant;
}

/** A grant that can be used now, with those between whom it is. */
export interface LiveGrant {
  readonly grant: Grant;
  readonly client: Client;
  readonly account: Account;
}

/** When a grant ends, however often it is refreshed. */
export function endOfGrant({ ends_at: chosen, created_at: createdAt }: Grant): Instant {
  return chosen ?? createdAt + GRANT_LIFETIME;
}

/** The grant of that id while its client is enabled and its account is there. */
export async function findLiveGrant(
  db: Db,
  authority: RowAuthority,
  value: { id: string; now: Instant },
): Promise<LiveGrant | undefined> {
  const grant = await findGrant(db, authority, value);
  return grant === undefined ? undefined : await findParties(db, authority, grant);
}

/** A grant with those between whom it is; undefined where its client is disabled or its account is not there. */
export async function findParties(
  db: Db,
  authority: RowAuthority,
  grant: Grant,
): Promise<LiveGrant | undefined> {
  const client = await findClient(db, authority, grant.client_id);
  if (client === undefined || client.disabled) return undefined;
  const account = await findAccount(db, authority, grant.account_id);
  return account === undefined ? undefined : { grant, client, account };
}

/**
 * Starts a grant that lives until its code does; redeeming the code puts it to use. Ends the account's oldest codes for
 * this client beyond the limit.
 */
export async function insertGrant(
  tx: Db,
  keeper: GrantKeeper,
  value: {
    accountId: string;
    clientId: string;
    scope: string;
    /** The thumbprint of the key that the code is bound to. */
    jkt: string | undefined;
    keyGrant: KeyGrant | undefined;
    authenticatedAt: Instant;
    /** By which the client knows the session that it is made in. */
    sid: string;
    expiresAt: Instant;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Grant> {
  const { accountId, clientId, keyGrant, expiresAt, now } = value;
  await endSurplus(tx, keeper, { accountId, clientId, state: "waiting", now });
  const grant = await insertRow(tx, keeper.authority, "authorization_grant", {
    id: newTimedId("grant", value),
    account_id: accountId,
    client_id: clientId,
    scope: value.scope,
    state: "waiting",
    authenticated_at: value.authenticatedAt,
    created_at: now,
    expires_at: expiresAt,
    jkt: value.jkt ?? null,
    keys: keyGrant === undefined ? null : JSON.stringify(keyGrant.keys),
    policy: keyGrant?.policy ?? null,
    ends_at: keyGrant?.endsAt ?? null,
    sid: value.sid,
  });
  await appendAudit(tx, keeper.vault, now, {
    event: "grant_started",
    accountId,
    subject: grant.id,
    detail: { clientId },
  });
  return grant;
}

/** What an account has granted to a client, what would end last first. */
export async function listGrants(
  db: Db,
  authority: RowAuthority,
  { accountId, clientId }: { readonly accountId: string; readonly clientId: string },
): Promise<Grant[]> {
  const asked = { account_id: accountId, client_id: clientId };
  return await listRows(db, authority, "authorization_grant", "toClient", asked);
}

/**
 * Ends the account's grants to a client beyond the limit, so that one more in this state has room. Codes that wait and
 * grants in use are counted apart: many sign-ins at once must not end each other.
 */
async function endSurplus(
  tx: Db,
  keeper: GrantKeeper,
  { accountId, clientId, state, now }: {
    accountId: string;
    clientId: string;
    state: Grant["state"];
    now: Instant;
  },
): Promise<void> {
  const asked = { account_id: accountId, client_id: clientId, state };
  const keep = GRANT_LIMIT - 1;
  const surplus = await restOfRows(
    tx,
    keeper.authority,
    "authorization_grant",
    "toClientInState",
    asked,
    keep,
  );
  for (const grant of surplus) await endGrant(tx, keeper, { grant, reason: "too_many", now });
}

/** Moves a grant's end and binds it, in the transaction that found its refresh token to be there. */
export async function extendGrant(
  tx: Db,
  authority: RowAuthority,
  { grant, jkt, expiresAt }: { grant: Grant; jkt: string | null; expiresAt: Instant },
): Promise<void> {
  await replaceRow(tx, authority, "authorization_grant", grant, { jkt, expires_at: expiresAt });
}

/**
 * Puts a grant to use, in the transaction that found its code to be there, and binds it to the key of this thumbprint if
 * its refresh tokens are to be. Ends the account's oldest grants in use by this client beyond the limit.
 */
export async function beginGrant(
  tx: Db,
  keeper: GrantKeeper,
  { grant, jkt, expiresAt, now }: { grant: Grant; jkt: string | null; expiresAt: Instant; now: Instant },
): Promise<void> {
  await endSurplus(tx, keeper, {
    accountId: grant.account_id,
    clientId: grant.client_id,
    state: "in_use",
    now,
  });
  const begun = { state: "in_use", jkt, expires_at: expiresAt } as const;
  await replaceRow(tx, keeper.authority, "authorization_grant", grant, begun);
  if (grant.policy === null) return;
  const { id, account_id: accountId } = grant;
  await openPolicyUse(tx, keeper.authority, { holderId: id, accountId, expiresAt: endOfGrant(grant) });
}

/**
 * Ends a grant: its code goes with it, and its access and refresh tokens are worth nothing from then on. Ending one that
 * ended does nothing. However many tokens there are, it takes the same time: their rows go when they expire.
 */
export async function endGrant(
  tx: Db,
  { vault, authority }: GrantKeeper,
  { grant, reason, now }: { grant: Grant; reason: GrantEnd; now: Instant },
): Promise<void> {
  const ended = await takeRow(tx, authority, "authorization_grant", "byId", { id: grant.id });
  if (ended === undefined) return;
  if (ended.policy !== null) await closePolicyUse(tx, authority, ended.id);
  await appendAudit(tx, vault, now, {
    event: "grant_ended",
    accountId: grant.account_id,
    subject: grant.id,
    detail: { clientId: grant.client_id, reason },
  });
}
