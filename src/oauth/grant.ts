import { findAccount } from "../accounts/account.ts";
import type { Account } from "../accounts/account.ts";
import type { GrantEnd } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import type { AuthorizationGrantTable } from "../db/oauth-schema.ts";
import { prepared, preparedInsert } from "../db/prepared.ts";
import type { Slot } from "../db/prepared.ts";
import type { Db } from "../db/schema.ts";
import { newTimedId } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import { DAY } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
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
export type Grant = Readonly<AuthorizationGrantTable>;

const selectGrant = prepared((db, slot: Slot<{ readonly id: string }>) =>
  db.selectFrom("authorization_grant").selectAll().where("id", "=", slot("id"))
);

/** The grant of that id; undefined when it ended or its row is not authentic. */
export async function findGrant(
  db: Db,
  authority: RowAuthority,
  { id, now }: { id: string; now: Instant },
): Promise<Grant | undefined> {
  const [row] = await selectGrant(db, { id });
  if (row === undefined || row.expires_at <= now) return undefined;
  return authority.isAuthentic("authorization_grant", row) ? row : undefined;
}

/** A grant that can be used now, with those between whom it is. */
export interface LiveGrant {
  readonly grant: Grant;
  readonly client: Client;
  readonly account: Account;
}

/** The grant of that id while its client is enabled and its account is there. */
export async function findLiveGrant(
  db: Db,
  authority: RowAuthority,
  value: { id: string; now: Instant },
): Promise<LiveGrant | undefined> {
  const grant = await findGrant(db, authority, value);
  if (grant === undefined) return undefined;
  const client = await findClient(db, authority, grant.client_id);
  if (client === undefined || client.disabled) return undefined;
  const account = await findAccount(db, authority, grant.account_id);
  return account === undefined ? undefined : { grant, client, account };
}

/**
 * Starts a grant that lives until its code does; redeeming the code extends it. Ends the account's oldest grants to
 * this client beyond the limit.
 */
export async function insertGrant(
  tx: Db,
  keeper: GrantKeeper,
  value: {
    accountId: string;
    clientId: string;
    scope: string;
    authenticatedAt: Instant;
    expiresAt: Instant;
    now: Instant;
    random: RandomBytes;
  },
): Promise<Grant> {
  const { accountId, clientId, expiresAt, now } = value;
  await endSurplus(tx, keeper, { accountId, clientId, expiresAt, now });
  const unsealed = {
    id: newTimedId("grant", value),
    account_id: accountId,
    client_id: clientId,
    scope: value.scope,
    authenticated_at: value.authenticatedAt,
    created_at: now,
    expires_at: expiresAt,
  };
  const row = { ...unsealed, mac: keeper.authority.mac("authorization_grant", unsealed) };
  await insertRow(tx, row);
  await appendAudit(tx, keeper.vault, now, {
    event: "grant_started",
    accountId,
    subject: row.id,
    detail: { clientId },
  });
  return row;
}

const insertRow = preparedInsert("authorization_grant");

const countGrants = prepared((db, slot: Slot<{ readonly accountId: string; readonly clientId: string }>) =>
  db.selectFrom("authorization_grant").select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", slot("accountId")).where("client_id", "=", slot("clientId"))
);

/** Codes that wait and grants in use are counted apart: many sign-ins at once must not end each other. */
async function endSurplus(
  tx: Db,
  keeper: GrantKeeper,
  { accountId, clientId, expiresAt, now }: {
    accountId: string;
    clientId: string;
    expiresAt: Instant;
    now: Instant;
  },
): Promise<void> {
  const [all] = await countGrants(tx, { accountId, clientId });
  // Nearly always: then nobody need be put in order.
  if (all!.count < GRANT_LIMIT) return;
  for (const side of ["<=", ">"] as const) {
    const surplus = await tx.selectFrom("authorization_grant").selectAll().where("account_id", "=", accountId)
      .where("client_id", "=", clientId).where("expires_at", side, expiresAt)
      .orderBy("expires_at", "desc").orderBy("id").limit(GRANT_LIMIT).offset(GRANT_LIMIT - 1).execute();
    for (const grant of surplus) await endGrant(tx, keeper, { grant, reason: "too_many", now });
  }
}

const updateExpiry = prepared((
  db,
  slot: Slot<{
    readonly id: string;
    readonly old: Uint8Array;
    readonly mac: Uint8Array;
    readonly expires_at: Instant;
  }>,
) =>
  db.updateTable("authorization_grant").set({ expires_at: slot("expires_at"), mac: slot("mac") })
    .where("id", "=", slot("id")).where("mac", "=", slot("old")).returning("id")
);

/** Moves a grant's end, in the transaction that found its code or refresh token to be there. */
export async function extendGrant(
  tx: Db,
  authority: RowAuthority,
  { grant, expiresAt }: { grant: Grant; expiresAt: Instant },
): Promise<void> {
  const { id, mac: old } = grant;
  const mac = authority.mac("authorization_grant", { ...grant, expires_at: expiresAt });
  const moved = await updateExpiry(tx, { id, old, mac, expires_at: expiresAt });
  if (moved.length !== 1) throw new Error("Cannot extend grant: row is not what was read");
}

/** Ends a grant: its code and refresh tokens go with it, and its access tokens stop. Ending one that ended does nothing. */
export async function endGrant(
  tx: Db,
  { vault }: Pick<OAuthServices, "vault">,
  { grant, reason, now }: { grant: Grant; reason: GrantEnd; now: Instant },
): Promise<void> {
  const { numDeletedRows } = await tx.deleteFrom("authorization_grant").where("id", "=", grant.id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return;
  await appendAudit(tx, vault, now, {
    event: "grant_ended",
    accountId: grant.account_id,
    subject: grant.id,
    detail: { clientId: grant.client_id, reason },
  });
}
