import { requireSettled } from "../../accounts/recovery/recovery-state.ts";
import { FRESH_LIFETIME } from "../../accounts/session/fresh-session.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { DAY, HOUR, isRecent } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { listAllKeys } from "../../keys/key.ts";
import type { EthereumKey } from "../../keys/key.ts";
import { canonicalPolicy, parsePolicy } from "../../policy/canonical.ts";
import type { Policy } from "../../policy/policy.ts";
import { isWithin } from "../../policy/is-stricter-or-equal.ts";
import type { KeyGrant } from "../grant.ts";
import { keyScopesOf } from "../scope.ts";
import type { OAuthServices } from "../services.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { keepRules } from "./policy-rules.ts";

/** For how long an application can be let use keys; the last is what a grant has anyway. */
export const GRANT_LENGTHS = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  quarter: 90 * DAY,
} as const;

export type GrantLength = keyof typeof GRANT_LENGTHS;

/** Most keys that can be picked. */
const KEY_LIMIT = 100;

/** What a person is asked about keys. */
export interface KeyQuestion {
  /** Those that are not archived. */
  readonly keys: readonly EthereumKey[];
  readonly reads: boolean;
  /** What is to be signed; undefined where nothing is. */
  readonly policy: Policy | undefined;
}

/** What the person made of it. */
export interface KeyChoice {
  readonly keys: readonly string[];
  /** Ids of the rules that stay, as `ruleIdsOf` has them. */
  readonly rules: ReadonlySet<string>;
  readonly length: GrantLength;
}

/** Whether a request asks for anything of the person's keys. Then they are asked each time: they pick the keys. */
export function asksForKeys({ scope }: Pick<AuthorizationRequest, "scope">): boolean {
  return keyScopesOf(scope).length > 0;
}

/**
 * Whether a sign-in is too old for such a request. What lets a program use keys asks for a passkey, as making a token
 * does: a stolen cookie must not do it. Counted to the present: in a request that waits, any sign-in since would do.
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

/** What is to be asked about keys; undefined where nothing is. */
export async function keyQuestionOf(
  db: Db,
  services: Pick<OAuthServices, "authority">,
  request: AuthorizationRequest,
  accountId: string,
): Promise<KeyQuestion | undefined> {
  if (!asksForKeys(request)) return undefined;
  const { policy } = request;
  return {
    keys: await keysInUse(db, services, accountId),
    reads: keyScopesOf(request.scope).includes("keys:read"),
    policy: policy === undefined ? undefined : parsePolicy(policy),
  };
}

function refuse(message: string, requestId: string): never {
  throw new ProtocolError("invalid_request", message, {
    wayBack: { path: `/consent?request=${encodeURIComponent(requestId)}`, to: "consent" },
  });
}

/**
 * What is granted of what was asked: keys of the person's own that are not archived, and the rules that were left. Throws
 * `invalid_request`, with the way back, where no key was picked, and `recently_recovered`.
 */
export async function grantChoice(
  tx: Db,
  services: Pick<OAuthServices, "vault" | "authority">,
  { request, requestId, choice, accountId, now }: {
    request: AuthorizationRequest;
    requestId: string;
    choice: KeyChoice;
    accountId: string;
    now: Instant;
  },
): Promise<KeyGrant | undefined> {
  if (!asksForKeys(request)) return undefined;
  await requireSettled(tx, services, { accountId, now });
  const own = (await keysInUse(tx, services, accountId)).map(({ id }) => id);
  const keys = own.filter((id) => choice.keys.includes(id));
  if (keys.length === 0) refuse("Choose a key, or deny", requestId);
  if (keys.length > KEY_LIMIT) refuse(`Choose at most ${KEY_LIMIT} keys`, requestId);
  return {
    keys,
    policy: request.policy === undefined ? undefined : narrowed(request.policy, choice.rules),
    endsAt: now + GRANT_LENGTHS[choice.length],
  };
}

function narrowed(asked: string, rules: ReadonlySet<string>): string {
  const before = parsePolicy(asked);
  const after = keepRules(before, rules);
  // Leaving rules out only narrows. Whatever is granted is held against what was asked all the same.
  if (!isWithin(after, before)) throw new TypeError("Cannot grant: more than was asked for");
  return canonicalPolicy(after);
}
