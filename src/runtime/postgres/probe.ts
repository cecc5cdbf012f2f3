import { CompiledQuery } from "kysely";
import type { Job } from "../../db/engine.ts";
import { DatabaseError } from "../../db/error.ts";

/** Write to the log that commits go to, and take more room than a table takes at once; nothing of them stays. */
const PROBES = [
  "select pg_logical_emit_message(true, 'holdfast', repeat('-', 8192))",
  "create temporary table holdfast_probe on commit drop as select repeat('-', 1000) from generate_series(1, 1000)",
].map((text) => CompiledQuery.raw(text));

/** Throws where the server's disk has no room. A role that may make no temporary table hears that from its next write. */
export async function probeDisk(transaction: (job: Job<void>) => Promise<void>): Promise<void> {
  try {
    await transaction(async (inside) => {
      for (const probe of PROBES) await inside(probe);
    });
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === "forbidden")) throw error;
  }
}
