import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findFreePort } from "../test/support/free-port.ts";
import { loadPackage } from "./postgres-package.ts";

/** A PostgreSQL server that lasts as long as its tests. */
export interface PostgresServer {
  /** Its database `postgres`, as its superuser; no other machine reaches it. */
  readonly url: string;
  readonly port: number;
  /** The process, which may be ended under its clients; `start` goes on over the same files then. */
  readonly pid: () => number;
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
  /** The same for whoever ends at once, without a look at what its clients have under way. */
  abandon(): void;
}

/**
 * Nothing need outlive the machine: no fsync. Names and texts are in the order of a language, unless somebody asks for
 * that of their bytes.
 */
const FLAGS = [
  "fsync=off",
  "full_page_writes=off",
  "max_connections=300",
  "shared_buffers=64MB",
  "max_wal_size=1GB",
];

/** Bytes that the files of all tests' databases never come to. */
const ROOM = 4 << 30;
/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";

/**
 * Where a server's files lie: in memory where there is room. A database of ours is 500 files, which tests make and
 * remove by the thousand: a disk takes five times as long for it.
 */
function roomyFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Ends a server at once, if there is one still. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGQUIT");
  } catch {
    // It has ended already.
  }
}

/**
 * Starts a server on a free port, with further settings; its files lie in a new folder of `parent`, and were made with
 * further words for `initdb`. As root it runs as another user, `postgres`, whom it makes if need be.
 */
export async function startPostgres(
  further: readonly string[] = [],
  { parent = roomyFolder(), initdb = [] }: { readonly parent?: string; readonly initdb?: readonly string[] } =
    {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(parent, "holdfast-postgres-"));
  chmodSync(folder, 0o711);
  const data = join(folder, "data");
  const { default: EmbeddedPostgres } = await loadPackage(folder);
  const port = await findFreePort();
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: "postgres",
    password: "none",
    authMethod: "password",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      "--no-sync",
      // Each connection proves a password: 4,096 rounds are a third of what it costs.
      "--set",
      "scram_iterations=1",
      "--encoding=UTF8",
      "--locale-provider=icu",
      "--icu-locale=en",
      "--locale=C.UTF-8",
      ...initdb,
    ],
    postgresFlags: ["listen_addresses=127.0.0.1", `unix_socket_directories=${data}`, ...FLAGS, ...further]
      .flatMap((flag) => ["-c", flag]),
    onLog: () => {},
    onError: () => {},
  });
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    remove();
    throw error;
  }
  const running = (): ChildProcess => (server as unknown as { readonly process: ChildProcess }).process;
  const pid = (): number => running().pid!;
  return {
    url: `postgres://postgres:none@127.0.0.1:${port}/postgres`,
    port,
    pid,
    start: () => server.start(),
    stop: async () => {
      // Of one that was ended by somebody else it would wait for the end for ever.
      if (running().exitCode === null && running().signalCode === null) await server.stop();
      remove();
    },
    abandon: () => {
      end(pid());
      remove();
    },
  };
}
