import { hashSecret } from "../../accounts/session/bearer-secret.ts";
import type { AuditEvent } from "../../audit/event.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { newId, newSecret, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { listRows } from "../../store/read.ts";
import { insertIfAbsent, removeRow, replaceRow, type RowChange } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { AUTHENTICATION_METHODS, type Client, getClientRow, toClient } from "./client.ts";
import {
  authenticationColumns,
  changedColumns,
  changeEvents,
  claimColumn,
  keyColumns,
  logoutColumns,
} from "./client-columns.ts";
import { NO_PREVIOUS_SECRET, toFlag } from "./client-columns.ts";
import type { AnyChange, ClientRow } from "./client-columns.ts";
import { isDocumentId } from "./document-url.ts";
import { previousSecretEnd } from "./client-secret.ts";
import {
  checkAuthentication,
  checkClientMetadata,
  checkKeyAccess,
  checkLogoutMetadata,
} from "./client-metadata.ts";
import type { ClientMetadata } from "./client-metadata.ts";
import { groupColumn, requireGroups } from "./client-groups.ts";
import { endLostAccesses } from "./lost-access.ts";
import type { OAuthServices } from "../services.ts";

export type ClientServices = Pick<OAuthServices, "vault" | "authority" | "logoutHosts">;

/** The actor of a change. Only the file changes the clients that it declares. */
type Changer = "administrator" | "file";

/** A client with a newly issued secret, the only time that the secret is available. */
export interface IssuedClient {
  readonly client: Client;
  /** Undefined unless the client authenticates by a secret. */
  readonly clientSecret: string | undefined;
}

/** Creates a secret for a client with this metadata. Returns undefined unless it authenticates by one. */
export function newClientSecret(
  { type, tokenEndpointAuthMethod: method }: Pick<ClientMetadata, "type" | "tokenEndpointAuthMethod">,
  random: RandomBytes,
): string | undefined {
  return (method ?? AUTHENTICATION_METHODS[type][0]) === "client_secret_basic"
    ? newSecret(random)
    : undefined;
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
  if (declaredId === undefined) await requireGroups(tx, authority, checked.groups ?? []);
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
    groups: groupColumn(checked.groups ?? null),
    ...authenticationColumns(checkAuthentication(checked, checked.type, { logoutHosts }), checked.type),
    require_pushed: toFlag(checked.requirePushedAuthorizationRequests ?? false),
    device_grant: toFlag(checked.deviceGrant ?? false),
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
 * nothing if nothing changes. Ends the access of accounts outside new groups. Throws `not_found`, `client_declared`,
 * and `invalid_request` that names every fault.
 */
export async function changeClient(
  tx: Db,
  services: ClientServices,
  { clientId, change, now, random, by }: {
    clientId: string;
    change: AnyChange;
    now: Instant;
    random: RandomBytes;
    by?: Changer;
  },
): Promise<Client> {
  const before = await getChangeableRow(tx, services, { clientId, ...(by && { by }) });
  if (isDocumentId(clientId) && Object.keys(change).some((member) => member !== "disabled")) {
    throw new ProtocolError("client_declared", "Cannot change client: its own document describes it");
  }
  if (by !== "file") {
    await requireGroups(tx, services.authority, change.groups ?? [], toClient(before).groups ?? []);
  }
  const { logoutHosts } = services;
  const checked = checkClientMetadata(change, before.type, logoutHosts);
  const after = changedColumns(before, checked, { logoutHosts, now });
  const events = changeEvents(before, after);
  if (events.length === 0) return toClient(before);
  const client = await changeRow(tx, services, { before, change: after, events });
  if (after.groups !== before.groups) await endLostAccesses(tx, services, client, { now, random });
  return client;
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
  if (toClient(before).tokenEndpointAuthMethod !== "client_secret_basic") {
    throw new ProtocolError(
      "public_client",
      "Cannot create secret: this client does not authenticate by one",
    );
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
export async function removeRowsOfClient(
  tx: Db,
  authority: RowAuthority,
  kind: "authorization_grant" | "consent",
  clientId: string,
): Promise<number> {
  const rows = await listRows(tx, authority, kind, "ofClient", { client_id: clientId });
  for (const row of rows) await removeRow(tx, authority, kind, row);
  return rows.length;
}
