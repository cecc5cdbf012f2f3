import { passInconsistent } from "../db/error.ts";
import { languageOf } from "../db/port.ts";
import type { Db } from "../db/schema/schema.ts";
import { stateTagsOf } from "../store/state/state-tags.ts";
import { kindsOf } from "../store/state/kinds.ts";
import { requireState } from "../store/state/owner-state.ts";
import { requireRows } from "../store/state/row-sets.ts";
import { listStateless } from "../store/state/unnamed-states.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import { createRowAuthority } from "./row-authority.ts";

/**
 * An owner whose rows of a kind do not add up to its newest state; of kind `owner_state`, the state is not the newest.
 */
export interface StateFault {
  readonly owner: string;
  readonly kind: AuthorityKind;
}

export interface StateVerdict {
  /** The number of owners whose rows all add up. */
  readonly sound: number;
  readonly faults: readonly StateFault[];
  /** The number of owners that the log knows and whose state is not in the database. */
  readonly missing: number;
}

/**
 * Compares the rows of every owner with its state, and the state with the audit log. Takes some statements for each
 * owner. Counts, but cannot name, an owner whose state is missing, unless it is an account or client whose row is
 * there: the log's table has no names.
 */
export async function verifyStates(
  db: Db,
  vault: Vault,
  onPage: (owners: number) => void = () => {},
): Promise<StateVerdict> {
  const faults: StateFault[] = [];
  // Nothing is written, so the time does not matter.
  const authority = createRowAuthority(vault, () => 0, {
    onInconsistent: (owner, kind) => void faults.push({ owner, kind }),
  });
  await authority.followLog(db);
  const { table } = stateTagsOf(db);
  let [owners, known] = [0, 0];
  for await (const page of languageOf(db).readTable(db, { table: "owner_state", columns: ["owner"] })) {
    for (const row of page) {
      const owner = String(row["owner"]);
      if (table.find(owner) !== undefined) known++;
      await verifyWhole(db, authority, owner);
      owners++;
    }
    onPage(owners);
  }
  for (const owner of await listStateless(db)) {
    if (table.find(owner) === undefined) continue;
    await verifyWhole(db, authority, owner);
    owners++;
    known++;
  }
  const unsound = new Set(faults.map(({ owner }) => owner)).size;
  return { sound: owners - unsound, faults, missing: table.size - known };
}

async function verifyWhole(db: Db, authority: RowAuthority, owner: string): Promise<void> {
  try {
    await requireState(db, authority, owner);
  } catch (error) {
    return passInconsistent(error);
  }
  await verifyOwner(db, authority, owner);
}

/** Compares the rows of an owner with its state. The authority reports each kind that does not add up. */
export async function verifyOwner(db: Db, authority: RowAuthority, owner: string): Promise<void> {
  for (const kind of kindsOf(owner)) {
    await requireRows(db, authority, kind, owner).catch(passInconsistent);
  }
}
