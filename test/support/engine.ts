import type { CompiledQuery } from "kysely";
import type { Engine, Job, Run } from "../../src/db/engine.ts";

/** The engine, which tells `look` of each statement before it runs, in transactions too. What `look` throws is thrown. */
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

/** Rolls back, and is nobody's error. */
const AGAIN = new Error("Run it again");

/** The engine, each of whose transactions comes to nothing the first time, and is run again. */
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
