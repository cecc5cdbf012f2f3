import type { Policy } from "../../policy/policy.ts";
import { keyScopesOf } from "../scope.ts";
import type { LiveAccessToken } from "./access-token.ts";

export interface KeyRights {
  readonly keys: readonly string[];
  readonly actions: readonly ("read" | "sign")[];
  /** The policy for signatures. Undefined if the client may not sign. */
  readonly policy: Policy | undefined;
}

const ACTIONS = { "keys:read": "read", "keys:sign": "sign" } as const;

/**
 * Returns the key permissions of an access token: the grant, narrowed by the token and by the client's current
 * registration. Returns none for an unbound token if the client's tokens must be bound.
 */
export function keyRightsOf(
  { grant, client, scope, detail, jkt }: Pick<
    LiveAccessToken,
    "grant" | "client" | "scope" | "detail" | "jkt"
  >,
): KeyRights {
  if (grant.keys === null || (jkt === undefined && client.dpopBoundAccessTokens)) {
    return { keys: [], actions: [], policy: undefined };
  }
  const scopes = keyScopesOf(scope).filter((one) => client.keyScopes.includes(one));
  const signs = scopes.includes("keys:sign");
  return {
    keys: detail?.keys ?? JSON.parse(grant.keys) as string[],
    actions: scopes.map((one) => ACTIONS[one]),
    policy: signs ? detail?.policy : undefined,
  };
}
