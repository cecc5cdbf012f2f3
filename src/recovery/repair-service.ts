import { readHistory } from "../audit/account-history.ts";
import { appendAudit } from "../audit/log.ts";
import { createRowAuthority } from "../audit/row-authority.ts";
import { verifyOwner } from "../audit/verify-states.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import { removeRowsOfClient } from "../oauth/client/client-administration.ts";
import type { RawRow } from "../store/lookups.ts";
import { SERVICE, type ServiceKind } from "../store/state/kinds.ts";
import { readStoredRows, rebuildState, type StoredRows } from "../store/state/rebuild-state.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { Vault } from "../vault/vault.ts";
import type { RepairedKind, RepairRequest } from "./repair-account.ts";

/** `sound`: the rows of the service add up. `log_fault`: the log does not say which state is the newest. */
export type ServiceRepairRefusal = "sound" | "log_fault";

export interface ServiceRepair {
  readonly kinds: readonly RepairedKind[];
  /** The kinds that a repair cannot decide about. If there is one, nothing is changed. */
  readonly refused: readonly ServiceKind[];
}

/**
 * The result for the rows of a kind that does not add up. The log has no copy of a row, so an older one cannot be told
 * from the newest. `disabled`: those that the log knows stay, disabled, because rows of accounts refer to them.
 * `refused`: an older row would open the seed, give a workload another key, or make another account an administrator.
 */
export const SERVICE_REPAIRS = {
  client: "disabled",
  token_key: "removed",
  invitation: "removed",
  admin_session: "removed",
  release_key: "refused",
  seal_set: "refused",
  webhook: "removed",
  user_group: "removed",
  administrator_address: "refused",
} as const satisfies Readonly<Record<ServiceKind, "disabled" | "removed" | "refused">>;

const KINDS = Object.keys(SERVICE_REPAIRS) as ServiceKind[];

/** The events that add and remove rows. Rows of the other kinds also end without an entry. */
const ADDED = { client: "client_registered", user_group: "group_created" } as const;
const REMOVED = { client: "client_deleted", user_group: "group_deleted" } as const;

type KnownIds = ReadonlyMap<AuthorityKind, ReadonlySet<string>>;

/**
 * Gives the service a new state if its rows do not add up. Keeps the kinds that add up, and ends the others as
 * `SERVICE_REPAIRS` says, with all grants and consents of a client that is missing. Throws `DatabaseError`
 * `inconsistent` if an account with such a grant does not add up. `db` must be the outer handle, and no service may run.
 */
export async function repairService(
  db: Db,
  vault: Vault,
  { now, isDry, onPage }: Omit<RepairRequest, "accountId">,
): Promise<ServiceRepair | ServiceRepairRefusal> {
  const job = async (tx: Db): Promise<ServiceRepair | ServiceRepairRefusal> => {
    const faulty = new Set<AuthorityKind>();
    const authority = createRowAuthority(vault, () => now, {
      onInconsistent: (owner, kind) => owner === SERVICE && void faulty.add(kind),
    });
    const known = await readKnownIds(tx, vault, onPage);
    if (known === undefined) return "log_fault";
    await authority.followLog(tx);
    await verifyOwner(tx, authority, SERVICE);
    if (faulty.size === 0) return "sound";
    const kinds: RepairedKind[] = [];
    for (const kind of KINDS) {
      const stored = await readStoredRows(tx, authority, kind, SERVICE);
      const addsUp = !faulty.has(kind);
      const ids = known.get(kind);
      const kept = addsUp ? stored.authentic : keptRows(kind, stored, ids, now);
      kinds.push({ kind, ...stored, addsUp, known: ids, kept });
    }
    const repair = {
      kinds,
      refused: KINDS.filter((kind) => faulty.has(kind) && SERVICE_REPAIRS[kind] === "refused"),
    };
    if (isDry || repair.refused.length > 0) return repair;
    const rows = new Map(kinds.map(({ kind, kept }) => [kind, kept]));
    const kept = new Set(rows.get("client")!.map(({ id }) => id));
    for (const id of faulty.has("client") ? known.get("client")! : []) {
      if (kept.has(id)) continue;
      await removeRowsOfClient(tx, authority, "authorization_grant", id);
      await removeRowsOfClient(tx, authority, "consent", id);
    }
    await rebuildState(tx, authority, { owner: SERVICE, now }, rows);
    await appendAudit(tx, vault, now, {
      event: "service_repaired",
      accountId: null,
      subject: null,
      detail: { kinds: [...faulty].join(" ") },
    });
    return repair;
  };
  return isDry ? await job(db) : await transaction(db, job);
}

function keptRows(
  kind: ServiceKind,
  { authentic }: StoredRows,
  known: ReadonlySet<string> | undefined,
  now: Instant,
): readonly RawRow[] {
  if (SERVICE_REPAIRS[kind] === "removed") return [];
  if (SERVICE_REPAIRS[kind] === "refused") return authentic;
  return authentic.filter(({ id }) => known!.has(id as string))
    .map((row) => ({ ...row, disabled: 1, updated_at: now }));
}

/** Returns the ids that the log added and did not remove, or undefined if the log has a part that is not known. */
async function readKnownIds(
  db: Db,
  vault: Vault,
  onPage: (entries: number) => void,
): Promise<KnownIds | undefined> {
  const events = [...Object.values(ADDED), ...Object.values(REMOVED)];
  const history = await readHistory(db, vault, { events, onPage });
  if (history === undefined) return undefined;
  return new Map((Object.keys(ADDED) as (keyof typeof ADDED)[]).map((kind) => {
    const ids = new Set<string>();
    for (const { event, subject } of history) {
      if (event === ADDED[kind]) ids.add(subject!);
      else if (event === REMOVED[kind]) ids.delete(subject!);
    }
    return [kind, ids];
  }));
}
