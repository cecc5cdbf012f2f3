import type { Account } from "../../accounts/account.ts";
import { type ApiToken, mayUse, type TokenAction } from "../../accounts/token/api-token.ts";
import type { EthereumKey } from "../../keys/key.ts";
import type { ProofUse, Requester } from "../../keys/requester.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DPOP_CHALLENGE, type SentToken } from "../../oauth/dpop/resource-token.ts";
import type { RequestContext } from "../request-context.ts";

/** The permissions of a token or grant. */
interface Permissions {
  readonly name: string;
  readonly keys: "all" | readonly string[];
  readonly actions: readonly TokenAction[];
  readonly jkt: string | undefined;
}

/** The owner in a browser, who may do everything, a program with an API token, or an application by consent. */
export type KeyRequester =
  | Extract<Requester, { readonly kind: "owner" }>
  | { readonly kind: "token"; readonly token: ApiToken } & Required<ProofUse>
  | Extract<Requester, { readonly kind: "application" }> & Permissions & Required<ProofUse> & {
    /** The host of the application's registered home page. */
    readonly site: string;
  };

export interface KeyUser {
  readonly account: Account;
  readonly requester: KeyRequester;
}

type Scheme = SentToken["scheme"];

/** Returns the header that names the scheme to use and the error (RFC 6750 section 3, RFC 9449 section 7.1). */
function challenge(scheme: Scheme, error: string): Readonly<Record<string, string>> {
  const own = scheme === "DPoP" ? DPOP_CHALLENGE : 'Bearer realm="keys"';
  return { "WWW-Authenticate": `${own}, error="${error}"` };
}

/** Returns the error for any invalid token or disallowed network (RFC 6750 section 3.1). Does not say which. */
export function invalidToken(scheme: Scheme): ProtocolError {
  const message = "Cannot use this token: unknown, expired, revoked or not allowed from this network";
  return new ProtocolError("authentication_required", message, {
    headers: challenge(scheme, "invalid_token"),
  });
}

/** Returns the error for a request without any credential. */
export function authenticationRequired(): ProtocolError {
  return new ProtocolError("authentication_required", "Sign in first, or send a token", {
    headers: { "WWW-Authenticate": `Bearer realm="keys", ${DPOP_CHALLENGE}` },
  });
}

function permissionsOf(requester: KeyRequester): Permissions | undefined {
  switch (requester.kind) {
    case "owner":
      return undefined;
    case "token":
      return requester.token;
    case "application":
      return requester;
  }
}

/** Returns true if the requester may perform an action, with this key if one is given. */
export function isAllowed(requester: KeyRequester, action: TokenAction, keyId?: string): boolean {
  const permissions = permissionsOf(requester);
  return permissions === undefined || mayUse(permissions, action, keyId);
}

/** Returns the requester's name as the owner knows it; undefined for the owner. */
export function requesterNameOf(requester: KeyRequester): string | undefined {
  return permissionsOf(requester)?.name;
}

/** Throws `insufficient_scope` unless the requester may perform the action with some key. */
export function requireAction({ requester }: KeyUser, action: TokenAction): void {
  if (isAllowed(requester, action)) return;
  const scheme = permissionsOf(requester)?.jkt === undefined ? "Bearer" : "DPoP";
  throw new ProtocolError("insufficient_scope", `This token may not ${action}`, {
    headers: challenge(scheme, "insufficient_scope"),
  });
}

/** Returns the ids of the keys that the requester may use now. */
export function keysOf(requester: KeyRequester): "all" | readonly string[] {
  return permissionsOf(requester)?.keys ?? "all";
}

/** Throws `not_found` for no key, and for one that the requester may not use. */
export function requireKey<K extends { readonly id: string }>({ requester }: KeyUser, key: K | undefined): K {
  const keys = keysOf(requester);
  if (key !== undefined && (keys === "all" || keys.includes(key.id))) return key;
  throw new ProtocolError("not_found", "There is no such key");
}

/** Returns the key id of the path and its account. Throws `not_found` for a key outside the token. */
export function keyOf(context: RequestContext, user: KeyUser): { accountId: string; keyId: string } {
  const keyId = context.params.keyId!;
  requireKey(user, { id: keyId });
  return { accountId: user.account.id, keyId };
}

export function visibleTo({ requester }: KeyUser, keys: readonly EthereumKey[]): readonly EthereumKey[] {
  return keys.filter(({ id }) => isAllowed(requester, "read", id));
}
