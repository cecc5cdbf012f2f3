import { appendAudit } from "../../audit/log.ts";
import type { GroupCommit } from "../../db/group-commit.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "../../vault/authority.ts";
import { createRowAuthority } from "../../vault/row-authority.ts";
import type { Vault } from "../../vault/vault.ts";

/** The rows that were found not authentic are remembered up to this many, so that each is recorded once. */
const REMEMBERED_REJECTIONS = 10_000;

function subjectOf<K extends AuthorityKind>(kind: K, row: SealedRow<K>): string {
  const columns = row as Readonly<Record<string, unknown>>;
  return String(columns["id"] ?? columns["challenge"] ?? columns["workload"] ?? kind);
}

/** The vault's row MACs. A row that is not authentic is logged each time and recorded in the audit log once. */
export function createReportingAuthority(
  { vault, groupCommit, now, log }: {
    readonly vault: Vault;
    readonly groupCommit: GroupCommit;
    readonly now: Clock;
    readonly log: Log;
  },
): RowAuthority {
  const seen = new Set<string>();
  return createRowAuthority(vault, (kind, row) => {
    const subject = subjectOf(kind, row);
    log("error", "row_rejected", { kind, subject });
    if (seen.has(subject) || seen.size >= REMEMBERED_REJECTIONS) return;
    seen.add(subject);
    // Not in the transaction that found the row: that one is often rolled back by the refusal.
    void groupCommit.run((tx) =>
      appendAudit(tx, vault, now(), { event: "row_rejected", accountId: null, subject, detail: { kind } })
    ).catch((error: unknown) => log("error", "audit_failed", { error: String(error) }));
  });
}
