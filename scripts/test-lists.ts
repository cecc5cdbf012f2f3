// Which test files run where, as data: `steps.ts` makes the steps of the gate from them.

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
