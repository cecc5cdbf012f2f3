import { hashSecret } from "../../accounts/session/bearer-secret.ts";
import type { AuditEvent } from "../../audit/event.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId, newSecret, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { listRows } from "../../store/read.ts";
import { insertIfAbsent, removeRow, replaceRow, type RowChange } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { AUTHENTICATION_METHODS, type Client, getClientRow, toClient } from "./client.ts";
import { previousSecretEnd } from "./client-secret.ts";
import { checkClientMetadata, checkKeyAccess, checkLogoutMetadata } from "./client-metadata.ts";
import type { ClientChange, ClientMetadata } from "./client-metadata.ts";
import { claimScopesOf } from "../scope.ts";
import type { OAuthServices } from "../services.ts";

const NO_PREVIOUS_SECRET = { previous_secret_hash: null, previous_secret_expires_at: null } as const;

export type ClientServices = Pick<OAuthServices, "vault" | "authority" | "logoutHosts">;

/** The actor of a change. Only the file changes the clients that it declares. */
type Changer = "administrator" | "file";

/** A client with a newly issued secret, the only time that the secret is available. */
export interface IssuedClient {
  readonly client: Client;
  /** Undefined for public clients. */
  readonly clientSecret: string | undefined;
}

/** Creates a secret for a client of this type. Returns undefined for public clients. */
export function newClientSecret(type: Client["type"], random: RandomBytes): string | undefined {
  return AUTHENTICATION_METHODS[type] === "none" ? undefined : newSecret(random);
}

/**
 * Registers a client in the caller's transaction. Stores only the SHA-256 of the secret. Throws `invalid_request`
 * that names every fault. `declaredId` is the id that a file declares. Throws `client_declared` if a row with that id
 * exists, authentic or not.
 */
export async function registerClient(
  tx: Db,
  { vault, authority, logoutHosts }: ClientServices,
  { metadata, clientSecret, declaredId, now, random }: {
    metadata: ClientMetadata;
    clientSecret: string | undefined;
    declaredId?: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<IssuedClient> {
  const checked = checkClientMetadata(metadata, metadata.type, logoutHosts);
  const row = await insertIfAbsent(tx, authority, "client", "byId", {
    id: declaredId ?? newId("client", random).slice("client_".length),
    name: checked.name,
    uri: checked.uri,
    type: checked.type,
    redirect_uris: JSON.stringify(checked.redirectUris),
    post_logout_redirect_uris: JSON.stringify(checked.postLogoutRedirectUris ?? []),
    id_token_alg: checked.idTokenSignedResponseAlg ?? "ES256",
    secret_hash: clientSecret === undefined ? null : hashSecret(clientSecret),
    ...NO_PREVIOUS_SECRET,
    declared: declaredId === undefined ? null : 1,
    disabled: 0,
    created_at: now,
    updated_at: now,
    ...keyColumns(checkKeyAccess(checked, checked.type)),
    ...logoutColumns(checkLogoutMetadata(checked)),
    claim_scopes: claimColumn(checked.scopes ?? []),
    require_pushed: toFlag(checked.requirePushedAuthorizationRequests ?? false),
  });
  if (row === undefined) {
    throw new ProtocolError("client_declared", "Cannot register client: its id is taken");
  }
  const detail = { type: row.type };
  await appendAudit(tx, vault, now, {
    event: "client_registered",
    accountId: null,
    subject: row.id,
    detail,
  });
  return { client: toClient(row), clientSecret };
}

type ClientRow = Authentic<"client">;

/** Returns the value of a column that is null for false. */
function toFlag(value: boolean): 1 | null {
  return value ? 1 : null;
}

function claimColumn(scopes: readonly string[]): string | null {
  const claimScopes = claimScopesOf(scopes.join(" "));
  return claimScopes.length === 0 ? null : claimScopes.join(" ");
}

/** Returns the columns for key access: null in both without key scopes. */
function keyColumns(
  { keyScopes, dpopBoundAccessTokens }: Pick<Client, "keyScopes" | "dpopBoundAccessTokens">,
): Pick<ClientRow, "key_scopes" | "dpop_bound"> {
  if (keyScopes.length === 0) return { key_scopes: null, dpop_bound: null };
  return { key_scopes: keyScopes.join(" "), dpop_bound: Number(dpopBoundAccessTokens) };
}

/** Returns the columns for back-channel logout: null in both without a URI. */
function logoutColumns(
  { backchannelLogoutUri: uri, backchannelLogoutSessionRequired: isRequired }: Pick<
    Client,
    "backchannelLogoutUri" | "backchannelLogoutSessionRequired"
  >,
): Pick<ClientRow, "backchannel_logout_uri" | "backchannel_logout_session"> {
  if (uri === undefined) return { backchannel_logout_uri: null, backchannel_logout_session: null };
  return { backchannel_logout_uri: uri, backchannel_logout_session: Number(isRequired) };
}

/** The columns that can change, except the secret. */
const METADATA = [
  "name",
  "uri",
  "redirect_uris",
  "post_logout_redirect_uris",
  "id_token_alg",
  "key_scopes",
  "dpop_bound",
  "backchannel_logout_uri",
  "backchannel_logout_session",
  "claim_scopes",
  "require_pushed",
  "declared",
] as const;

type ChangedColumns = Pick<ClientRow, (typeof METADATA)[number] | "disabled" | "updated_at">;

/** A change that also sets whether a file declares the client. */
type AnyChange = ClientChange & { readonly declared?: boolean };

function changedColumns(before: ClientRow, change: AnyChange, now: Instant): ChangedColumns {
  const { redirectUris, postLogoutRedirectUris, scopes, disabled, declared } = change;
  const { requirePushedAuthorizationRequests: requirePushed } = change;
  return {
    name: change.name ?? before.name,
    uri: change.uri ?? before.uri,
    redirect_uris: redirectUris === undefined ? before.redirect_uris : JSON.stringify(redirectUris),
    post_logout_redirect_uris: postLogoutRedirectUris === undefined
      ? before.post_logout_redirect_uris
      : JSON.stringify(postLogoutRedirectUris),
    id_token_alg: change.idTokenSignedResponseAlg ?? before.id_token_alg,
    ...keyColumns(checkKeyAccess(change, before.type, toClient(before))),
    ...logoutColumns(checkLogoutMetadata(change, toClient(before))),
    claim_scopes: scopes === undefined ? before.claim_scopes : claimColumn(scopes),
    require_pushed: requirePushed === undefined ? before.require_pushed : toFlag(requirePushed),
    disabled: disabled === undefined ? before.disabled : Number(disabled),
    declared: declared === undefined ? before.declared : toFlag(declared),
    updated_at: now,
  };
}

function changeEvents(before: ClientRow, after: ChangedColumns): AuditEvent[] {
  const whose = { accountId: null, subject: before.id };
  const members = METADATA.filter((column) => after[column] !== before[column]).join(",");
  const events: AuditEvent[] = [];
  if (members !== "") events.push({ ...whose, event: "client_changed", detail: { members } });
  if (after.disabled !== before.disabled) {
    events.push({ ...whose, event: after.disabled === 1 ? "client_disabled" : "client_enabled", detail: {} });
  }
  return events;
}

/** Throws `not_found`, and `client_declared` if only the file may change the client. */
async function getChangeableRow(
  tx: Db,
  { authority }: ClientServices,
  { clientId, by = "administrator" }: { clientId: string; by?: Changer },
): Promise<ClientRow> {
  const row = await getClientRow(tx, authority, clientId);
  if (row.declared === 1 && by !== "file") {
    throw new ProtocolError("client_declared", "Cannot change client: the file of CLIENTS_FILE declares it");
  }
  return row;
}

async function changeRow(
  tx: Db,
  { vault, authority }: ClientServices,
  { before, change, events }: {
    before: ClientRow;
    change: RowChange<"client"> & Pick<ClientRow, "updated_at">;
    events: readonly AuditEvent[];
  },
): Promise<Client> {
  const after = await replaceRow(tx, authority, "client", before, change);
  for (const event of events) await appendAudit(tx, vault, change.updated_at, event);
  return toClient(after);
}

/**
 * Changes a client in the caller's transaction. From the commit on, everything it no longer has is refused. Does
 * nothing if nothing changes. Throws `not_found`, `client_declared`, and `invalid_request` that names every fault.
 */
export async function changeClient(
  tx: Db,
  services: ClientServices,
  { clientId, change, now, by }: { clientId: string; change: AnyChange; now: Instant; by?: Changer },
): Promise<Client> {
  const before = await getChangeableRow(tx, services, { clientId, ...(by && { by }) });
  const after = changedColumns(before, checkClientMetadata(change, before.type, services.logoutHosts), now);
  const events = changeEvents(before, after);
  if (events.length === 0) return toClient(before);
  return await changeRow(tx, services, { before, change: after, events });
}

/**
 * Sets a new secret of a confidential client, in the caller's transaction. The previous secret stays valid until
 * `previousUntil`, or becomes invalid at the commit. At most two secrets are valid. Throws `not_found`,
 * `client_declared`, and `public_client`.
 */
export async function rotateClientSecret(
  tx: Db,
  services: ClientServices,
  { clientId, clientSecret, previousUntil, now, by }: {
    clientId: string;
    clientSecret: string;
    previousUntil: Instant | undefined;
    now: Instant;
    by?: Changer;
  },
): Promise<IssuedClient> {
  const before = await getChangeableRow(tx, services, { clientId, ...(by && { by }) });
  if (AUTHENTICATION_METHODS[before.type] === "none") {
    throw new ProtocolError("public_client", "Cannot create secret: a public client has none");
  }
  const previous = previousUntil === undefined
    ? NO_PREVIOUS_SECRET
    : { previous_secret_hash: before.secret_hash, previous_secret_expires_at: previousUntil };
  const change = { secret_hash: hashSecret(clientSecret), ...previous, updated_at: now };
  const event = {
    event: "client_secret_rotated",
    accountId: null,
    subject: clientId,
    detail: previousUntil === undefined ? {} : { previousUntil },
  } as const;
  return { client: await changeRow(tx, services, { before, change, events: [event] }), clientSecret };
}

/** Invalidates a previous secret before its expiry. Throws `client_declared`, and `not_found` if none is valid. */
export async function endPreviousSecret(
  tx: Db,
  services: ClientServices,
  { clientId, now, by }: { clientId: string; now: Instant; by?: Changer },
): Promise<Client> {
  const before = await getChangeableRow(tx, services, { clientId, ...(by && { by }) });
  if (previousSecretEnd(toClient(before), now) === undefined) {
    throw new ProtocolError("not_found", "This client has no previous secret that is still valid");
  }
  const change = { ...NO_PREVIOUS_SECRET, updated_at: now };
  const event = { event: "client_secret_ended", accountId: null, subject: clientId, detail: {} } as const;
  return await changeRow(tx, services, { before, change, events: [event] });
}

/** Deletes a client with its consents, requests, codes and tokens. Throws `not_found` and `client_declared`. */
export async function deleteClient(
  tx: Db,
  services: ClientServices,
  { clientId, now }: { clientId: string; now: Instant },
): Promise<void> {
  const { vault, authority } = services;
  const row = await getChangeableRow(tx, services, { clientId });
  const grants = await removeRowsOfClient(tx, authority, "authorization_grant", clientId);
  await removeRowsOfClient(tx, authority, "consent", clientId);
  await removeRow(tx, authority, "client", row);
  await appendAudit(tx, vault, now, {
    event: "client_deleted",
    accountId: null,
    subject: clientId,
    detail: { grants },
  });
}

/** Removes the rows of every account that name a client, and returns their number. */
async function removeRowsOfClient(
  tx: Db,
  authority: RowAuthority,
  kind: "authorization_grant" | "consent",
  clientId: string,
): Promise<number> {
  const rows = await listRows(tx, authority, kind, "ofClient", { client_id: clientId });
  for (const row of rows) await removeRow(tx, authority, kind, row);
  return rows.length;
}
