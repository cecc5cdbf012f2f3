import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { ReadCollateral } from "../tee/quote/collateral.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { AllowList } from "./allow-list.ts";

export interface BrokerServices {
  readonly db: Db;
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly random: RandomBytes;
  readonly log: Log;
  /** Reads the current file: an edit applies to the next request. Rejects if it cannot be read. */
  readonly readAllowList: () => Promise<AllowList>;
  readonly readCollateral: ReadCollateral;
}
