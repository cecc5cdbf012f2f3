import { usedUpCodes } from "../accounts/email/code-use.ts";
import { lastingIds, readHistory } from "../audit/account-history.ts";
import { appendAudit } from "../audit/log.ts";
import { createRowAuthority } from "../audit/row-authority.ts";
import { verifyOwner } from "../audit/verify-states.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import { removeRowsOfClient } from "../oauth/client/client-administration.ts";
import type { RawRow } from "../store/lookups.ts";
import { idOf, isFormerSet, kindsOf, SERVICE, type ServiceKind } from "../store/state/kinds.ts";
import { readStoredRows, rebuildState, type StoredRows } from "../store/state/rebuild-state.ts";
import { requireRows } from "../store/state/row-sets.ts";
import { isKnownOwner } from "../store/state/unnamed-states.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { RepairedKind, RepairRefusal, RepairRequest } from "./repair-account.ts";

export interface ServiceRepair {
  readonly kinds: readonly RepairedKind[];
  /** The kinds that a repair cannot decide about. If there is one, nothing is changed. */
  readonly refused: readonly ServiceKind[];
}

/**
 * The result for the rows of a kind that does not add up. The log has no copy of a row, so an older one cannot be told
 * from the newest. `disabled`: one that the log knows stays, disabled, because rows of accounts refer to it. `used_up`:
 * all codes of the address count as used, and its tries of a day too. `refused`: an older row would open the seed, give
 * a workload another key, or make another account an administrator.
 */
export const SERVICE_REPAIRS = {
  client: "disabled",
  code_use: "used_up",
  token_key: "removed",
  invitation: "removed",
  admin_session: "removed",
  release_key: "refused",
  seal_set: "refused",
  webhook: "removed",
  user_group: "removed",
  administrator_address: "refused",
} as const satisfies Readonly<Record<ServiceKind, "disabled" | "used_up" | "removed" | "refused">>;

/** The events that add and remove rows. Rows of the other kinds also end without an entry. */
const ADDED = { client: "client_registered", user_group: "group_created" } as const;
const REMOVED = { client: "client_deleted", user_group: "group_deleted" } as const;

type KnownIds = ReadonlyMap<AuthorityKind, ReadonlySet<string>>;

export type ServiceRepairRequest = Omit<RepairRequest, "accountId"> & {
  /** The service, a client or an address. */
  readonly owner: string;
};

/**
 * Gives an owner that is no account a new state if its rows do not add up. Keeps the kinds that add up, and ends the
 * others as `SERVICE_REPAIRS` says, with all grants and consents of a client that is missing. Throws `DatabaseError`
 * `inconsistent` if an account with such a grant does not add up. `db` must be the outer handle, and no service may
 * run.
 */
export async function repairService(
  db: Db,
  vault: Vault,
  { owner, now, isDry, onPage }: ServiceRepairRequest,
): Promise<ServiceRepair | RepairRefusal> {
  const job = async (tx: Db): Promise<ServiceRepair | RepairRefusal> => {
    const faulty = new Set<AuthorityKind>();
    const authority = createRowAuthority(vault, () => now, {
      onInconsistent: (of, kind) => of === owner && void faulty.add(kind),
    });
    const known = await readKnownIds(tx, vault, { owner, onPage });
    if (known === undefined) return "log_fault";
    await authority.followLog(tx);
    if (!await isKnownOwner(tx, owner)) return "unknown";
    await verifyOwner(tx, authority, owner);
    if (faulty.size === 0) return "sound";
    const kinds: RepairedKind[] = [];
    for (const kind of kindsOf(owner) as readonly ServiceKind[]) {
      const addsUp = !faulty.has(kind);
      if (addsUp && isFormerSet(owner, kind) && (await requireRows(tx, authority, kind, owner)).size === 0) {
        continue;
      }
      const stored = await readStoredRows(tx, authority, kind, owner);
      const ids = known.get(kind);
      const kept = addsUp ? stored.authentic : keptRows(kind, { stored, ids, owner, now });
      kinds.push({ kind, ...stored, addsUp, known: ids, kept });
    }
    const repair = {
      kinds,
      refused: kinds.flatMap(({ kind, addsUp }) =>
        !addsUp && SERVICE_REPAIRS[kind as ServiceKind] === "refused" ? [kind as ServiceKind] : []
      ),
    };
    if (isDry || repair.refused.length > 0) return repair;
    const rows = new Map(kinds.map(({ kind, kept }) => [kind, kept]));
    await endMissingClients(tx, authority, kinds);
    await rebuildState(tx, authority, { owner, now }, rows);
    await appendAudit(tx, vault, now, {
      event: "service_repaired",
      accountId: null,
      subject: owner === SERVICE ? null : idOf(owner),
      detail: { kinds: [...faulty].join(" ") },
    });
    return repair;
  };
  return isDry ? await job(db) : await transaction(db, job);
}

/** Ends the grants and consents of the clients that a repair does not keep. */
async function endMissingClients(
  tx: Db,
  authority: RowAuthority,
  kinds: readonly RepairedKind[],
): Promise<void> {
  const clients = kinds.find(({ kind, addsUp }) => kind === "client" && !addsUp);
  const kept = new Set(clients?.kept.map(({ id }) => id));
  for (const id of clients?.known ?? []) {
    if (kept.has(id)) continue;
    await removeRowsOfClient(tx, authority, "authorization_grant", id);
    await removeRowsOfClient(tx, authority, "consent", id);
  }
}

function keptRows(
  kind: ServiceKind,
  { stored: { authentic }, ids, owner, now }: {
    readonly stored: StoredRows;
    readonly ids: ReadonlySet<string> | undefined;
    readonly owner: string;
    readonly now: Instant;
  },
): readonly RawRow[] {
  switch (SERVICE_REPAIRS[kind]) {
    case "removed":
      return [];
    case "refused":
      return authentic;
    case "used_up":
      return [{ ...usedUpCodes(owner, now) }];
    case "disabled":
      return authentic.filter(({ id }) => ids!.has(id as string))
        .map((row) => ({ ...row, disabled: 1, updated_at: now }));
  }
}

/**
 * Returns the ids that the log added and did not remove, of a client as the owner only its own. Returns undefined if
 * the log has a part that is not known.
 */
async function readKnownIds(
  db: Db,
  vault: Vault,
  { owner, onPage }: Pick<ServiceRepairRequest, "owner" | "onPage">,
): Promise<KnownIds | undefined> {
  const events = [...Object.values(ADDED), ...Object.values(REMOVED)];
  const history = await readHistory(db, vault, { events, onPage });
  if (history === undefined) return undefined;
  const own = history.filter(({ subject }) => owner === SERVICE || subject === idOf(owner));
  const kinds = Object.keys(ADDED) as (keyof typeof ADDED)[];
  return new Map(kinds.map((kind) => [kind, lastingIds(own, ADDED[kind], REMOVED[kind])]));
}
