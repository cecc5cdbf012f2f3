import type { AuditEvent } from "../../audit/event.ts";
import { appendAudit } from "../../audit/log.ts";
import { createRowAuthority } from "../../audit/row-authority.ts";
import type { GroupCommit } from "../../db/group-commit.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";

/** Maximum of faults remembered, so that each is recorded once. */
const REMEMBERED_REJECTIONS = 10_000;

function subjectOf<K extends AuthorityKind>(kind: K, row: SealedRow<K>): string {
  const columns = row as Readonly<Record<string, unknown>>;
  return String(columns["id"] ?? columns["challenge"] ?? columns["workload"] ?? kind);
}

/** Creates an authority that logs a forged row, and rows that do not add up, each time and records it once. */
export function createAuditingRowAuthority(
  { vault, groupCommit, now, log }: {
    readonly vault: Vault;
    readonly groupCommit: GroupCommit;
    readonly now: Clock;
    readonly log: Log;
  },
): RowAuthority {
  const seen = new Set<string>();
  /** Records an event once, in its own transaction: the one that found the fault is often rolled back. */
  function recordOnce(name: string, event: AuditEvent): void {
    if (seen.has(name) || seen.size >= REMEMBERED_REJECTIONS) return;
    seen.add(name);
    void groupCommit.run((tx) => appendAudit(tx, vault, now(), event))
      .catch((error: unknown) => log("error", "audit_failed", { error: String(error) }));
  }
  return createRowAuthority(vault, now, {
    onRejected: (kind, row) => {
      const subject = subjectOf(kind, row);
      log("error", "row_rejected", { kind, subject });
      recordOnce(subject, { event: "row_rejected", accountId: null, subject, detail: { kind } });
    },
    onInconsistent: (owner, kind) => {
      log("error", "inconsistent_store", { owner, kind });
      recordOnce(`${owner} ${kind}`, {
        event: "rows_inconsistent",
        accountId: null,
        subject: owner,
        detail: { kind },
      });
    },
  });
}
