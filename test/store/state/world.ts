import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { setImmediate } from "node:timers";
import { sql } from "kysely";
import { watchOf } from "../../../src/audit/log-head.ts";
import { connectDatabase, openDatabase } from "../../../src/db/database.ts";
import type { Db, Tables } from "../../../src/db/schema/schema.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { CLIENT, kindsOf, nameOfRow, SERVICE } from "../../../src/store/state/kinds.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import { dropLogTriggers } from "../../support/audit.ts";
import { dropMemory } from "../../support/inconsistent.ts";
import type { Row } from "../../support/lying-database.ts";
import { createTestAuthority } from "../../support/vault.ts";
import { samplesOf } from "../sample.ts";
import type { Samples } from "../sample.ts";
import { OWNED_KINDS } from "./stage.ts";

export type State = Tables["owner_state"];

/** All rows of an owner at one time, with the state of that time. */
export interface Snapshot {
  readonly owner: string;
  readonly rows: readonly { readonly kind: AuthorityKind; readonly row: Row }[];
  readonly state: State | undefined;
}

/** Returns a repeatable random number from 0 to `below - 1`. */
export type Draw = (below: number) => number;

export function drawsOf(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function pick<T>(draw: Draw, all: readonly T[]): T {
  assert.ok(all.length > 0);
  return all[draw(all.length)]!;
}

/** Waits for the next event: until then, the reads of a handle share one snapshot. */
export function nextEvent(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** A migrated file without the triggers that protect its log, and samples of each kind. */
export interface Template {
  readonly path: string;
  readonly samples: ReadonlyMap<AuthorityKind, Samples>;
}

export async function createTemplate(path: string): Promise<Template> {
  await (await openDatabase(await openSqlite(path))).destroy();
  const db = connectDatabase(await openSqlite(path));
  await dropLogTriggers(db);
  const samples = new Map<AuthorityKind, Samples>();
  for (const kind of OWNED_KINDS) samples.set(kind, await samplesOf(db, kind));
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await db.destroy();
  return { path, samples };
}

/**
 * One database file with two handles of the service, which share no memory, and one of an attacker. Knows the newest
 * rows and states of each owner, and everything that was ever stored.
 */
export class World implements AsyncDisposable {
  readonly draw: Draw;
  readonly template: Template;
  readonly authority = createTestAuthority();
  /** The attacker's handle. */
  editor!: Db;
  /** The newest rows by kind, owner and name. */
  readonly rows = new Map<string, Map<string, Row>>();
  readonly states = new Map<string, State>();
  readonly everyRow = new Map<AuthorityKind, Row[]>(OWNED_KINDS.map((kind) => [kind, []]));
  readonly everyState: State[] = [];
  readonly snapshots: Snapshot[] = [];
  /** Three accounts, two clients, and the service with all other rows. An account that was deleted is replaced. */
  readonly owners: string[] = ["acc_1", "acc_2", "acc_3", `${CLIENT}1`, `${CLIENT}2`, SERVICE];
  /** The number of rows that were made. */
  rowCount = 0;
  refusals = 0;
  /** The tables that the attacker edited since all was put back. */
  readonly edited = new Set<AuthorityKind | "owner_state">();
  /** The states of log entries before they were edited. */
  readonly editedEntries = new Map<number, Uint8Array | null>();
  readonly #path: string;
  readonly #handles: Db[] = [];

  private constructor(template: Template, path: string, seed: number) {
    this.template = template;
    this.#path = path;
    this.draw = drawsOf(seed);
  }

  static async create(template: Template, path: string, seed: number): Promise<World> {
    copyFileSync(template.path, path);
    const world = new World(template, path, seed);
    world.editor = await world.#connect();
    for (let index = 0; index < 2; index++) world.#handles.push(await world.#connect());
    return world;
  }

  async #connect(): Promise<Db> {
    const db = connectDatabase(await openSqlite(this.#path));
    // Rows refer to others that are not stored. Nothing here is about power cuts.
    await sql`pragma foreign_keys = off`.execute(db);
    await sql`pragma synchronous = off`.execute(db);
    return db;
  }

  get isAttacked(): boolean {
    return this.edited.size > 0 || this.editedEntries.size > 0;
  }

  /** Returns one of the service's handles, sometimes without its memory, or of a process that just started. */
  async anyHandle(): Promise<Db> {
    await nextEvent();
    const index = this.draw(2);
    const chance = this.draw(100);
    if (chance === 0) await this.restart(index);
    else if (chance < 20) dropMemory(this.#handles[index]!);
    return this.#handles[index]!;
  }

  async restart(index: number): Promise<void> {
    await this.#handles[index]!.destroy();
    this.#handles[index] = await this.#connect();
  }

  get handles(): readonly Db[] {
    return this.#handles;
  }

  rowsOf(kind: AuthorityKind, owner: string): Map<string, Row> {
    const key = `${kind} ${owner}`;
    let rows = this.rows.get(key);
    if (rows === undefined) this.rows.set(key, rows = new Map());
    return rows;
  }

  /** Returns the newest rows of a kind, of all owners. */
  rowsOfKind(kind: AuthorityKind): Row[] {
    return this.owners.flatMap((owner) => [...this.rowsOf(kind, owner).values()]);
  }

  /** Records a committed change: the owner's new state, and a snapshot. */
  async committed(
    owner: string,
    changes: readonly { kind: AuthorityKind; before: Row | undefined; after: Row | undefined }[],
  ): Promise<void> {
    for (const { kind, before, after } of changes) {
      const rows = this.rowsOf(kind, owner);
      if (after === undefined) rows.delete(nameOfRow(kind, before!));
      else {
        rows.set(nameOfRow(kind, after), after);
        this.everyRow.get(kind)!.push(after);
      }
    }
    await nextEvent();
    const state = await this.editor.selectFrom("owner_state").selectAll().where("owner", "=", owner)
      .executeTakeFirst();
    if (state === undefined) this.states.delete(owner);
    else {
      this.states.set(owner, state);
      this.everyState.push(state);
    }
    const rows = kindsOf(owner).flatMap((kind) =>
      [...this.rowsOf(kind, owner).values()].map((row) => ({ kind, row }))
    );
    const snapshot = { owner, rows, state };
    if (this.snapshots.length < 60) this.snapshots.push(snapshot);
    else this.snapshots[this.draw(60)] = snapshot;
  }

  /** Deletes the attacker's rows and stores the newest ones. Restarts processes that stopped because of the log. */
  async putBack(): Promise<void> {
    for (const kind of this.edited) {
      await this.editor.deleteFrom(kind).execute();
      const rows = kind === "owner_state" ? [...this.states.values()] : this.rowsOfKind(kind);
      for (const row of rows) await this.editor.insertInto(kind).values(row as never).execute();
    }
    this.edited.clear();
    for (const [seq, state] of this.editedEntries) {
      await this.editor.updateTable("audit_event").set({ state }).where("seq", "=", seq).execute();
    }
    this.editedEntries.clear();
    for (const [index, db] of this.#handles.entries()) {
      if (watchOf(db).fault !== undefined) await this.restart(index);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const db of [this.editor, ...this.#handles]) await db.destroy();
  }
}
