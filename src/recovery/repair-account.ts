import { COOLDOWN, observedAtCooldownEnd, usualColumns } from "../accounts/recovery/recovery-settings.ts";
import { type HistoryEntry, lastingIds, readHistory } from "../audit/account-history.ts";
import { appendAudit } from "../audit/log.ts";
import { createRowAuthority } from "../audit/row-authority.ts";
import { verifyOwner } from "../audit/verify-states.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { storedPolicy } from "../keys/key-policy.ts";
import { defaultLabel } from "../keys/label.ts";
import { toPolicyColumns } from "../keys/policy-state.ts";
import { USUAL_LANGUAGE } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { usedUpPolicyUse } from "../limits/policy-counters.ts";
import type { RawRow } from "../store/lookups.ts";
import { stateTagsOf } from "../store/state/state-tags.ts";
import { isOfAccount, kindsOf } from "../store/state/kinds.ts";
import { readStoredRows, rebuildState, type StoredRows } from "../store/state/rebuild-state.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { Vault } from "../vault/vault.ts";

/** `unknown`: the log knows no such owner. `sound`: its rows add up. `log_fault`: a part of the log is not known. */
export type RepairRefusal = "unknown" | "sound" | "log_fault";

export interface RepairedKind extends StoredRows {
  readonly kind: AuthorityKind;
  readonly addsUp: boolean;
  /** The ids that the log knows; undefined if it does not name rows of this kind. */
  readonly known: ReadonlySet<string> | undefined;
  /** The rows after the repair. */
  readonly kept: readonly RawRow[];
}

export interface Repair {
  readonly kinds: readonly RepairedKind[];
  readonly keepsAddress: boolean;
  readonly isDisabled: boolean;
}

export interface RepairRequest {
  readonly accountId: string;
  readonly now: Instant;
  /** True to write nothing. */
  readonly isDry: boolean;
  /** Called with the number of log entries that were read. */
  readonly onPage: (entries: number) => void;
}

const EVENTS = [
  "account_created",
  "account_disabled",
  "account_enabled",
  "identity_linked",
  "identity_unlinked",
  "key_archived",
  "key_generated",
  "key_policy_changed",
  "key_unarchived",
  "passkey_added",
  "passkey_removed",
  "recovery_changed",
] as const;

type History = readonly HistoryEntry<(typeof EVENTS)[number]>[];

/**
 * Gives an account whose rows do not add up a new state. Ends everything that grants access except passkeys, and leaves
 * each key at the strictest settings that the log knows. `db` must be the outer handle, and no service may run.
 */
export async function repairAccount(
  db: Db,
  vault: Vault,
  request: RepairRequest,
): Promise<Repair | RepairRefusal> {
  const { accountId, now, isDry } = request;
  const job = async (tx: Db): Promise<Repair | RepairRefusal> => {
    const faulty = new Set<AuthorityKind>();
    const authority = createRowAuthority(vault, () => now, {
      onInconsistent: (_owner, kind) => void faulty.add(kind),
    });
    const history = await readHistory(tx, vault, { ...request, events: EVENTS });
    if (history === undefined) return "log_fault";
    await authority.followLog(tx);
    const isKnown = isOfAccount(accountId) && stateTagsOf(tx).table.find(accountId) !== undefined;
    if (!isKnown) return "unknown";
    await verifyOwner(tx, authority, accountId);
    if (faulty.size === 0) return "sound";
    const stored = new Map<AuthorityKind, StoredRows>();
    for (const kind of kindsOf(accountId)) {
      stored.set(kind, await readStoredRows(tx, authority, kind, accountId));
    }
    const repair = planRepair(vault, request, { history, stored, faulty });
    if (isDry) return repair;
    const rows = new Map(repair.kinds.map(({ kind, kept }) => [kind, kept]));
    await rebuildState(tx, authority, { owner: accountId, now }, rows);
    await appendAudit(tx, vault, now, {
      event: "account_repaired",
      accountId,
      subject: null,
      detail: {
        keepsAddress: repair.keepsAddress,
        keys: rows.get("ethereum_key")!.length,
        passkeys: rows.get("passkey")!.length,
      },
    });
    return repair;
  };
  return isDry ? await job(db) : await transaction(db, job);
}

function planRepair(
  vault: Vault,
  { accountId, now }: RepairRequest,
  { history, stored, faulty }: {
    readonly history: History;
    readonly stored: ReadonlyMap<AuthorityKind, StoredRows>;
    readonly faulty: ReadonlySet<AuthorityKind>;
  },
): Repair {
  const rowsOf = (kind: AuthorityKind): readonly RawRow[] => stored.get(kind)!.authentic;
  const known = new Map<AuthorityKind, ReadonlySet<string>>([
    ["ethereum_key", lastingIds(history, "key_generated")],
    ["identity", lastingIds(history, "identity_linked", "identity_unlinked")],
    ["passkey", lastingIds(history, "passkey_added", "passkey_removed")],
  ]);
  const knownRowsOf = (kind: AuthorityKind): readonly RawRow[] =>
    rowsOf(kind).filter(({ id }) => known.get(kind)!.has(id as string));
  // An older or foreign row may have another person's address, whose mailbox could recover the account.
  const keepsAddress = !faulty.has("account") && !faulty.has("email_change");
  const change = history.findLast(({ event }) => event === "account_disabled" || event === "account_enabled");
  const isDisabled = change?.event === "account_disabled";
  const made = history.find(({ event }) => event === "account_created");
  const account: RawRow = rowsOf("account")[0] ??
    { id: accountId, language: USUAL_LANGUAGE, created_at: made?.at ?? now };
  const keys = keyRows(vault, history, accountId, rowsOf("ethereum_key"));
  const uses = faulty.has("policy_use") ? [] : rowsOf("policy_use");
  const kept = new Map<AuthorityKind, readonly RawRow[]>([
    ["account", [{
      ...account,
      ...(keepsAddress ? {} : { email: null, email_proved_by: null, name: null, updated_at: now }),
      disabled_at: isDisabled ? account["disabled_at"] ?? change.at : null,
      revision: nextRevision(account["revision"]),
    }]],
    ["account_recovery", [recoveryRow(history, accountId, now)]],
    ["email_change", keepsAddress ? rowsOf("email_change") : []],
    ["ethereum_key", keys],
    ["identity", knownRowsOf("identity")],
    ["passkey", knownRowsOf("passkey")],
    ["policy_use", keys.flatMap((key) => useRows(key, uses, now))],
  ]);
  const kinds = [...stored].map(([kind, rows]): RepairedKind => (
    { kind, ...rows, addsUp: !faulty.has(kind), known: known.get(kind), kept: kept.get(kind) ?? [] }
  ));
  return { kinds, keepsAddress, isDisabled };
}

function nextRevision(...revisions: readonly unknown[]): number {
  return Math.max(...revisions.map((revision) => Number(revision ?? 0))) + 1;
}

/** Returns settings without codes and without a pending recovery, in the cooldown. */
function recoveryRow(history: History, accountId: string, now: Instant): RawRow {
  const known = history.findLast((entry) => entry.event === "recovery_changed")?.detail;
  const usual = usualColumns(accountId);
  const cooldown_ends_at = now + COOLDOWN;
  return {
    ...usual,
    revision: nextRevision(known?.revision),
    delay_hours: known?.delayHours ?? usual.delay_hours,
    email_alone: known?.emailAlone === true ? 1 : 0,
    cooldown_ends_at,
    observed_at_cooldown_end: observedAtCooldownEnd(usual.observed_ms),
    next_check_at: cooldown_ends_at,
  };
}

/** Returns every key that the log knows: no blind signing, its newest policy, and no pending looser one. */
function keyRows(
  vault: Vault,
  history: History,
  accountId: string,
  stored: readonly RawRow[],
): readonly RawRow[] {
  const storedById = new Map(stored.map((row) => [row["id"], row]));
  const archived = lastingIds(history, "key_archived", "key_unarchived");
  const policies = new Map(
    history.filter((entry) => entry.event === "key_policy_changed")
      .map(({ detail }) => [detail.keyIndex, detail]),
  );
  const made = history.filter((entry) => entry.event === "key_generated");
  return made.map(({ at, subject, detail: { keyIndex } }) => {
    const { publicKey, address } = vault.ethereumPublicKey(accountId, keyIndex);
    const row = storedById.get(subject);
    const known = policies.get(keyIndex);
    const isArchived = archived.has(subject!);
    return {
      id: subject!,
      account_id: accountId,
      key_index: keyIndex,
      address,
      public_key: publicKey,
      label: row?.["label"] ?? defaultLabel(keyIndex),
      blind_signing: "deny",
      created_at: at,
      archived_at: isArchived ? row?.["archived_at"] ?? at : null,
      revision: nextRevision(row?.["revision"], known?.revision),
      ...toPolicyColumns({ policy: known?.policy ?? null, change: null }),
    };
  });
}

/** Returns the counts of a key with a policy. Those that are not known count as used up. */
function useRows(key: RawRow, uses: readonly RawRow[], now: Instant): readonly RawRow[] {
  const policy = storedPolicy(key["policy"] as string | null);
  if (policy === null) return [];
  const [holderId, accountId] = [String(key["id"]), String(key["account_id"])];
  const use = uses.find(({ holder_id }) => holder_id === holderId);
  return [use ?? { ...usedUpPolicyUse({ holderId, accountId, expiresAt: null }, policy, now) }];
}
