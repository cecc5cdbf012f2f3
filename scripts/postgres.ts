import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findFreePort } from "../test/support/free-port.ts";
import { loadPackage } from "./postgres-package.ts";

/** A PostgreSQL server for the duration of its tests. */
export interface PostgresServer {
  /** The URL of its database `postgres`, as its superuser. Other machines cannot connect. */
  readonly url: string;
  readonly port: number;
  /** The process id. A test may kill the process; `start` continues with the same files. */
  readonly pid: () => number;
  start(): Promise<void>;
  /** Stops the server and deletes its files. */
  stop(): Promise<void>;
  /** Kills the server without waiting for its clients, for a process that exits at once. */
  abandon(): void;
}

/**
 * No fsync, because the data need not survive a crash of the machine. Names and texts are ordered by a language,
 * unless a query asks for the order of bytes.
 */
const FLAGS = [
  "fsync=off",
  "full_page_writes=off",
  "max_connections=300",
  "shared_buffers=64MB",
  "max_wal_size=1GB",
];

/** Bytes that the files of all tests' databases never reach. */
const ROOM = 4 << 30;
/** The folder of Linux for files in memory. */
const MEMORY = "/dev/shm";

/**
 * Returns the folder for a server's files: in memory if there is room. A database is 500 files, which tests create and
 * delete by the thousand; on disk that takes five times as long.
 */
function roomyFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Kills a server if it still runs. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGQUIT");
  } catch {
    // The process has ended already.
  }
}

/**
 * Starts a server on a free port with extra settings. Its files are in a new folder of `parent`, created with extra
 * arguments for `initdb`. As root it runs as the user `postgres`, which it creates if necessary.
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
      // Each connection verifies a password: 4,096 rounds are a third of its cost.
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
      // If another process killed the server, `stop` would wait for ever.
      if (running().exitCode === null && running().signalCode === null) await server.stop();
      remove();
    },
    abandon: () => {
      end(pid());
      remove();
    },
  };
}
