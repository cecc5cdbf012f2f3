import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import type { PostgresServer } from "../scripts/postgres.ts";
import { processorSeconds, waits } from "./process-use.ts";

/** What a load costs a service and its database server: times in microseconds; NaN where there is no server. */
export interface Counts {
  /** Processor time of all processes of the service, and of the server's. */
  readonly processor: number;
  readonly server: number;
  /** Transactions that wrote and bytes of the log of commits, as the server counts, whatever is between. */
  readonly written: number;
  readonly logBytes: number;
  /** How often a thread of the service, and of the server, waited. */
  readonly waits: number;
  readonly serverWaits: number;
}

/** A process and those that it started. */
function familyOf(pid: number): readonly number[] {
  const isChild = (name: string): boolean => {
    try {
      return /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1] === String(pid);
    } catch {
      return false;
    }
  };
  return [pid, ...readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter(isChild).map(Number)];
}

/** The answer of a server to a query of one row. */
export async function askServer<R>(url: string, text: string): Promise<R> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows[0] as R;
  } finally {
    await client.end();
  }
}

/** Transactions that have written so far, and bytes of the log of commits. */
async function writtenBy(
  server: PostgresServer,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const { count, bytes } = await askServer<Record<"count" | "bytes", string>>(
    server.url,
    "select pg_snapshot_xmax(pg_current_snapshot()) as count, pg_current_wal_insert_lsn() - '0/0' as bytes",
  );
  return { count: Number(count), bytes: Number(bytes) };
}

/** What each of some processes has used so far. */
function usesOf(pids: readonly number[]): ReadonlyMap<number, readonly [processor: number, waits: number]> {
  return new Map(pids.map((pid) => [pid, [processorSeconds(pid) * 1e6, waits(pid)]]));
}

/** What those of them that still live have used since. */
function usedSince(before: ReturnType<typeof usesOf>): readonly [processor: number, waits: number] {
  let [processor, waited] = [0, 0];
  for (const [pid, [time, times]] of usesOf([...before.keys()])) {
    const [timeBefore, timesBefore] = before.get(pid)!;
    if (Number.isNaN(time - timeBefore)) continue;
    processor += time - timeBefore;
    waited += times - timesBefore;
  }
  return [processor, waited];
}

/** Begins to count what a service and its server do; call what it answers to be told. */
export async function startCounting(
  { pids, server }: { readonly pids: readonly number[]; readonly server: PostgresServer | undefined },
): Promise<() => Promise<Counts>> {
  const nothing = { count: NaN, bytes: NaN };
  const before = server === undefined ? nothing : await writtenBy(server);
  const own = usesOf(pids);
  const servers = usesOf(server === undefined ? [] : familyOf(server.pid()));
  return async () => {
    const [processor, waits] = usedSince(own);
    const [serverTime, serverWaits] = server === undefined ? [NaN, NaN] : usedSince(servers);
    const after = server === undefined ? nothing : await writtenBy(server);
    return {
      processor,
      server: serverTime,
      written: after.count - before.count,
      logBytes: after.bytes - before.bytes,
      waits,
      serverWaits,
    };
  };
}
