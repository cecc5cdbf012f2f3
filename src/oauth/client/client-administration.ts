import { hashSecret } from "../../accounts/session/token.ts";
import type { AuditEvent } from "../../audit/event.ts";
import { appendAudit } from "../../audit/log.ts";
import type { ClientTable } from "../../db/oauth-schema.ts";
import type { Db } from "../../db/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId, newSecret } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { AUTHENTICATION_METHODS, getClientRow, toClient } from "./client.ts";
import type { Client } from "./client.ts";
import { checkClientMetadata } from "./client-metadata.ts";
import type { ClientChange, ClientMetadata } from "./client-metadata.ts";
import type { OAuthServices } from "../services.ts";

type ClientKeeper = Pick<OAuthServices, "vault" | "authority">;

/** A client with the secret it was just given: the one time it is seen. */
export interface IssuedClient {
  readonly client: Client;
  /** Undefined for public clients. */
  readonly clientSecret: string | undefined;
}

/**
 * Registers a client, in the caller's transaction. A `web` client gets a secret, of which only the SHA-256 is kept.
 * Throws `invalid_request` that names what to correct.
 */
export async function registerClient(
  tx: Db,
  { vault, authority }: ClientKeeper,
  { metadata, now, random }: { metadata: ClientMetadata; now: Instant; random: RandomBytes },
): Promise<IssuedClient> {
  const checked = checkClientMetadata(metadata, metadata.type);
  const hasSecret = AUTHENTICATION_METHODS[checked.type] === "client_secret_basic";
  const clientSecret = hasSecret ? newSecret(random) : undefined;
  const unsealed = {
    id: newId("client", random).slice("client_".length),
    name: checked.name,
    uri: checked.uri,
    type: checked.type,
    redirect_uris: JSON.stringify(checked.redirectUris),
    post_logout_redirect_uris: JSON.stringify(checked.postLogoutRedirectUris ?? []),
    id_token_alg: checked.idTokenSignedResponseAlg ?? "ES256",
    secret_hash: clientSecret === undefined ? null : hashSecret(clientSecret),
    disabled: 0,
    created_at: now,
    updated_at: now,
  };
  await tx.insertInto("client").values({ ...unsealed, mac: authority.mac("client", unsealed) }).execute();
  const detail = { type: unsealed.type };
  await appendAudit(tx, vault, now, {
    event: "client_registered",
    accountId: null,
    subject: unsealed.id,
    detail,
  });
  return { client: toClient(unsealed), clientSecret };
}

/** The row after the change, with the MAC it had before. */
function changedRow(before: ClientTable, change: ClientChange, now: Instant): ClientTable {
  const { redirectUris, postLogoutRedirectUris, disabled } = change;
  return {
    ...before,
    name: change.name ?? before.name,
    uri: change.uri ?? before.uri,
    redirect_uris: redirectUris === undefined ? before.redirect_uris : JSON.stringify(redirectUris),
    post_logout_redirect_uris: postLogoutRedirectUris === undefined
      ? before.post_logout_redirect_uris
      : JSON.stringify(postLogoutRedirectUris),
    id_token_alg: change.idTokenSignedResponseAlg ?? before.id_token_alg,
    disabled: disabled === undefined ? before.disabled : Number(disabled),
    updated_at: now,
  };
}

/** One audit event for the metadata that really changed, one for being switched off or on. */
function changeEvents(before: ClientTable, after: ClientTable): AuditEvent[] {
  const whose = { accountId: null, subject: before.id };
  const columns = ["name", "uri", "redirect_uris", "post_logout_redirect_uris", "id_token_alg"] as const;
  const members = columns.filter((column) => after[column] !== before[column]).join(",");
  const events: AuditEvent[] = [];
  if (members !== "") events.push({ ...whose, event: "client_changed", detail: { members } });
  if (after.disabled !== before.disabled) {
    events.push({ ...whose, event: after.disabled === 1 ? "client_disabled" : "client_enabled", detail: {} });
  }
  return events;
}

/** Writes a changed row over the one that was read, with the events that record it. */
async function replaceRow(
  tx: Db,
  { vault, authority }: ClientKeeper,
  { before, after, events }: { before: ClientTable; after: ClientTable; events: readonly AuditEvent[] },
): Promise<Client> {
  const { mac: _, ...columns } = after;
  const { numUpdatedRows } = await tx.updateTable("client")
    .set({ ...columns, mac: authority.mac("client", after) })
    .where("id", "=", before.id).where("mac", "=", before.mac).executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error("Cannot change client: row changed inside the transaction");
  for (const event of events) await appendAudit(tx, vault, after.updated_at, event);
  return toClient(after);
}

/**
 * Changes a client, in the caller's transaction; from the commit on, what it no longer has is refused everywhere. Asking
 * for what is so already changes nothing. Throws `not_found`, and `invalid_request` that names what to correct.
 */
export async function changeClient(
  tx: Db,
  keeper: ClientKeeper,
  { clientId, change, now }: { clientId: string; change: ClientChange; now: Instant },
): Promise<Client> {
  const before = await getClientRow(tx, keeper.authority, clientId);
  const after = changedRow(before, checkClientMetadata(change, before.type), now);
  const events = changeEvents(before, after);
  return events.length === 0 ? toClient(before) : await replaceRow(tx, keeper, { before, after, events });
}

/**
 * Gives a confidential client a new secret, in the caller's transaction: the old one stops at its commit. Throws
 * `not_found`, and `public_client` for clients that have none.
 */
export async function rotateClientSecret(
  tx: Db,
  keeper: ClientKeeper,
  { clientId, now, random }: { clientId: string; now: Instant; random: RandomBytes },
): Promise<IssuedClient> {
  const before = await getClientRow(tx, keeper.authority, clientId);
  if (AUTHENTICATION_METHODS[before.type] === "none") {
    throw new ProtocolError("public_client", "Cannot make secret: a public client has none");
  }
  const clientSecret = newSecret(random);
  const after = { ...before, secret_hash: hashSecret(clientSecret), updated_at: now };
  const event = { event: "client_secret_rotated", accountId: null, subject: clientId, detail: {} } as const;
  return { client: await replaceRow(tx, keeper, { before, after, events: [event] }), clientSecret };
}

/**
 * Deletes a client, in the caller's transaction, and with it whatever people granted it: consents, pending requests,
 * codes and tokens. Throws `not_found`.
 */
export async function deleteClient(
  tx: Db,
  { vault, authority }: ClientKeeper,
  { clientId, now }: { clientId: string; now: Instant },
): Promise<void> {
  await getClientRow(tx, authority, clientId);
  const grants = await tx.selectFrom("authorization_grant").select((query) => query.fn.countAll().as("count"))
    .where("client_id", "=", clientId).executeTakeFirstOrThrow();
  await tx.deleteFrom("client").where("id", "=", clientId).execute();
  await appendAudit(tx, vault, now, {
    event: "client_deleted",
    accountId: null,
    subject: clientId,
    detail: { grants: Number(grants.count) },
  });
}
