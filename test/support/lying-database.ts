import type { CompiledQuery, QueryResult } from "kysely";
import type { Engine, Run } from "../../src/db/engine.ts";
import type { Db } from "../../src/db/schema.ts";
import { openTestDatabase } from "./database.ts";

/** A row as an engine gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement on its way to the engine. */
export interface Statement {
  readonly act: "select" | "insert" | "update" | "delete";
  readonly table: string;
  readonly query: CompiledQuery;
  /** Has it done, and gives the rows that it answers. */
  readonly carryOut: () => Promise<readonly Row[]>;
}

/** What answers in the engine's place: rows, or undefined where the engine shall answer. */
export type Lie = (statement: Statement) => Promise<readonly Row[] | undefined>;

/** A database whose engine may lie: whoever holds the file can have it answer anything. */
export interface LyingDatabase {
  readonly db: Db;
  lie: Lie | undefined;
}

const STATEMENT = /^(select|insert|update|delete)\b(?:[^]*?\b(?:from|into))?\s+"(\w+)"/;

/** A fresh database of which every statement can be answered by a lie. */
export async function openLyingDatabase(): Promise<LyingDatabase> {
  const liar: { lie: Lie | undefined } = { lie: undefined };
  const answer = (run: Run): Run => async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
    const match = liar.lie === undefined ? null : STATEMENT.exec(query.sql);
    if (match === null) return await run<R>(query);
    let told: Promise<QueryResult<R>> | undefined;
    const carryOut = async (): Promise<readonly Row[]> => (await (told ??= run<R>(query))).rows as Row[];
    const [, act, table] = match as unknown as [string, Statement["act"], string];
    const rows = await liar.lie!({ act, table, query, carryOut });
    return rows === undefined ? await (told ??= run<R>(query)) : { rows: rows as R[] };
  };
  const db = await openTestDatabase((engine: Engine): Engine => ({
    ...engine,
    run: answer(engine.run),
    transaction: (job) => engine.transaction((run) => job(answer(run))),
  }));
  return Object.assign(liar, { db });
}
