import assert from "node:assert/strict";
import type { Db } from "../../src/db/schema/schema.ts";
import { forgetStates } from "../../src/store/state/owner-state.ts";
import { forgetSets } from "../../src/store/state/row-sets.ts";
import type { Answer } from "./client.ts";

/** Returns true if the service refused because stored rows do not add up to their owner's state. */
export function isInconsistent({ status, body }: Pick<Answer, "status" | "body">): boolean {
  return status === 503 && (body?.code === "inconsistent_store" || body?.error === "temporarily_unavailable");
}

export function assertInconsistent(answer: Answer): void {
  assert.ok(isInconsistent(answer), `${answer.status} ${answer.text}`);
}

/** Drops the rows that a process has in memory, as when memory is full: the next request reads the database. */
export function dropMemory(...dbs: readonly Db[]): void {
  for (const db of dbs) {
    forgetSets(db);
    forgetStates(db);
  }
}
