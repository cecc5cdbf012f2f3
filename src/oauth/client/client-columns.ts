import type { AuditEvent } from "../../audit/event.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { AUTHENTICATION_METHODS, type Client, toClient } from "./client.ts";
import {
  checkAuthentication,
  checkKeyAccess,
  checkLogoutMetadata,
  type ClientChange,
} from "./client-metadata.ts";
import { isDocumentId } from "./document-url.ts";
import { claimScopesOf } from "../scope.ts";
import { groupColumn } from "./client-groups.ts";
import type { LogoutHosts } from "./logout-uri.ts";

export type ClientRow = Authentic<"client">;

export const NO_PREVIOUS_SECRET = { previous_secret_hash: null, previous_secret_expires_at: null } as const;

/** Returns the value of a column that is null for false. */
export function toFlag(value: boolean): 1 | null {
  return value ? 1 : null;
}

export function claimColumn(scopes: readonly string[]): string | null {
  const claimScopes = claimScopesOf(scopes.join(" "));
  return claimScopes.length === 0 ? null : claimScopes.join(" ");
}

/** Returns the columns for key access: null in both without key scopes. */
export function keyColumns(
  { keyScopes, dpopBoundAccessTokens }: Pick<Client, "keyScopes" | "dpopBoundAccessTokens">,
): Pick<ClientRow, "key_scopes" | "dpop_bound"> {
  if (keyScopes.length === 0) return { key_scopes: null, dpop_bound: null };
  return { key_scopes: keyScopes.join(" "), dpop_bound: Number(dpopBoundAccessTokens) };
}

/** Returns the columns for back-channel logout: null in both without a URI. */
export function logoutColumns(
  { backchannelLogoutUri: uri, backchannelLogoutSessionRequired: isRequired }: Pick<
    Client,
    "backchannelLogoutUri" | "backchannelLogoutSessionRequired"
  >,
): Pick<ClientRow, "backchannel_logout_uri" | "backchannel_logout_session"> {
  if (uri === undefined) return { backchannel_logout_uri: null, backchannel_logout_session: null };
  return { backchannel_logout_uri: uri, backchannel_logout_session: Number(isRequired) };
}

/** Returns the columns for client authentication: null in all for the default method of the type. */
export function authenticationColumns(
  { tokenEndpointAuthMethod: method, keys }: Pick<Client, "tokenEndpointAuthMethod" | "keys">,
  type: Client["type"],
): Pick<ClientRow, "auth_method" | "jwks" | "jwks_uri"> {
  return {
    auth_method: method === AUTHENTICATION_METHODS[type][0] ? null : method,
    jwks: keys?.jwks === undefined ? null : JSON.stringify(keys.jwks),
    jwks_uri: keys?.jwksUri ?? null,
  };
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
  "groups",
  "require_pushed",
  "device_grant",
  "declared",
  "auth_method",
  "jwks",
  "jwks_uri",
] as const;

type ChangedColumns =
  & Pick<ClientRow, (typeof METADATA)[number] | "disabled" | "updated_at">
  & Partial<Pick<ClientRow, "secret_hash" | keyof typeof NO_PREVIOUS_SECRET>>;

/** A change that also sets whether a file declares the client. */
export type AnyChange = ClientChange & { readonly declared?: boolean };

export function changedColumns(
  before: ClientRow,
  change: AnyChange,
  { logoutHosts, now }: { readonly logoutHosts: LogoutHosts; readonly now: Instant },
): ChangedColumns {
  if (isDocumentId(before.id)) return withDisabled(before, change, now);
  const authentication = checkAuthentication(change, before.type, { before: toClient(before), logoutHosts });
  const { redirectUris, postLogoutRedirectUris, scopes, groups, disabled, declared } = change;
  const { requirePushedAuthorizationRequests: requirePushed, deviceGrant } = change;
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
    ...authenticationColumns(authentication, before.type),
    // A client that authenticates by its keys has no secret.
    ...(authentication.keys === undefined ? {} : { secret_hash: null, ...NO_PREVIOUS_SECRET }),
    claim_scopes: scopes === undefined ? before.claim_scopes : claimColumn(scopes),
    groups: groups === undefined ? before.groups : groupColumn(groups),
    require_pushed: requirePushed === undefined ? before.require_pushed : toFlag(requirePushed),
    device_grant: deviceGrant === undefined ? before.device_grant : toFlag(deviceGrant),
    disabled: disabled === undefined ? before.disabled : Number(disabled),
    declared: declared === undefined ? before.declared : toFlag(declared),
    updated_at: now,
  };
}

/** Changes only whether the client is disabled: its own document describes the rest. */
function withDisabled(before: ClientRow, { disabled }: AnyChange, now: Instant): ChangedColumns {
  const same = Object.fromEntries(METADATA.map((column) => [column, before[column]]));
  return {
    ...same as Pick<ClientRow, (typeof METADATA)[number]>,
    disabled: disabled === undefined ? before.disabled : Number(disabled),
    updated_at: now,
  };
}

export function changeEvents(before: ClientRow, after: ChangedColumns): AuditEvent[] {
  const whose = { accountId: null, subject: before.id };
  const members = METADATA.filter((column) => after[column] !== before[column]).join(",");
  const events: AuditEvent[] = [];
  if (members !== "") events.push({ ...whose, event: "client_changed", detail: { members } });
  if (after.disabled !== before.disabled) {
    events.push({ ...whose, event: after.disabled === 1 ? "client_disabled" : "client_enabled", detail: {} });
  }
  return events;
}
