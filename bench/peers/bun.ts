/** The used members of Bun. Its own types would declare all of its globals. */

interface BunStatement {
  get(...parameters: readonly unknown[]): unknown;
  all(...parameters: readonly unknown[]): unknown[];
  run(...parameters: readonly unknown[]): unknown;
}

export interface BunDatabase {
  exec(sql: string): void;
  prepare(sql: string): BunStatement;
}

interface BunServeOptions {
  readonly hostname: string;
  readonly port: number;
  readonly fetch: (request: Request) => Promise<Response>;
}

declare const Bun: { serve(options: BunServeOptions): unknown };

/** Not a literal at the import, because Deno's type check would resolve it. */
const BUN_SQLITE: string = "bun:sqlite";

/** Opens a SQLite file as durable as the service's: write-ahead log and an fsync in each commit. */
export async function openBunDatabase(file: string): Promise<BunDatabase> {
  const { Database } = await import(BUN_SQLITE) as { Database: new (path: string) => BunDatabase };
  const database = new Database(file);
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
  return database;
}

/** Serves on the loopback address with Bun's own server. */
export function serveWithBun(port: number, fetch: (request: Request) => Promise<Response>): void {
  Bun.serve({ hostname: "127.0.0.1", port, fetch });
}
