import type { Account } from "../../accounts/account.ts";
import { type ApiToken, mayUse, type TokenAction } from "../../accounts/token/api-token.ts";
import type { EthereumKey } from "../../keys/key.ts";
import type { ProofUse, Requester } from "../../keys/requester.ts";
import { ProtocolError } from "../../lib/error.ts";
import { challengeOf, challengesOf, type SentToken } from "../../oauth/dpop/resource-token.ts";
import { KEY_SCOPES } from "../../oauth/scope.ts";
import type { ResourceUse } from "../../oauth/resource.ts";
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
  readonly use: ResourceUse;
}

/** The context of an operation that an endpoint runs for a program which it has admitted itself. */
export interface ProgramContext extends RequestContext {
  readonly program: {
    readonly user: KeyUser;
    /** The program's own claim why it asks for a signature. */
    readonly purpose: string | undefined;
  };
}

/** Returns the program that an endpoint has admitted, in place of the credentials of the request. */
export function programOf(context: RequestContext): ProgramContext["program"] | undefined {
  return (context as Partial<ProgramContext>).program;
}

/** The OAuth scope that permits an action. No application may create keys. */
export const SCOPE_OF = { read: "keys:read", sign: "keys:sign", create: "" } as const satisfies Record<
  TokenAction,
  string
>;

/** Returns the error for any invalid token or disallowed network (RFC 6750 section 3.1). Does not say which. */
export function invalidToken(scheme: SentToken["scheme"], use: ResourceUse): ProtocolError {
  const message = "Cannot use this token: unknown, expired, revoked or not allowed from this network";
  return new ProtocolError("authentication_required", message, {
    headers: { "WWW-Authenticate": challengeOf(scheme, use, { error: "invalid_token" }) },
  });
}

/** Returns the error for a request without any credential. */
export function authenticationRequired(use: ResourceUse): ProtocolError {
  return new ProtocolError("authentication_required", "Sign in first, or send a token", {
    headers: { "WWW-Authenticate": challengesOf(use) },
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

/**
 * Throws `insufficient_scope` unless the requester may perform the action with some key. The challenge names the scopes
 * of the token too, so that a client that asks again keeps them.
 */
export function requireAction({ requester, use }: KeyUser, action: TokenAction): void {
  if (isAllowed(requester, action)) return;
  const { jkt, actions = [] } = permissionsOf(requester) ?? {};
  const wanted: readonly string[] = [
    ...[...actions, action].map((each) => SCOPE_OF[each]),
    ...use.scope.split(" "),
  ];
  const scope = KEY_SCOPES.filter((each) => wanted.includes(each)).join(" ");
  const scheme = jkt === undefined ? "Bearer" : "DPoP";
  throw new ProtocolError("insufficient_scope", `This token may not ${action}`, {
    headers: { "WWW-Authenticate": challengeOf(scheme, { ...use, scope }, { error: "insufficient_scope" }) },
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
