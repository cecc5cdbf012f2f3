import { appendAudit } from "../../audit/log.ts";
import { prepared } from "../../db/prepared.ts";
import type { Slot } from "../../db/prepared.ts";
import type { Db } from "../../db/schema.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findClient } from "../client/client.ts";
import type { Client } from "../client/client.ts";
import { endGrant } from "../grant.ts";
import { redirectTargetOf } from "../client/redirect-uri.ts";
import { includesScope } from "../scope.ts";
import type { OAuthServices } from "../services.ts";

/** Who lets whom have what, and where it is sent. */
export interface ConsentSubject {
  readonly accountId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope: string;
}

const selectConsent = prepared((
  db,
  slot: Slot<{ readonly accountId: string; readonly clientId: string; readonly target: string }>,
) =>
  db.selectFrom("consent").selectAll().where("account_id", "=", slot("accountId"))
    .where("client_id", "=", slot("clientId")).where("redirect_target", "=", slot("target"))
);

/**
 * Whether the person need not be asked again: this client, this host and no less than this scope were agreed to, over
 * https. On loopback and private-use URIs any program of the device can pose as the client (RFC 8252 section 8.6), so
 * there the person is always asked.
 */
export async function isConsentRemembered(
  db: Db,
  authority: RowAuthority,
  { accountId, clientId, redirectUri, scope }: ConsentSubject,
): Promise<boolean> {
  const { kind, text } = redirectTargetOf(redirectUri);
  if (kind !== "https") return false;
  const [row] = await selectConsent(db, { accountId, clientId, target: text });
  return row !== undefined && authority.isAuthentic("consent", row) && includesScope(row.scope, scope);
}

/** Remembers what a person agreed to, in the caller's transaction. */
export async function rememberConsent(
  tx: Db,
  { vault, authority }: Pick<OAuthServices, "vault" | "authority">,
  { accountId, clientId, redirectUri, scope }: ConsentSubject,
  now: Instant,
): Promise<void> {
  const unsealed = {
    account_id: accountId,
    client_id: clientId,
    redirect_target: redirectTargetOf(redirectUri).text,
    scope,
    created_at: now,
  };
  const mac = authority.mac("consent", unsealed);
  await tx.insertInto("consent").values({ ...unsealed, mac })
    .onConflict((conflict) =>
      conflict.columns(["account_id", "client_id", "redirect_target"])
        .doUpdateSet({ scope, created_at: now, mac })
    ).execute();
  await appendAudit(tx, vault, now, {
    event: "consent_given",
    accountId,
    subject: clientId,
    detail: { scope },
  });
}

/** An application that a person has let in. */
export interface ConnectedApplication {
  readonly client: Client;
  readonly scope: string;
  /** The latest time the person agreed. */
  readonly consentedAt: Instant;
}

/** The applications that an account has let in, the latest first. */
export async function listApplications(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<ConnectedApplication[]> {
  const rows = await db.selectFrom("consent").selectAll().where("account_id", "=", accountId)
    .orderBy("created_at", "desc").orderBy("client_id").execute();
  const applications = new Map<string, ConnectedApplication>();
  for (const row of rows) {
    if (applications.has(row.client_id) || !authority.isAuthentic("consent", row)) continue;
    const client = await findClient(db, authority, row.client_id);
    if (client === undefined) continue;
    applications.set(row.client_id, { client, scope: row.scope, consentedAt: row.created_at });
  }
  return [...applications.values()];
}

/**
 * Takes back what an account let a client have, in the caller's transaction: it is asked again, and all its grants to
 * the client end. False, and nothing done, when there is nothing to take back.
 */
export async function withdrawConsent(
  tx: Db,
  services: Pick<OAuthServices, "vault">,
  { accountId, clientId, now }: { accountId: string; clientId: string; now: Instant },
): Promise<boolean> {
  const consents = await tx.deleteFrom("consent").where("account_id", "=", accountId)
    .where("client_id", "=", clientId).executeTakeFirst();
  const grants = await tx.selectFrom("authorization_grant").selectAll().where("account_id", "=", accountId)
    .where("client_id", "=", clientId).execute();
  if (consents.numDeletedRows === 0n && grants.length === 0) return false;
  for (const grant of grants) await endGrant(tx, services, { grant, reason: "withdrawn", now });
  const subject = clientId;
  await appendAudit(tx, services.vault, now, { event: "consent_withdrawn", accountId, subject, detail: {} });
  return true;
}
