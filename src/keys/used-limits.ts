import type { Db } from "../db/schema/schema.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { countsOf, findPolicyUse } from "../limits/policy-counters.ts";
import { countsAnything } from "../policy/counts.ts";
import type { Policy } from "../policy/policy.ts";
import { describeUsage, type UsedLimit } from "../policy/usage.ts";
import type { RowAuthority } from "../vault/authority.ts";

/**
 * Returns what a token or grant has used up of its policy. Returns nothing if the policy counts nothing, or the counts
 * are missing: every counted signature is refused then.
 */
export async function listUsedLimits(
  db: Db,
  authority: RowAuthority,
  { holderId, policy, now, language }: {
    readonly holderId: string;
    readonly policy: Policy | null | undefined;
    readonly now: Instant;
    readonly language: Language;
  },
): Promise<readonly UsedLimit[]> {
  if (policy === null || policy === undefined || !countsAnything(policy)) return [];
  const use = await findPolicyUse(db, authority, holderId);
  return use === undefined ? [] : describeUsage(policy, { counts: countsOf(use), now }, language);
}
