import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { RefusalError } from "../lib/error.ts";
import type { Clock } from "../lib/time.ts";
import type { RequestRateLimiter } from "../limits/rate-limit.ts";
import type { Vault } from "../vault/vault.ts";
import { holderOf, type Requester } from "./requester.ts";
import { type Denial, denialOf, recordRefusal } from "./signing-refusals.ts";

/** The work on a request to sign that is not charged yet. */
export interface Work {
  /** The parts beyond the first, about a millisecond each. */
  parts: number;
}

/**
 * Runs an attempt to sign, and charges its work to the `sign` limit unless it signs. A refusal takes one for each part.
 * A request that the owner must approve has taken one already. Charges in a transaction of its own, because a refusal
 * rolls back. Records a program's denial by a policy in the owner's activity. Throws `rate_limited` instead of a short
 * refusal if the limit is used up. Does not charge a requester whose rights ended, who has none of the account's limit.
 */
export async function chargeUnlessSigned<T>(
  { db, vault, groupCommit, limits }: {
    readonly db: Db;
    readonly vault: Vault;
    readonly groupCommit: GroupCommit;
    readonly limits: RequestRateLimiter;
  },
  { accountId, requester, clock }: {
    readonly accountId: string;
    readonly requester: Requester;
    readonly clock: Clock;
  },
  attempt: (work: Work) => Promise<T>,
): Promise<T> {
  const work: Work = { parts: 0 };
  const holder = holderOf(requester);
  const charge = async (count: number, denial?: Denial): Promise<void> => {
    if (count < 1) return;
    await groupCommit.run(async (tx) => {
      const now = clock();
      await limits.charge(tx, "sign", accountId, now, { count, holder });
      if (denial === undefined || requester.kind === "owner") return;
      await recordRefusal(tx, vault, { accountId, requester, denial, now });
    }, { accountId });
  };
  try {
    const result = await attempt(work);
    await charge(work.parts);
    return result;
  } catch (error) {
    if (!(error instanceof RefusalError) || error.problem === "authentication_required") throw error;
    const count = work.parts + (error.problem === "rate_limited" ? 0 : 1);
    if (count === 1) await limits.check(db, "sign", accountId, clock(), holder);
    await charge(count, denialOf(error));
    throw error;
  }
}
