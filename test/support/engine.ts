import type { CompiledQuery } from "kysely";
import type { Engine, Job, Run } from "../../src/db/engine.ts";

/** Wraps an engine to call `look` before each statement, in transactions too. What `look` throws is thrown. */
export function watched(engine: Engine, look: (query: CompiledQuery) => void): Engine {
  const watching = (run: Run): Run => async (query) => {
    look(query);
    return await run(query);
  };
  return {
    ...engine,
    run: watching(engine.run),
    transaction: <T>(job: Job<T>) => engine.transaction((run) => job(watching(run))),
  };
}

/** Wraps an engine to call `look` with the number of rows that each statement returned. */
export function watchedRows(engine: Engine, look: (rows: number) => void): Engine {
  const watching = (run: Run): Run => async <R>(query: CompiledQuery) => {
    const result = await run<R>(query);
    look(result.rows.length);
    return result;
  };
  return {
    ...engine,
    run: watching(engine.run),
    transaction: <T>(job: Job<T>) => engine.transaction((run) => job(watching(run))),
  };
}

/** Rolls back. Not reported as an error. */
const AGAIN = new Error("Run it again");

/** Wraps an engine to roll each transaction back the first time and run it again. */
export function rerunning(engine: Engine): Engine {
  return {
    ...engine,
    transaction: async <T>(job: Job<T>) => {
      const first = engine.transaction(async (run) => {
        await job(run);
        throw AGAIN;
      });
      await first.catch((error: unknown) => error === AGAIN ? undefined : Promise.reject(error));
      return await engine.transaction(job);
    },
  };
}
