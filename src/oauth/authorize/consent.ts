import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { findRow, listRows } from "../../store/read.ts";
import { removeRow, upsertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { type Client, findClient } from "../client/client.ts";
import { toHex, utf8 } from "../../lib/bytes.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Policy } from "../../policy/policy.ts";
import { grantedDetail } from "../authorization-details.ts";
import { type Claim, consentedClaims, consentedNames, registeredClaims, requestedClaims } from "../claims.ts";
import { endGrant, endOfGrant, type Grant, type KeyGrant, listGrants, listKeyGrants } from "../grant.ts";
import { redirectTargetOf } from "../client/redirect-uri.ts";
import { includesScope } from "../scope.ts";
import type { OAuthServices } from "../services.ts";

export interface ConsentSubject {
  readonly accountId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly claims: string | null;
}

/** A consent that covers a request. */
export interface RecordedConsent {
  /** Ids of the keys whose addresses the client sees, if the user was asked. */
  readonly wallets: readonly string[] | undefined;
}

/**
 * Returns the consent of the account to at least this scope and these claims, for this client and https host. On
 * loopback and private-use URIs any program of the device can impersonate the client (RFC 8252 section 8.6). There the
 * user must always be asked.
 */
export async function findConsent(
  db: Db,
  authority: RowAuthority,
  { accountId, clientId, redirectUri, scope, claims, registeredAt }: ConsentSubject & {
    /** The time of the client's registration. */
    readonly registeredAt: Instant;
  },
): Promise<RecordedConsent | undefined> {
  const { kind, text } = redirectTargetOf(redirectUri);
  if (kind !== "https") return undefined;
  const where = { account_id: accountId, client_id: clientId, redirect_target: text };
  const row = await findRow(db, authority, "consent", "byTarget", where);
  if (row === undefined || row.created_at < registeredAt || !includesScope(row.scope, scope)) {
    return undefined;
  }
  const consented = consentedClaims(row);
  if (!requestedClaims({ scope, claims }).every((claim) => consented.includes(claim))) return undefined;
  return { wallets: row.wallets === null ? undefined : JSON.parse(row.wallets) as string[] };
}

/** Returns the details for the audit log: key ids and a hash of the policy, not the policy itself. */
function keyFacts({ keys, policy }: KeyGrant): { readonly keys: string; readonly policy?: string } {
  const hash = policy === undefined ? {} : { policy: toHex(sha256(utf8(policy))) };
  return { keys: keys.join(" "), ...hash };
}

export async function recordConsent(
  tx: Db,
  { vault, authority }: Pick<OAuthServices, "vault" | "authority">,
  { accountId, clientId, redirectTarget, scope, claims, keyGrant, wallets }:
    & Omit<ConsentSubject, "redirectUri">
    & {
      /** Scheme and host of the redirect URI, or `device`. */
      redirectTarget: string;
      keyGrant?: KeyGrant | undefined;
      wallets?: readonly string[] | undefined;
    },
  now: Instant,
): Promise<void> {
  await upsertRow(tx, authority, "consent", "byTarget", {
    account_id: accountId,
    client_id: clientId,
    redirect_target: redirectTarget,
    scope,
    created_at: now,
    claims: consentedNames(claims),
    wallets: wallets === undefined ? null : JSON.stringify(wallets),
  });
  await appendAudit(tx, vault, now, {
    event: "consent_given",
    accountId,
    subject: clientId,
    detail: keyGrant === undefined ? { scope } : { scope, ...keyFacts(keyGrant) },
  });
}

export interface ConnectedApplication {
  readonly client: Client;
  readonly scope: string;
  /** The claims that it gets about the user beside `sub`. */
  readonly claims: readonly Claim[];
  /** The time of the latest consent. */
  readonly consentedAt: Instant;
  /** The key permissions of each grant, latest end first. */
  readonly keyGrants: readonly ConnectedKeys[];
}

export interface ConnectedKeys {
  /** The id of the grant. */
  readonly grantId: string;
  readonly scope: string;
  readonly keys: readonly string[];
  /** The policy for signatures. Undefined if the client may not sign. */
  readonly policy: Policy | undefined;
  readonly createdAt: Instant;
  readonly endsAt: Instant;
}

function toConnectedKeys(grant: Grant): ConnectedKeys {
  return {
    grantId: grant.id,
    scope: grant.scope,
    keys: JSON.parse(grant.keys!) as string[],
    policy: grantedDetail(grant)?.policy,
    createdAt: grant.created_at,
    endsAt: endOfGrant(grant),
  };
}

/** Lists the clients to which an account has consented, latest first. */
export async function listApplications(
  db: Db,
  authority: RowAuthority,
  { accountId, now }: { accountId: string; now: Instant },
): Promise<ConnectedApplication[]> {
  const rows = await listRows(db, authority, "consent", "latestOfAccount", { account_id: accountId });
  const applications = new Map<string, ConnectedApplication>();
  for (const row of rows) {
    if (applications.has(row.client_id)) continue;
    const client = await findClient(db, authority, row.client_id);
    if (client === undefined || row.created_at < client.createdAt) continue;
    const keyGrants = await listKeyGrants(db, authority, { accountId, client, now });
    const registered = registeredClaims(client);
    const claims = consentedClaims(row).filter((claim) => registered.includes(claim));
    applications.set(row.client_id, {
      client,
      scope: row.scope,
      claims,
      consentedAt: row.created_at,
      keyGrants: keyGrants.map(toConnectedKeys),
    });
  }
  return [...applications.values()];
}

/** Withdraws an account's consents to a client and ends its grants. Returns false if there are none. */
export async function withdrawConsent(
  tx: Db,
  services: Pick<OAuthServices, "vault" | "authority">,
  { accountId, clientId, now }: { accountId: string; clientId: string; now: Instant },
): Promise<boolean> {
  const { authority } = services;
  const where = { account_id: accountId, client_id: clientId };
  const consents = await listRows(tx, authority, "consent", "toClient", where);
  const grants = await listGrants(tx, authority, { accountId, clientId });
  if (consents.length === 0 && grants.length === 0) return false;
  for (const consent of consents) await removeRow(tx, authority, "consent", consent);
  for (const grant of grants) await endGrant(tx, services, { grant, reason: "withdrawn", now });
  const subject = clientId;
  await appendAudit(tx, services.vault, now, { event: "consent_withdrawn", accountId, subject, detail: {} });
  return true;
}
