/**
 * What the adapter of a dialect has whose driver can run a statement at once, without a promise: six of them stand
 * between a query and a connection otherwise, and cost several times what the statement does.
 */
export interface DirectRunner {
  /** In the transaction that is open. */
  inTransaction<R>(sql: string, parameters: readonly unknown[]): R[];
  /** Outside of any; undefined, and nothing done, when it cannot be run now. */
  now<R>(sql: string, parameters: readonly unknown[]): R[] | undefined;
}

/** Where an adapter has its runner. */
export const DIRECT_RUNNER = "holdfastDirectRunner";
