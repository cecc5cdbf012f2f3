import type { CompiledQuery, QueryResult } from "kysely";
import type { Engine, Run } from "../../src/db/engine.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { openTestDatabase } from "./database.ts";

/** A row as an engine gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement on its way to the engine. */
export interface Statement {
  readonly act: "select" | "insert" | "update" | "delete";
  readonly table: string;
  readonly query: CompiledQuery;
  /** Has it done, and gives the rows that it answers; empty ones, as many as it changed, where it answers none. */
  readonly carryOut: () => Promise<readonly Row[]>;
}

/** What answers in the engine's place: rows, or as many as it says to have changed; undefined where the engine shall. */
export type Lie = (statement: Statement) => Promise<readonly Row[] | undefined>;

/** A database whose engine may lie: whoever holds the file can have it answer anything. */
export interface LyingDatabase {
  readonly db: Db;
  lie: Lie | undefined;
}

const STATEMENT = /^(select|insert|update|delete)\b(?:[^]*?\b(?:from|into))?\s+(?:"holdfast"\.)?"(\w+)"/;

/** A fresh database of which every statement can be answered by a lie. */
export async function openLyingDatabase(): Promise<LyingDatabase> {
  const liar: { lie: Lie | undefined } = { lie: undefined };
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
  const db = await openTestDatabase((engine: Engine): Engine => ({
    ...engine,
    run: answer(engine.run),
    transaction: (job, scope) => engine.transaction((run) => job(answer(run)), scope),
  }));
  return Object.assign(liar, { db });
}
