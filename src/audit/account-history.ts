import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails, AuditEventName } from "./event.ts";
import type { StoredEntry } from "./stored-entry.ts";
import { verifyAudit } from "./verify.ts";

/** An entry of the verified log. */
export type HistoryEntry<E extends AuditEventName> = {
  readonly [N in E]: {
    readonly event: N;
    readonly at: Instant;
    readonly subject: string | null;
    readonly detail: AuditDetails[N];
  };
}[E];

/**
 * Reads the whole log and returns the entries of these events, oldest first; with `accountId` those of one account.
 * Returns undefined if the log has a fault, or a broken part that an operator accepted: its entries are not known.
 */
export async function readHistory<E extends AuditEventName>(
  db: Db,
  vault: Vault,
  { accountId, events, onPage }: {
    readonly accountId?: string;
    readonly events: readonly E[];
    readonly onPage: (entries: number) => void;
  },
): Promise<readonly HistoryEntry<E>[] | undefined> {
  const history: HistoryEntry<E>[] = [];
  const onEntry = (_head: unknown, { event, account_id, at, subject, detail }: StoredEntry): void => {
    if ((accountId !== undefined && account_id !== accountId) || !events.includes(event as E)) return;
    history.push({ event, at: Number(at), subject, detail: JSON.parse(detail) } as HistoryEntry<E>);
  };
  const { fault, acceptedBreaks } = await verifyAudit(db, vault, { onEntry, onPage });
  return fault === undefined && acceptedBreaks.length === 0 ? history : undefined;
}

/** Returns the subjects of `added` that no later `removed` names. */
export function lastingIds<E extends string>(
  history: readonly { readonly event: E; readonly subject: string | null }[],
  added: NoInfer<E>,
  removed?: NoInfer<E>,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { event, subject } of history) {
    if (event === added) ids.add(subject!);
    else if (event === removed) ids.delete(subject!);
  }
  return ids;
}
