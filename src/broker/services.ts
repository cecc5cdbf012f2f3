import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { Collateral } from "../tee/quote/collateral.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { AllowList } from "./allow-list.ts";

/** What the release broker stands on. */
export interface BrokerServices {
  readonly db: Db;
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly random: RandomBytes;
  readonly log: Log;
  /** As it is now: an edit counts for the next request. Rejects where it cannot be read. */
  readonly readAllowList: () => Promise<AllowList>;
  /** As it is now, for the platform that a quote says it is of. Rejects where it cannot be had. */
  readonly readCollateral: (quote: Uint8Array) => Promise<Collateral>;
}
