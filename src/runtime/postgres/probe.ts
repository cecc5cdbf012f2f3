import { CompiledQuery } from "kysely";
import type { Job } from "../../db/engine.ts";
import { DatabaseError } from "../../db/error.ts";

/** Writes to the commit log, and to more pages than a table extends by at once. Nothing remains. */
const PROBES = [
  "select pg_logical_emit_message(true, 'holdfast', repeat('-', 8192))",
  "create temporary table holdfast_probe on commit drop as select repeat('-', 1000) from generate_series(1, 1000)",
].map((text) => CompiledQuery.raw(text));

/**
 * Throws if the server's disk is full. Does nothing for a role that may not create temporary tables: its next write
 * reports the error.
 */
export async function probeDisk(transaction: (job: Job<void>) => Promise<void>): Promise<void> {
  try {
    await transaction(async (inside) => {
      for (const probe of PROBES) await inside(probe);
    });
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === "forbidden")) throw error;
  }
}
