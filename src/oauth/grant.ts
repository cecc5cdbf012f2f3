import { type Account, findAccount } from "../accounts/account.ts";
import { isRowOfClient, sidFor } from "../accounts/session/application-session.ts";
import type { GrantEnd } from "../audit/access-events.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import { DAY, type Instant } from "../lib/time.ts";
import { closePolicyUse, openPolicyUse } from "../limits/policy-counters.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, hasFewerRows, listRows } from "../store/read.ts";
import { consumeRow, insertRow, removeRow, replaceRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { type Client, findClient } from "./client/client.ts";
import { mayUseClient } from "./client/client-access.ts";
import type { OAuthServices } from "./services.ts";

/** The maximum lifetime of a grant, however often it is refreshed. */
const GRANT_LIFETIME = 90 * DAY;

/** Maximum grants, and codes, for each account and client. A further one ends the one that expires first. */
export const GRANT_LIMIT = 100;

type GrantServices = Pick<OAuthServices, "vault" | "authority">;

/** An authorization of a client by an account. Its codes and tokens are valid only while the row exists. */
export type Grant = Authentic<"authorization_grant">;

export interface KeyGrant {
  /** Key ids. */
  readonly keys: readonly string[];
  /** The policy for signatures in canonical JSON. Undefined if the client may not sign. */
  readonly policy: string | undefined;
  readonly endsAt: Instant;
}

/** The code of a grant: what its redemption must match, and the nonce. */
export interface StoredCode {
  readonly secretHash: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly nonce: string | undefined;
}

/** Returns undefined for a device's grant. */
export function readCode({ code }: Pick<Grant, "code">): StoredCode | undefined {
  return code === null ? undefined : JSON.parse(code) as StoredCode;
}

/** Returns undefined if the grant has ended or its row is not authentic. */
export async function findGrant(
  db: Db,
  authority: RowAuthority,
  { id, accountId, now }: { id: string; accountId: string; now: Instant },
): Promise<Grant | undefined> {
  const where = { account_id: accountId, id };
  const grant = await findRow(db, authority, "authorization_grant", "ofAccountById", where);
  return grant === undefined || grant.expires_at <= now ? undefined : grant;
}

/** Returns true if the client has received a grant or device request since it was registered (`isRowOfClient`). */
export function isOfClient(client: Client, row: Pick<Grant, "client_id" | "created_at">): boolean {
  return isRowOfClient({ id: client.clientId, created_at: client.createdAt }, row);
}

export interface LiveGrant {
  readonly grant: Grant;
  readonly client: Client;
  readonly account: Account;
}

/** Returns the absolute end of a grant, however often it is refreshed. */
export function endOfGrant({ ends_at: chosen, created_at: createdAt }: Grant): Instant {
  return chosen ?? createdAt + GRANT_LIFETIME;
}

/** Returns undefined unless the grant, its client and its account are all active. */
export async function findLiveGrant(
  db: Db,
  authority: RowAuthority,
  value: { id: string; accountId: string; now: Instant },
): Promise<LiveGrant | undefined> {
  const grant = await findGrant(db, authority, value);
  return grant === undefined ? undefined : await findParties(db, authority, grant);
}

/** Returns undefined if the client or the account is disabled or deleted. */
export async function findParties(
  db: Db,
  authority: RowAuthority,
  grant: Grant,
): Promise<LiveGrant | undefined> {
  const client = await findClient(db, authority, grant.client_id);
  if (client === undefined || client.disabled || !isOfClient(client, grant)) return undefined;
  const account = await findAccount(db, authority, grant.account_id);
  if (account === undefined || !await mayUseClient(db, authority, client, account.id)) return undefined;
  return { grant, client, account };
}

/**
 * Creates a grant that expires with its code unless that is redeemed. Ends the codes beyond the limit that expire
 * first.
 */
export async function insertGrant(
  tx: Db,
  services: GrantServices,
  value: {
    id: string;
    session: { id: string; accountId: string };
    clientId: string;
    scope: string;
    /** The thumbprint of the key to which the code is bound. */
    jkt: string | undefined;
    keyGrant: KeyGrant | undefined;
    resource: string | null;
    claims: string | null;
    /** Ids of the keys whose addresses the client sees, if it asked. */
    wallets: readonly string[] | undefined;
    authenticatedAt: Instant;
    /** Undefined for a device. */
    code: StoredCode | undefined;
    expiresAt: Instant;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Grant> {
  const { session, clientId, keyGrant, expiresAt, now } = value;
  const { accountId } = session;
  await endSurplus(tx, services, { accountId, clientId, state: "waiting", now });
  const grant = await insertRow(tx, services.authority, "authorization_grant", {
    id: value.id,
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
    sid: await sidFor(tx, services.authority, value),
    refresh_id: null,
    resource: value.resource,
    claims: value.claims,
    wallets: value.wallets === undefined ? null : JSON.stringify(value.wallets),
    session_id: session.id,
    code: value.code === undefined ? null : JSON.stringify(value.code),
  });
  await appendAudit(tx, services.vault, now, {
    event: "grant_started",
    accountId,
    subject: grant.id,
    detail: { clientId },
  });
  return grant;
}

/** Lists the account's grants to a client, latest expiry first. */
export async function listGrants(
  db: Db,
  authority: RowAuthority,
  { accountId, clientId }: { readonly accountId: string; readonly clientId: string },
): Promise<Grant[]> {
  const where = { account_id: accountId, client_id: clientId };
  return await listRows(db, authority, "authorization_grant", "toClient", where);
}

/** Lists the account's grants of keys to a client that have not ended, latest expiry first. */
export async function listKeyGrants(
  db: Db,
  authority: RowAuthority,
  { accountId, client, now }: { readonly accountId: string; readonly client: Client; readonly now: Instant },
): Promise<readonly Grant[]> {
  const grants = await listGrants(db, authority, { accountId, clientId: client.clientId });
  return grants.filter((grant) => grant.keys !== null && grant.expires_at > now && isOfClient(client, grant));
}

/** Ends the account's grants of keys to a client, because the user replaces them. */
export async function replaceKeyGrants(
  tx: Db,
  services: GrantServices,
  which: { readonly accountId: string; readonly client: Client; readonly now: Instant },
): Promise<void> {
  for (const grant of await listKeyGrants(tx, services.authority, which)) {
    await endGrant(tx, services, { grant, reason: "replaced", now: which.now });
  }
}

/**
 * Ends the account's grants to a client in this state beyond the limit, minus one. Counts pending codes apart from
 * grants in use, so that many concurrent sign-ins do not end each other.
 */
async function endSurplus(
  tx: Db,
  services: GrantServices,
  { accountId, clientId, state, now }: {
    accountId: string;
    clientId: string;
    state: Grant["state"];
    now: Instant;
  },
): Promise<void> {
  const where = { account_id: accountId, client_id: clientId, state };
  const kind = "authorization_grant";
  if (await hasFewerRows(tx, services.authority, kind, where, GRANT_LIMIT)) return;
  const grants = await listRows(tx, services.authority, kind, "toClientInState", where);
  for (const grant of grants.slice(GRANT_LIMIT - 1)) {
    await endGrant(tx, services, { grant, reason: "too_many", now });
  }
}

/** A use of a grant: the key that binds it, its next refresh token, and its new expiry. */
interface GrantUse {
  readonly grant: Grant;
  readonly jkt: string | null;
  readonly refreshId: string;
  readonly expiresAt: Instant;
}

/** Extends and binds a grant, in the transaction that used its refresh token. */
export async function extendGrant(
  tx: Db,
  authority: RowAuthority,
  { grant, jkt, refreshId, expiresAt }: GrantUse,
): Promise<void> {
  const change = { jkt, refresh_id: refreshId, expires_at: expiresAt };
  await replaceRow(tx, authority, "authorization_grant", grant, change);
}

/**
 * Puts a grant into use, in the transaction that redeemed its code. Binds it to the key with the thumbprint `jkt` if
 * its refresh tokens must be bound. Ends the grants in use beyond the limit that expire first.
 */
export async function beginGrant(
  tx: Db,
  services: GrantServices,
  { grant, jkt, refreshId, expiresAt, now }: GrantUse & { readonly now: Instant },
): Promise<void> {
  await endSurplus(tx, services, {
    accountId: grant.account_id,
    clientId: grant.client_id,
    state: "in_use",
    now,
  });
  const begun = { state: "in_use", jkt, refresh_id: refreshId, expires_at: expiresAt } as const;
  await replaceRow(tx, services.authority, "authorization_grant", grant, begun);
  if (grant.policy === null) return;
  const { id, account_id: accountId } = grant;
  await openPolicyUse(tx, services.authority, { holderId: id, accountId, expiresAt: endOfGrant(grant) });
}

/**
 * Ends a grant, its code, and its access and refresh tokens. Does nothing if it has ended. Takes constant time: token
 * rows are deleted when they expire.
 */
export async function endGrant(
  tx: Db,
  { vault, authority }: GrantServices,
  { grant, reason, now }: { grant: Grant; reason: GrantEnd; now: Instant },
): Promise<void> {
  const ended = await consumeRow(tx, authority, "authorization_grant", "ofAccountById", grant);
  if (ended === undefined) return;
  if (ended.policy !== null) await closePolicyUse(tx, authority, ended.id);
  await appendAudit(tx, vault, now, {
    event: "grant_ended",
    accountId: grant.account_id,
    subject: grant.id,
    detail: { clientId: grant.client_id, reason },
  });
}

/** Ends a grant whose code was used twice. */
export async function endReplayedGrant(
  services: GrantServices & Pick<OAuthServices, "groupCommit">,
  { grant, now }: { readonly grant: Grant; readonly now: Instant },
): Promise<void> {
  await services.groupCommit.run((tx) => endGrant(tx, services, { grant, reason: "code_replayed", now }));
}

/** Deletes the grant of a code that expired, so that the code stays invalid if the clock is set back. */
export async function deleteWaitingGrant(
  { groupCommit, authority }: Pick<OAuthServices, "groupCommit" | "authority">,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<void> {
  await groupCommit.run(async (tx) => {
    const where = { account_id: accountId, id };
    const grant = await findRow(tx, authority, "authorization_grant", "ofAccountById", where);
    if (grant?.state === "waiting") await removeRow(tx, authority, "authorization_grant", grant);
  });
}
