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
