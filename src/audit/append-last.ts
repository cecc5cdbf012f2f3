import { atCommit } from "../db/commit-hooks.ts";
import { recall, remember } from "../db/live-transaction.ts";
import { takePen } from "../db/port.ts";
import type { Db } from "../db/schema.ts";
import type { Vault } from "../vault/vault.ts";
import { appendAll } from "./append.ts";
import type { Recorded } from "./append.ts";
import { catchUp } from "./catch-up.ts";
import type { AuditHead } from "./stored-entry.ts";
import { refuseWhileStopped, see, watchOf } from "./watch.ts";

const LAST = Symbol("audit entries before the commit");

/** What a transaction is to record, the latest first: a chain, so that what is rolled back is dropped. */
interface Wanted {
  readonly recorded: Recorded;
  readonly before: Wanted | undefined;
}

/**
 * Has an entry appended as the last thing that a transaction with a scope does. Only then does it wait for the pen, of
 * which there is one for all processes: nobody waits for what it did before.
 */
export function appendLast(tx: Db, vault: Vault, recorded: Recorded): void {
  const before = recall<Wanted>(tx, LAST);
  remember(tx, LAST, { recorded, before } satisfies Wanted);
  if (before !== undefined) return;
  let last: AuditHead | undefined;
  atCommit(tx, LAST, {
    before: async () => void (last = await writeAll(tx, vault)),
    after: () => see(watchOf(tx), last!),
  });
}

async function writeAll(tx: Db, vault: Vault): Promise<AuditHead> {
  const all: Recorded[] = [];
  for (let each = recall<Wanted>(tx, LAST); each !== undefined; each = each.before) all.push(each.recorded);
  // The look goes to the database with the wait for the pen, and is done when that is over.
  const [, base] = await Promise.all([takePen(tx), catchUp(tx, vault)]);
  refuseWhileStopped(watchOf(tx));
  return await appendAll(tx, vault, { base, all: all.reverse() });
}
