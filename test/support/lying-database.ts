import type { CompiledQuery, QueryResult } from "kysely";
import type { Engine, Run } from "../../src/db/engine.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { openTestDatabase, openTestSqlite } from "./database.ts";
import type { ForeignKeys } from "./reused-sqlite.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  readonly act: "select" | "insert" | "update" | "delete";
  readonly table: string;
  readonly query: CompiledQuery;
  /** Runs the statement and returns its rows. If it returns none, returns one empty row for each changed row. */
  readonly carryOut: () => Promise<readonly Row[]>;
}

/**
 * Responds in place of the engine: with rows, or one for each row that it claims to have changed. Undefined lets the
 * engine respond.
 */
export type Lie = (statement: Statement) => Promise<readonly Row[] | undefined>;

/** A database whose engine may lie, because an attacker with the file controls every response. */
export interface LyingDatabase extends AsyncDisposable {
  readonly db: Db;
  lie: Lie | undefined;
  /** Differs after another connection has written. Undefined if only a statement tells, as with PostgreSQL. */
  dataVersion: number | undefined;
}

const STATEMENT = /^(select|insert|update|delete)\b(?:[^]*?\b(?:from|into))?\s+(?:"holdfast"\.)?"(\w+)"/;

/** Opens a new database whose every statement can get a false response. */
export async function openLyingDatabase(foreignKeys: ForeignKeys = "on"): Promise<LyingDatabase> {
  const liar: Pick<LyingDatabase, "lie" | "dataVersion"> = { lie: undefined, dataVersion: undefined };
  const answer = (run: Run): Run => async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    const match = liar.lie === undefined ? null : STATEMENT.exec(query.sql);
    if (match === null) return await run<R>(query);
    let told: Promise<QueryResult<R>> | undefined;
    const carryOut = async (): Promise<readonly Row[]> => {
      const { rows, numAffectedRows = 0n } = await (told ??= run<R>(query));
      return rows.length > 0 ? rows as Row[] : new Array<Row>(Number(numAffectedRows)).fill({});
    };
    const [, act, table] = match as unknown as [string, Statement["act"], string];
    const rows = await liar.lie!({ act, table, query, carryOut });
    if (rows === undefined) return await (told ??= run<R>(query));
    return { rows: rows as R[], numAffectedRows: BigInt(rows.length) };
  };
  const around = (engine: Engine): Engine => ({
    ...engine,
    dataVersion: () => liar.dataVersion as number,
    run: answer(engine.run),
    transaction: (job, scope) => engine.transaction((run) => job(answer(run)), scope),
  });
  const db = foreignKeys === "on"
    ? await openTestDatabase(around)
    : await openTestSqlite(around, foreignKeys);
  return Object.assign(liar, { db, [Symbol.asyncDispose]: () => db.destroy() });
}
