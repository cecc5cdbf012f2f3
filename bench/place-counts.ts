import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import type { PostgresServer } from "../scripts/postgres.ts";
import { processorSeconds, waits } from "./process-use.ts";

/** The cost of a load for a service and its database server. Times in microseconds; NaN without a server. */
export interface Counts {
  /** Processor time of all processes of the service, and of the server. */
  readonly processor: number;
  readonly server: number;
  /** Transactions that wrote and bytes of the write-ahead log, as counted by the server. */
  readonly written: number;
  readonly logBytes: number;
  /** The number of waits of the service's threads, and of the server's. */
  readonly waits: number;
  readonly serverWaits: number;
}

/** Returns a process and its children. */
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

export async function askServer<R>(url: string, text: string): Promise<R> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows[0] as R;
  } finally {
    await client.end();
  }
}

/** Returns the number of transactions that have written so far, and the bytes of the write-ahead log. */
async function writtenBy(
  server: PostgresServer,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const { count, bytes } = await askServer<Record<"count" | "bytes", string>>(
    server.url,
    "select pg_snapshot_xmax(pg_current_snapshot()) as count, pg_current_wal_insert_lsn() - '0/0' as bytes",
  );
  return { count: Number(count), bytes: Number(bytes) };
}

/** Returns the processor time and waits of each process so far. */
function usesOf(pids: readonly number[]): ReadonlyMap<number, readonly [processor: number, waits: number]> {
  return new Map(pids.map((pid) => [pid, [processorSeconds(pid) * 1e6, waits(pid)]]));
}

/** Returns the processor time and waits since then, of the processes that still run. */
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

/** Starts counting the work of a service and its server. Call the returned function for the counts. */
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
