import { availableParallelism } from "node:os";
import { join } from "node:path";

// The steps of the gate, as data: `check.ts` runs them.

export interface Step {
  readonly name: string;
  readonly tool: "bun" | "deno" | "tsc";
  readonly arguments: readonly string[];
  /** Variables in addition to those of all steps. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A run of tests. Its report is `<name>.xml` in the temporary folder. */
export interface TestStep extends Step {
  readonly tests: readonly string[];
  /** The kind of their databases, if not SQLite. */
  readonly database?: "postgres";
  /** Modules to write before it runs: their paths, and the test files that each loads. */
  readonly groups?: ReadonlyMap<string, readonly string[]>;
}

export interface Steps {
  /** Run in parallel. The tests wait for the one named `build`. */
  readonly checks: readonly Step[];
  /** Lanes run in parallel; the steps of a lane run one after the other. */
  readonly tests: readonly (readonly TestStep[])[];
}

const CHECKS: readonly Step[] = [
  { name: "format", tool: "deno", arguments: ["fmt", "--check"] },
  { name: "lint", tool: "deno", arguments: ["lint"] },
  { name: "types", tool: "tsc", arguments: ["-p", ".", "--singleThreaded"] },
  { name: "build", tool: "bun", arguments: ["scripts/build.ts"] },
];

const BROWSER = join("test", "browser") + "/";

/** Tests that run once, because the processes they start are the same on both runtimes. */
export const ONCE: readonly string[] = [
  "test/accounts/processes.test.ts",
  "test/client/package.test.ts",
  "test/commits.test.ts",
  "test/db/start-together.test.ts",
  "test/flow/asking-processes.test.ts",
  "test/flow/backchannel-logout.test.ts",
  "test/flow/backchannel-processes.test.ts",
  "test/flow/guessing.test.ts",
  "test/flow/identity-processes.test.ts",
  "test/flow/oauth-processes.test.ts",
  "test/flow/oauth-races.test.ts",
  "test/runtime/executable.test.ts",
  "test/runtime/start.test.ts",
  "test/scripts/exit-code.test.ts",
  "test/scripts/group.test.ts",
  "test/scripts/release.test.ts",
  "test/scripts/arguments.test.ts",
];

/**
 * Folders and files whose tests run on Deno too. All others run on Bun only: `src` outside of `runtime/`, `tee/`,
 * `mail/`, `commands/` and `main.ts` uses the language and web standards alone, so its rules hold on Deno if what it
 * stands on does. `test/scripts/steps.test.ts` checks that these tests load every module of the service below its
 * commands.
 */
export const ON_DENO: readonly string[] = [
  // The runtime, and the code that meets it first: sockets, files, processes, SQLite, cryptography, sealed rows.
  "test/client",
  "test/db",
  "test/identity",
  "test/mail",
  "test/push",
  "test/features/push",
  "test/runtime",
  "test/store/changed-meanwhile.test.ts",
  "test/store/copy-tables.test.ts",
  "test/store/queries.test.ts",
  "test/store/state/by-turns.test.ts",
  "test/store/state/owner-state.test.ts",
  "test/tee/broker",
  "test/tee/dstack",
  "test/tee/quote/pccs.test.ts",
  "test/tee/quote/simulated.test.ts",
  "test/tee/simulated",
  "test/tee/tdx",
  "test/vault/ethereum-key.test.ts",
  "test/vault/release-key.test.ts",
  "test/vault/seal.test.ts",
  "test/vault/seed.test.ts",
  "test/vault/token-key.test.ts",
  "test/vault/vault.test.ts",
  "test/http/boundary.test.ts",
  "test/http/content-read.test.ts",
  "test/http/cpu-queue.test.ts",
  "test/http/request",
  "test/http/response",
  // Each command once as its own process, with what Deno does to signals, files and streams.
  "test/commands/acknowledge-rollback.test.ts",
  "test/commands/backup-load.test.ts",
  "test/commands/backup.test.ts",
  "test/commands/check-pages.test.ts",
  "test/commands/derive.test.ts",
  "test/commands/doctor.test.ts",
  "test/commands/drain.test.ts",
  "test/commands/expected-workload.test.ts",
  "test/commands/files",
  "test/commands/health.test.ts",
  "test/commands/lookup.test.ts",
  "test/commands/main.test.ts",
  "test/commands/move.test.ts",
  "test/commands/open",
  "test/commands/process",
  "test/commands/recovery.test.ts",
  "test/commands/repair-account.test.ts",
  "test/commands/rotate-keys.test.ts",
  "test/commands/serve-processes.test.ts",
  "test/commands/serve.test.ts",
  "test/commands/upgrade-check.test.ts",
  "test/commands/verify-audit.test.ts",
  "test/commands/verify-quote.test.ts",
  "test/scripts/start-scripts.test.ts",
  // Several processes, or requests that meet, at one database.
  "test/audit/append.test.ts",
  "test/flow/other-process.test.ts",
  "test/flow/repair-account.test.ts",
  "test/flow/repair-service.test.ts",
  "test/flow/ignored-writes.test.ts",
  "test/keys/signing-requests/races.test.ts",
  // Faults around the process: of its disk, its permissions, its hardware, its network.
  "test/flow/busy.test.ts",
  "test/flow/disk.test.ts",
  "test/flow/permissions.test.ts",
  "test/flow/tee.test.ts",
  // Published vectors, and code that depends most on the engine: patterns, big integers, Web Crypto, dates.
  "test/conformance/id-token.test.ts",
  "test/ethereum/keccak.test.ts",
  "test/ethereum/signature.test.ts",
  "test/ethereum/transaction/rlp.test.ts",
  "test/ethereum/typed-data/typed-data-published.test.ts",
  "test/lib/time.test.ts",
  "test/oauth/dpop",
  "test/policy/read-policy.test.ts",
  "test/tee/quote/dcap-qvl.test.ts",
  "test/ui/assets.test.ts",
  "test/ui/faults.test.ts",
  "test/ui/parts.test.ts",
  "test/webauthn/vectors.test.ts",
  // One story of each feature, through the whole service.
  "test/broker/release.test.ts",
  "test/features/account/passkeys.test.ts",
  "test/features/activity/activity.test.ts",
  "test/features/administration/accounts.test.ts",
  "test/features/applications/clients.test.ts",
  "test/features/authorization/authorize.test.ts",
  "test/features/description/openapi.test.ts",
  "test/features/keys/keys.test.ts",
  "test/features/mcp/mcp.test.ts",
  "test/features/settings/change-email.test.ts",
  "test/features/sign-in/sign-in.test.ts",
  "test/features/signing-requests/approval.test.ts",
  "test/features/signing/transactions.test.ts",
  "test/features/tokens/token-proofs.test.ts",
  "test/flow/first-signature.test.ts",
  "test/flow/hostile-database.test.ts",
  "test/flow/identity-upstream.test.ts",
  "test/flow/key-policy.test.ts",
  "test/flow/oauth-clients.test.ts",
  "test/flow/programs.test.ts",
  "test/flow/recovery.test.ts",
  "test/flow/log-receipt.test.ts",
];

/** The tests of PostgreSQL only. */
const POSTGRES_ONLY = join("test", "postgres") + "/";

/**
 * Files whose tests run on PostgreSQL too: those that depend on the behaviour of a database, and one story of each
 * kind whose statements no test in `test/postgres` has. `test/postgres/alike.test.ts` compares the answers of both
 * engines. Requests that meet at several processes are in `test/postgres`.
 */
export const POSTGRES: readonly string[] = [
  "test/audit/append.test.ts",
  "test/flow/editor-gains.test.ts",
  "test/flow/first-signature.test.ts",
  "test/flow/hostile-database.test.ts",
  "test/flow/ignored-writes.test.ts",
  "test/features/administration/admin-pages.test.ts",
  "test/features/settings/deletion.test.ts",
  "test/limits/policy-counters.test.ts",
  "test/mail/outbox.test.ts",
];

/**
 * The files among them that Deno runs: the engine and one story. The others run the same SQL over the same driver, and
 * the commands run on Deno over SQLite.
 */
export const POSTGRES_ON_DENO: readonly string[] = [
  "test/flow/first-signature.test.ts",
  "test/postgres/engine.test.ts",
  "test/postgres/faults.test.ts",
  "test/postgres/locks.test.ts",
  "test/postgres/operator.test.ts",
  "test/postgres/scope.test.ts",
  "test/postgres/tls.test.ts",
  "test/postgres/unusable.test.ts",
  "test/postgres/who-asks.test.ts",
];

/** Files that take longest on Deno, the longest first. */
export const LONG: readonly string[] = [
  "test/commands/serve-processes.test.ts",
  "test/flow/tee.test.ts",
  "test/flow/disk.test.ts",
  "test/commands/serve.test.ts",
  "test/commands/main.test.ts",
  "test/flow/other-process.test.ts",
  "test/runtime/serve.test.ts",
  "test/commands/recovery.test.ts",
  "test/flow/recovery.test.ts",
  "test/flow/permissions.test.ts",
];

function bunTests(name: string, files: readonly string[], folder: string, workers: number): TestStep {
  const report = `--reporter-outfile=${join(folder, name + ".xml")}`;
  const flags = ["--timeout=60000", "--only-failures", "--reporter=junit", report];
  // Loads modules once for each worker. Loading them for each file would take a fifth of the time.
  if (workers > 1) flags.push(`--parallel=${workers}`, "--no-isolate");
  const paths = files.map((file) => "./" + file);
  return { name, tool: "bun", arguments: ["test", ...flags, ...paths], tests: files };
}

/**
 * Returns the step of Deno. Deno loads all modules again for each file it is given, which takes three seconds, so it
 * gets one module for each worker, and no more workers than cores: the other lanes use the time that it waits. The test
 * files are dealt out in turn, the long ones first.
 */
function denoTests(name: string, files: readonly string[], folder: string): TestStep {
  const report = `--junit-path=${join(folder, name + ".xml")}`;
  const flags = ["--no-check", "-A", "--parallel", "--reporter=dot", report];
  const jobs = availableParallelism();
  const groups = new Map<string, string[]>();
  const ordered = [
    ...LONG.filter((file) => files.includes(file)),
    ...files.filter((file) => !LONG.includes(file)),
  ];
  for (const [index, file] of ordered.entries()) {
    const path = join(folder, `${name}-${index % jobs}.test.ts`);
    groups.set(path, [...groups.get(path) ?? [], file]);
  }
  return {
    name,
    tool: "deno",
    arguments: ["test", ...flags, ...groups.keys()],
    tests: files,
    groups,
    environment: { DENO_JOBS: String(jobs) },
  };
}

/**
 * Returns the steps of the gate for these test files. Reports go to the folder. Only the tests of `ON_DENO` run on Deno
 * too.
 */
export function stepsFor(files: readonly string[], folder: string): Steps {
  const sorted = files.toSorted();
  const browser = sorted.filter((file) => file.startsWith(BROWSER));
  const once = sorted.filter((file) => ONCE.includes(file));
  const onPostgres = sorted.filter((file) => file.startsWith(POSTGRES_ONLY) || isOneOf(POSTGRES, file));
  const shared = sorted.filter((file) =>
    !browser.includes(file) && !once.includes(file) && !file.startsWith(POSTGRES_ONLY)
  );
  const workers = availableParallelism();
  const onServer = { database: "postgres" as const };
  // Three at a time keep two cores busy. Four took 8 % more processor time for the same tests.
  const lanes = [
    // One worker more: otherwise this lane ends last, and leaves cores idle while its tests wait.
    [bunTests("bun", shared, folder, workers + 1)],
    [
      bunTests("browser", browser, folder, workers),
      denoTests("deno", shared.filter((file) => isOneOf(ON_DENO, file)), folder),
    ],
    [
      { ...bunTests("postgres", onPostgres, folder, workers), ...onServer },
      bunTests("once", once, folder, 1),
      {
        ...denoTests("postgres-deno", onPostgres.filter((file) => POSTGRES_ON_DENO.includes(file)), folder),
        ...onServer,
      },
    ],
  ].map((lane) => lane.filter(({ tests }) => tests.length > 0));
  return { checks: CHECKS, tests: lanes.filter((lane) => lane.length > 0) };
}

/**
 * Returns the test files at or below these paths, and the paths without a test file. Accepts `./` and a trailing `/`.
 */
export function selectFiles(
  all: readonly string[],
  paths: readonly string[],
): { readonly files: readonly string[]; readonly unknown: readonly string[] } {
  const plain = paths.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return {
    files: all.filter((file) => isOneOf(plain, file)),
    unknown: plain.filter((path) => !all.some((file) => isOneOf([path], file))),
  };
}

/** Returns true if a file is one of these paths, or below one. */
function isOneOf(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file === path || file.startsWith(path + "/"));
}
