import { attemptOf } from "../db/attempt.ts";
import { DatabaseError } from "../db/error.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { createRowMacs, type OnRejected } from "../vault/row-authority.ts";
import type { Clock } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { logStates } from "./log.ts";
import { logCut, watchOf } from "./log-head.ts";
import { catchUp } from "./read-tail.ts";

/** Callbacks that must not throw. */
export interface RowReports {
  readonly onRejected?: OnRejected;
  readonly onInconsistent?: (owner: string, kind: AuthorityKind) => void;
}

/** Creates the authority for rows: MACs by the vault, and the newest states by the audit log. */
export function createRowAuthority(
  vault: Vault,
  now: Clock,
  { onRejected = () => {}, onInconsistent = () => {} }: RowReports = {},
): RowAuthority {
  const authority: RowAuthority = {
    ...createRowMacs(vault, onRejected),
    reportInconsistent: (db, owner, kind) => {
      const { fault } = watchOf(db);
      if (fault !== undefined) return logCut(fault);
      // Another process may have changed the rows that an attempt has in memory. It then runs again.
      if (attemptOf(db)?.reliesOn === undefined) onInconsistent(owner, kind);
      return new DatabaseError("inconsistent", `Cannot use rows of ${owner}: those of ${kind} do not add up`);
    },
    followLog: async (db) => void await catchUp(db, vault),
    logStates: (tx) => logStates(tx, vault, { authority, now }),
  };
  return authority;
}
