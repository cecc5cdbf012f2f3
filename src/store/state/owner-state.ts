import { sql } from "kysely";
import { attemptOf } from "../../db/attempt.ts";
import { DatabaseError } from "../../db/error.ts";
import { engineState } from "../../db/engine-state.ts";
import { engineOf, requestReadsOf, transactionStateOf } from "../../db/port.ts";
import { prepared, type Slot } from "../../db/prepared-statement.ts";
import type { Db } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority, SealedRow } from "../../vault/authority.ts";
import { stateTagsOf, TAG_LENGTH } from "./state-tags.ts";
import { kindsOf } from "./kinds.ts";

/** The verified state of an owner. Without a row, the owner has no rows of any kind. */
export interface OwnerState {
  readonly owner: string;
  readonly kinds: readonly AuthorityKind[];
  /** 0 without a row. */
  readonly version: number;
  readonly sets: Uint8Array;
  /** Undefined without a row. */
  readonly mac: Uint8Array | undefined;
}

/** Thrown inside this folder if rows and state differ, which a concurrent commit can cause. The reader tries again. */
export const CHANGED = Symbol("rows and state differ");

/** The number of attempts. Each reads the state and the rows again. */
const MAX_ATTEMPTS = 20;

/** The attempts that must find the same state before a difference counts as a fault. */
const SAME_STATE_ATTEMPTS = 3;

const OWNER_STATE = "owner_state" as const;

interface StateRow {
  /** The number of the log's last entry; null if it is empty. */
  readonly log_end: number | string | null;
  readonly owner: string | null;
  readonly version: number;
  readonly sets: Uint8Array;
  readonly mac: Uint8Array | null;
}

/** Returns a query for the states of these owners. One statement, so that states and log belong to the same moment. */
function statesOf(db: Db, owners: readonly string[]) {
  return db.selectFrom((log) =>
    log.selectFrom("audit_event").select((max) => max.fn.max("seq").as("log_end")).as("log")
  )
    .leftJoin(
      "owner_state",
      (join) =>
        owners.length === 1
          ? join.on("owner_state.owner", "=", owners[0]!)
          : join.on("owner_state.owner", "in", owners),
    )
    .select([
      sql<number | string | null>`log.log_end`.as("log_end"),
      "owner_state.owner",
      "owner_state.version",
      "owner_state.sets",
      "owner_state.mac",
    ]);
}

const selectState = prepared((db, slot: Slot<{ readonly owner: string }>) => statesOf(db, [slot("owner")]));

const selectStates = prepared((db, slot: Slot<Readonly<Record<"one" | "two" | "three", string>>>) =>
  statesOf(db, [slot("one"), slot("two"), slot("three")])
);

/** The states that are in memory. */
interface KnownStates {
  /** The engine's `dataVersion` at which they were read. Undefined if it tells of no changes: others may be newer. */
  dataVersion: number | undefined;
  readonly states: Map<string, OwnerState>;
}

/** The maximum of states in memory: some 20 MB. */
const STATES_CACHED = 30_000;

const KNOWN = Symbol("newest states");

/** Returns the states in memory, without those that another connection may have changed. */
function knownStates(db: Db): KnownStates {
  const known = engineState(db, KNOWN, (): KnownStates => ({ dataVersion: undefined, states: new Map() }));
  const dataVersion = engineOf(db).dataVersion?.();
  if (dataVersion !== known.dataVersion) known.states.clear();
  known.dataVersion = dataVersion;
  return known;
}

/** Keeps a state that was read or committed, unless another connection has written since this data version. */
function keepState(db: Db, state: OwnerState, since: number | undefined): void {
  const { dataVersion, states } = knownStates(db);
  if (dataVersion !== since) return;
  if (states.size >= STATES_CACHED) states.clear();
  states.set(state.owner, state);
}

/** Returns a function that puts a state of this transaction in memory. Call it after the commit. */
export function prepareState(tx: Db, state: OwnerState): () => void {
  const { dataVersion } = knownStates(tx);
  return () => keepState(tx, state, dataVersion);
}

/** Forgets a state in memory: the next read asks the database. */
export function forgetState(db: Db, owner: string): void {
  knownStates(db).states.delete(owner);
  statesInTransaction(db)?.delete(owner);
  requestReadsOf(db)?.known.delete(owner);
}

/** Forgets all states. Call it if the log's history was replaced. */
export function forgetStates(db: Db): void {
  knownStates(db).states.clear();
}

const readInTransaction = new WeakMap<object, Map<string, OwnerState>>();

/** Returns the states read in the transaction. Not part of its own state: reading must not count as writing. */
function statesInTransaction(tx: Db): Map<string, OwnerState> | undefined {
  const transactionState = transactionStateOf(tx);
  if (transactionState === undefined) return undefined;
  let states = readInTransaction.get(transactionState);
  if (states === undefined) readInTransaction.set(transactionState, states = new Map());
  return states;
}

/**
 * Returns a state that the request read outside of transactions and that is still the newest that this process knows.
 * A request that is not late could have been served at the moment of that read. What it does then is ordered before a
 * change that another process commits after it. A transaction reads the state again, under its lock.
 */
function findInRequest(db: Db, owner: string): OwnerState | undefined {
  const reads = requestReadsOf(db);
  const state = reads?.known.get(owner) as OwnerState | undefined;
  if (state === undefined || reads!.isOver()) return undefined;
  return isNewest(db, state) ? state : undefined;
}

/** Returns the newest state of an owner if it is in memory. */
export function findState(db: Db, owner: string): OwnerState | undefined {
  return statesInTransaction(db)?.get(owner) ?? findInRequest(db, owner) ?? findInMemory(db, owner);
}

/**
 * Returns a state in memory if no other connection has changed it. If the engine does not tell of changes, only an
 * attempt uses it: its commit fails if the log has gone on since it named this state as the newest.
 */
function findInMemory(db: Db, owner: string): OwnerState | undefined {
  const { dataVersion, states } = knownStates(db);
  const state = states.get(owner);
  if (state === undefined || dataVersion !== undefined) return state;
  const attempt = attemptOf(db);
  if (attempt === undefined) return undefined;
  const { seq } = stateTagsOf(db);
  if ((attempt.reliesOn ?? seq) !== seq || !isNewest(db, state)) return undefined;
  attempt.reliesOn = seq;
  statesInTransaction(db)!.set(owner, state);
  return state;
}

/**
 * Returns the newest state of an owner. A transaction reads it once, and so does a request outside of transactions.
 * Neither reads it while no other connection has written since it was last read. Throws `CHANGED` if a concurrent
 * commit may have changed it, and `wrong_row` if the database returned the state of another owner.
 */
export async function readState(db: Db, authority: RowAuthority, owner: string): Promise<OwnerState> {
  const known = findState(db, owner);
  if (known !== undefined) return known;
  const { dataVersion } = knownStates(db);
  const [row] = await selectState(db, { owner }) as unknown as (StateRow | undefined)[];
  return await acceptState(db, authority, owner, { row, dataVersion });
}

/** Returns the state of a row that was read at this data version, and keeps it. Throws as `readState` does. */
async function acceptState(
  db: Db,
  authority: RowAuthority,
  owner: string,
  { row, dataVersion }: { readonly row: StateRow | undefined; readonly dataVersion: number | undefined },
): Promise<OwnerState> {
  const tags = stateTagsOf(db);
  const logEnd = Number(row?.log_end ?? 0);
  if (logEnd !== tags.seq) await authority.followLog(db);
  // A fault of the log hides which states are newer.
  if (logEnd > tags.seq) throw CHANGED;
  const state = verifyState(authority, owner, row);
  if (!isNewest(db, state)) throw CHANGED;
  statesInTransaction(db)?.set(owner, state);
  requestReadsOf(db)?.known.set(owner, state);
  keepState(db, state, dataVersion);
  return state;
}

/** The names that the database is asked for ahead. Those from unverified text may be anything. */
const OWNER = /^[ -~]{1,600}$/;

/**
 * Reads the states of the owners of which a request or transaction has none yet, at most three, by one statement. A
 * state that cannot be used is left out, and the read that needs it meets the fault.
 */
export async function prefetchStates(
  db: Db,
  authority: RowAuthority,
  owners: () => readonly string[],
): Promise<void> {
  if (requestReadsOf(db) === undefined && statesInTransaction(db) === undefined) return;
  const missing = owners().filter((owner) => OWNER.test(owner) && findState(db, owner) === undefined);
  const [one, two = one, three = two] = missing;
  if (one === undefined) return;
  const rows = await selectStates(db, { one, two: two!, three: three! }) as unknown as StateRow[];
  for (const owner of missing.slice(0, 3)) {
    const row = rows.find((each) => each.owner === owner) ?? { ...rows[0]!, owner: null };
    await acceptState(db, authority, owner, { row, dataVersion: undefined }).catch((error: unknown) => {
      if (error !== CHANGED) throw error;
    });
  }
}

/** Like `readState`, and throws `DatabaseError` `inconsistent` if the state is missing or not the newest. */
export function requireState(db: Db, authority: RowAuthority, owner: string): Promise<OwnerState> {
  return whileChanging(
    db,
    authority,
    { owner: () => owner, kind: OWNER_STATE },
    () => readState(db, authority, owner),
  );
}

/**
 * Returns true if the log, as far as this process has read it, names this state as the owner's newest, or neither
 * exists. Only then may rows stay in memory by their version: the versions begin again after a state was deleted.
 */
export function isNewest(db: Db, { owner, mac }: Pick<OwnerState, "owner" | "mac">): boolean {
  const tag = stateTagsOf(db).table.find(owner);
  return mac === undefined || tag === undefined ? mac === tag : sameValue(tagOf(mac), tag);
}

/** Returns the state tag of a state with this MAC. */
export function tagOf(mac: Uint8Array): Uint8Array {
  return mac.subarray(0, TAG_LENGTH);
}

function verifyState(authority: RowAuthority, owner: string, row: StateRow | undefined): OwnerState {
  const kinds = kindsOf(owner);
  if (row === undefined || row.owner === null || row.mac === null) {
    return { owner, kinds, version: 0, sets: new Uint8Array(), mac: undefined };
  }
  const { log_end: _, ...columns } = row;
  const sealed = { ...columns, version: Number(columns.version) } as SealedRow<typeof OWNER_STATE>;
  if (row.owner !== owner) throw new DatabaseError("wrong_row", "Cannot use state: it is another owner's");
  if (authority.verifyRow(OWNER_STATE, sealed) === undefined) throw CHANGED;
  return { owner, kinds, version: sealed.version, sets: sealed.sets, mac: sealed.mac };
}

/**
 * Runs a job that compares rows with their owner's state, again while it throws `CHANGED`. Throws `DatabaseError`
 * `inconsistent` if rows and state still differ while nothing else changes them.
 */
export async function whileChanging<T>(
  db: Db,
  authority: RowAuthority,
  { owner, kind }: { readonly owner: () => string | undefined; readonly kind: AuthorityKind },
  job: () => Promise<T>,
): Promise<T> {
  let seen: string | undefined;
  let same = 0;
  for (let attempt = 1;; attempt++) {
    try {
      return await job();
    } catch (error) {
      if (error !== CHANGED) throw error;
      const name = owner() ?? "";
      const now = await fingerprint(db, name);
      same = now === seen ? same + 1 : 1;
      seen = now;
      if (same === SAME_STATE_ATTEMPTS) throw authority.reportInconsistent(db, name, kind);
      if (attempt === MAX_ATTEMPTS) {
        throw new DatabaseError(
          "conflict",
          `Cannot read ${kind}: it changed under each of ${attempt} answers`,
        );
      }
      forgetState(db, name);
    }
  }
}

/** Returns a text that differs after each change of the state or the log. */
async function fingerprint(db: Db, owner: string): Promise<string> {
  const [row] = await selectState(db, { owner }) as unknown as (StateRow | undefined)[];
  return `${row?.log_end}/${row?.mac?.toBase64()}`;
}
