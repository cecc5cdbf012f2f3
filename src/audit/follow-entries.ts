import { hasReceivers, movePosition, readPosition, type ReceiverKind } from "../db/deliveries.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { type Deliveries, type DeliveryWorker, startDeliveryWorker } from "../lib/delivery-worker.ts";
import { SECOND } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { onAppended } from "./log.ts";
import { linkedEntries, type StoredEntry, verifiedEntry } from "./stored-entry.ts";

/** Entries per transaction. */
const BATCH = 100;

/**
 * Passes the next entries of the log that are `wanted` to `create`, in one transaction with the new position of that
 * kind of receivers. Returns true if there may be more entries. Leaves out an entry that is not authentic. Of several
 * processes, one gets an entry.
 */
export async function followEntries(
  db: Db,
  { vault, groupCommit }: { readonly vault: Vault; readonly groupCommit: GroupCommit },
  kind: ReceiverKind,
  isWanted: (event: string) => boolean,
  create: (tx: Db, entries: readonly StoredEntry[]) => Promise<void>,
): Promise<boolean> {
  const position = await readPosition(db, kind);
  const rows = await linkedEntries(db).where("audit_event.seq", ">", position).orderBy("audit_event.seq")
    .limit(BATCH).execute();
  if (rows.length === 0) return false;
  const entries = rows.filter(({ event }) => isWanted(event))
    .flatMap((row) => verifiedEntry(vault, row) ?? []);
  await groupCommit.run(async (tx) => {
    if (!await movePosition(tx, kind, position, Number(rows.at(-1)!.seq))) return;
    await create(tx, entries);
  }, { accountId: `position of ${kind}`, isLogged: false });
  return rows.length === BATCH;
}

/** Milliseconds between two looks at new entries, of which a busy service writes thousands in a second. */
const PAUSE = SECOND / 4;

/** Deliveries to receivers, created from the log while there is a receiver. */
export interface LogDeliveries<R> extends Deliveries<R> {
  readonly receivers: ReceiverKind;
  /** Creates deliveries from the next entries. Returns true if there may be more entries. */
  create(): Promise<boolean>;
}

/** Starts a worker that also looks for rows soon after this process appended entries. */
export function startLogWorker<R>(
  db: Db,
  { receivers, create, claim, ...deliveries }: LogDeliveries<R>,
): DeliveryWorker {
  const worker = startDeliveryWorker({
    ...deliveries,
    claim: async (limit, inFlight) => {
      do {
        if (!await hasReceivers(db, receivers)) return [];
      } while (await create());
      return await claim(limit, inFlight);
    },
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = onAppended(db, () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      worker.wake();
    }, PAUSE);
  });
  return {
    wake: worker.wake,
    stop: async () => {
      forget();
      clearTimeout(timer);
      await worker.stop();
    },
  };
}
