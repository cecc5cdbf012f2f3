import type { Policy } from "../../policy/policy.ts";
import { keyScopesOf } from "../scope.ts";
import type { LiveAccessToken } from "./access-token.ts";

/** What an application may do with keys now. */
export interface KeyRights {
  readonly keys: readonly string[];
  readonly actions: readonly ("read" | "sign")[];
  /** What it may sign; undefined for nothing. */
  readonly policy: Policy | undefined;
}

const ACTIONS = { "keys:read": "read", "keys:sign": "sign" } as const;

/**
 * What an access token gives of the person's keys: what was granted, no more than the token says, and of that what the
 * client is still registered for. A token that is bound to no key gives nothing where the client's must be.
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
