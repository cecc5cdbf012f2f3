import { requireNoCooldown } from "../../accounts/recovery/recovery-state.ts";
import { FRESH_LIFETIME } from "../../accounts/session/fresh-session.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DAY, HOUR, type Instant, isRecent } from "../../lib/time.ts";
import { type EthereumKey, listAllKeys } from "../../keys/key.ts";
import { canonicalPolicy, parsePolicy } from "../../policy/canonical.ts";
import type { Policy } from "../../policy/policy.ts";
import { isStricterOrEqual } from "../../policy/is-stricter-or-equal.ts";
import { requestedClaims } from "../claims.ts";
import type { Client } from "../client/client.ts";
import { type KeyGrant, listKeyGrants, replaceKeyGrants } from "../grant.ts";
import { keyScopesOf } from "../scope.ts";
import type { OAuthServices } from "../services.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { keepRules } from "../../policy/describe-rules.ts";

/** The durations of a key grant. The last is the maximum lifetime of a grant. */
export const GRANT_LENGTHS = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  quarter: 90 * DAY,
} as const;

export type GrantLength = keyof typeof GRANT_LENGTHS;

const KEY_LIMIT = 100;

/** The keys and the policy that the consent page offers. */
export interface KeyOptions {
  /** The keys that are not archived. */
  readonly keys: readonly EthereumKey[];
  readonly reads: boolean;
  /** True if the client sees the addresses of the chosen keys in a claim. */
  readonly wallets: boolean;
  readonly policy: Policy | undefined;
  /** True if the client may sign and named no policy, so that the owner picks one. */
  readonly picks: boolean;
  /** True if the client has rights on keys from earlier, which these would be added to. */
  readonly hasRights: boolean;
}

export interface KeyChoice {
  readonly keys: readonly string[];
  /** Ids of the rules to keep, as in `ruleIdsOf`. */
  readonly rules: ReadonlySet<string>;
  readonly length: GrantLength;
  /** The policy that the owner picked, for a request that names none. */
  readonly picked: () => Policy;
  /** True to end the rights on keys that the client has from earlier. */
  readonly replaces: boolean;
}

/** Returns true if a request involves keys. The user then selects them each time. */
export function asksForKeys({ scope }: Pick<AuthorizationRequest, "scope">): boolean {
  return keyScopesOf(scope).length > 0;
}

/** Returns true if the client may sign and named no policy, so that the owner picks one. */
function picksPolicy({ scope, policy }: Pick<AuthorizationRequest, "scope" | "policy">): boolean {
  return policy === undefined && keyScopesOf(scope).includes("keys:sign");
}

function asksForWallets(request: Pick<AuthorizationRequest, "scope" | "claims">): boolean {
  return requestedClaims(request).includes("wallets");
}

/**
 * Returns true if a sign-in is too old for a request that involves keys. A stolen cookie must not suffice, as for
 * creating a token. Measures against the current time: a pending request would accept any later sign-in.
 */
export function isStaleForKeys(
  request: Pick<AuthorizationRequest, "scope">,
  authenticatedAt: Instant,
  now: Instant,
): boolean {
  return asksForKeys(request) && !isRecent(authenticatedAt, now, FRESH_LIFETIME);
}

async function keysInUse(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  accountId: string,
): Promise<EthereumKey[]> {
  return (await listAllKeys(db, authority, accountId)).filter(({ archivedAt }) => archivedAt === null);
}

/** Returns undefined if the request neither involves keys nor shows their addresses. */
export async function getKeyOptions(
  db: Db,
  services: Pick<OAuthServices, "authority">,
  request: RequestedKeys,
  of: { readonly accountId: string; readonly client: Client; readonly now: Instant },
): Promise<KeyOptions | undefined> {
  const wallets = asksForWallets(request);
  if (!asksForKeys(request) && !wallets) return undefined;
  const { policy } = request;
  return {
    keys: await keysInUse(db, services, of.accountId),
    reads: keyScopesOf(request.scope).includes("keys:read"),
    wallets,
    policy: policy === undefined ? undefined : parsePolicy(policy),
    picks: picksPolicy(request),
    hasRights: asksForKeys(request) && (await listKeyGrants(db, services.authority, of)).length > 0,
  };
}

function refuse(message: string, requestId: string | undefined): never {
  throw new ProtocolError(
    "invalid_request",
    message,
    requestId === undefined
      ? {}
      : { returnLink: { path: `/consent?request=${encodeURIComponent(requestId)}`, to: "consent" } },
  );
}

/** The parts of a request that say what it asks of keys. */
export type RequestedKeys = Pick<AuthorizationRequest, "scope" | "claims" | "policy">;

/**
 * Returns the keys and rules to grant: the user's own keys that are not archived, and the rules that remain. Ends
 * earlier grants of keys to the client if the user replaces them. Throws `recently_recovered`. Throws
 * `invalid_request`, with a return link, if no key was selected.
 */
export async function grantChoice(
  tx: Db,
  services: Pick<OAuthServices, "vault" | "authority">,
  { request, requestId, choice, accountId, client, now }: {
    request: RequestedKeys;
    /** The pending request of a page. */
    requestId: string | undefined;
    choice: KeyChoice;
    accountId: string;
    client: Client;
    now: Instant;
  },
): Promise<KeyGrant | undefined> {
  if (!asksForKeys(request)) return undefined;
  await requireNoCooldown(tx, services, { accountId, now });
  const own = (await keysInUse(tx, services, accountId)).map(({ id }) => id);
  const keys = own.filter((id) => choice.keys.includes(id));
  if (keys.length === 0) refuse("Choose a key, or deny", requestId);
  if (keys.length > KEY_LIMIT) refuse(`Choose at most ${KEY_LIMIT} keys`, requestId);
  if (choice.replaces) await replaceKeyGrants(tx, services, { accountId, client, now });
  return {
    keys,
    policy: picksPolicy(request)
      ? canonicalPolicy(choice.picked())
      : request.policy && narrowed(request.policy, choice.rules),
    endsAt: now + GRANT_LENGTHS[choice.length],
  };
}

/**
 * Returns the ids of the selected keys whose addresses the client sees, none if the user selected none. Returns
 * undefined if it did not ask. Gives no right on the keys.
 */
export async function chooseWallets(
  tx: Db,
  services: Pick<OAuthServices, "authority">,
  { request, requestId, choice, accountId }: {
    request: RequestedKeys;
    requestId: string | undefined;
    choice: KeyChoice;
    accountId: string;
  },
): Promise<readonly string[] | undefined> {
  if (!asksForWallets(request)) return undefined;
  const own = (await keysInUse(tx, services, accountId)).map(({ id }) => id);
  const wallets = own.filter((id) => choice.keys.includes(id));
  if (wallets.length > KEY_LIMIT) refuse(`Choose at most ${KEY_LIMIT} keys`, requestId);
  return wallets;
}

function narrowed(requestedDetails: string, rules: ReadonlySet<string>): string {
  const before = parsePolicy(requestedDetails);
  const after = keepRules(before, rules);
  // Removing rules can only narrow a policy. The check guards against a mistake in `keepRules`.
  if (!isStricterOrEqual(after, before)) throw new TypeError("Cannot grant: more than was requested");
  return canonicalPolicy(after);
}
