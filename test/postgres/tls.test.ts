import assert from "node:assert/strict";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { DatabaseError } from "../../src/db/error.ts";
import type { PostgresAddress } from "../../src/lib/postgres-address.ts";
import { openPool } from "../../src/runtime/postgres/connection.ts";
import { readPostgresSealKeyIds } from "../../src/runtime/postgres/open.ts";
import { onServer, postgresAt } from "../support/postgres.ts";
import { CERTIFICATES } from "../support/smtp-certificates.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 60_000 };

/** Enables TLS on the tests' server, with the certificate for `localhost`. It still accepts connections without TLS. */
async function switchTlsOn(): Promise<void> {
  const { rows: [{ data_directory: folder }] } = await onServer("postgres", "show data_directory");
  const { uid, gid } = statSync(folder);
  const { key, cert } = CERTIFICATES.localhost;
  for (const [name, text] of [["tls.key", key], ["tls.crt", cert]] as const) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
  }
  await onServer(
    "postgres",
    "alter system set ssl_key_file = 'tls.key'",
    "alter system set ssl_cert_file = 'tls.crt'",
    "alter system set ssl = on",
    "select pg_reload_conf()",
  );
  for (;;) {
    const { rows: [{ ssl }] } = await onServer("postgres", "show ssl");
    if (ssl === "on") return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function isEncrypted(address: PostgresAddress): Promise<boolean> {
  const pool = await openPool(address, { use: "serve", most: 1 });
  try {
    const { rows: [row] } = await pool.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    return row.ssl;
  } finally {
    await pool.end();
  }
}

describe("a server that speaks TLS", () => {
  before(switchTlsOn, LIMIT);

  async function withAuthority(
    whose: keyof typeof CERTIFICATES | undefined,
    job: (address: PostgresAddress) => Promise<void>,
  ): Promise<void> {
    using folder = temporaryFolder();
    const authoritiesFile = whose && join(folder.path, "authorities.pem");
    if (authoritiesFile !== undefined) writeFileSync(authoritiesFile, CERTIFICATES[whose!].cert);
    await job({ ...postgresAt("postgres"), host: "localhost", tls: "verify-full", authoritiesFile });
  }

  test(
    "is used, encrypted, if its authority is known and its name matches",
    LIMIT,
    async () => {
      await withAuthority("localhost", async (address) => {
        assert.equal(await readPostgresSealKeyIds(address), "absent");
        assert.deepEqual([await isEncrypted(address), await isEncrypted({ ...address, tls: "disable" })], [
          true,
          false,
        ]);
      });
    },
  );

  const UNTRUSTED: Readonly<
    Record<
      string,
      readonly [authority: keyof typeof CERTIFICATES | undefined, change: Partial<PostgresAddress>]
    >
  > = {
    "its certificate is for another name": ["localhost", { host: "127.0.0.1" }],
    "another authority is believed": ["elsewhere", {}],
    "the usual authorities are believed": [undefined, {}],
  };
  for (const [what, [authority, change]] of Object.entries(UNTRUSTED)) {
    test(`is refused at once where ${what}`, LIMIT, async () => {
      await withAuthority(authority, async (address) => {
        await assert.rejects(readPostgresSealKeyIds({ ...address, ...change }), (error) => {
          assert.ok(error instanceof DatabaseError, String(error));
          assert.equal(error.code, "login_refused");
          assert.match(error.message, /the connection to its server cannot be trusted/);
          return true;
        });
      });
    });
  }

  test("is used without verification if only encryption is required", LIMIT, async () => {
    await withAuthority(undefined, async (address) => {
      assert.equal(await isEncrypted({ ...address, tls: "require" }), true);
    });
  });
});
