import { appendAudit } from "../../audit/log.ts";
import type { GroupCommit } from "../../db/group-commit.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "../../vault/authority.ts";
import { createRowAuthority } from "../../vault/row-authority.ts";
import type { Vault } from "../../vault/vault.ts";

/** Maximum of forged rows remembered, so that each is recorded once. */
const REMEMBERED_REJECTIONS = 10_000;

function subjectOf<K extends AuthorityKind>(kind: K, row: SealedRow<K>): string {
  const columns = row as Readonly<Record<string, unknown>>;
  return String(columns["id"] ?? columns["challenge"] ?? columns["workload"] ?? kind);
}

/** Creates an authority that logs a forged row each time and records it in the audit log once. */
export function createAuditingRowAuthority(
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
    // In its own transaction: the one that found the row is often rolled back.
    void groupCommit.run((tx) =>
      appendAudit(tx, vault, now(), { event: "row_rejected", accountId: null, subject, detail: { kind } })
    ).catch((error: unknown) => log("error", "audit_failed", { error: String(error) }));
  });
}
