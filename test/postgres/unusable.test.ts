import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { readDatabaseSealKeyIds } from "../../src/commands/open/database.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { hideText } from "../../src/lib/postgres-address.ts";
import { readPostgresSealKeyIds } from "../../src/runtime/postgres/open.ts";
import { findFreePort } from "../support/free-port.ts";
import { postgresAt, postgresUrl } from "../support/postgres.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 60_000 };

describe("a server that cannot be used", () => {
  const refused = (code: DatabaseError["code"], words: RegExp) => (error: unknown): boolean =>
    error instanceof DatabaseError && error.code === code && words.test(error.message) &&
    !error.message.includes("tops3cret");

  test("is retried, and then reported as unreachable", TIMEOUT, async () => {
    const address = { ...postgresAt("keys"), port: await findFreePort() };
    const begun = performance.now();
    await assert.rejects(
      readPostgresSealKeyIds(address, { connectTimeout: 1500 }),
      refused("unreachable", /does not answer: postgres:\/\/127\.0\.0\.1:\d+\/keys/),
    );
    assert.ok(performance.now() - begun > 900);
  });

  test("is reported at once for a wrong password or database", TIMEOUT, async () => {
    const wrong = { ...postgresAt("postgres"), password: hideText("tops3cret") };
    await assert.rejects(readPostgresSealKeyIds(wrong), refused("login_refused", /refuses the login/));
    await assert.rejects(
      readPostgresSealKeyIds(postgresAt("nowhere")),
      refused("login_refused", /has no database of that name/),
    );
  });

  test("is not used without TLS if TLS is required", TIMEOUT, async () => {
    const secure = { ...postgresAt("postgres"), tls: "verify-full" } as const;
    await assert.rejects(readPostgresSealKeyIds(secure), refused("login_refused", /cannot be trusted/));
  });

  test("refuses a start with exit 2 and one sentence without the password", TIMEOUT, async () => {
    using folder = temporaryFolder();
    const DATABASE_URL = postgresUrl("nowhere").replace(":none@", ":tops3cret@");
    await assert.rejects(
      startService({ runtime: builtRuntime("bun"), dataDir: folder.path, env: { DATABASE_URL } }),
      (error) => {
        assert.ok(error instanceof ServiceStartError);
        assert.equal(error.exit.code, 2);
        assert.match(error.stderr.join(), /Cannot use database/);
        assert.ok(!error.message.includes("tops3cret"));
        return true;
      },
    );
  });

  test(
    "gets no password if none is configured, even if the driver's default files have one",
    TIMEOUT,
    async () => {
      using folder = temporaryFolder();
      const file = join(folder.path, "pass");
      writeFileSync(file, "*:*:*:*:none\n", { mode: 0o600 });
      const { PGPASSFILE, PGPASSWORD } = process.env;
      Object.assign(process.env, { PGPASSFILE: file, PGPASSWORD: "none" });
      try {
        const without = { ...postgresAt("postgres"), password: undefined, passwordFile: undefined };
        await assert.rejects(readPostgresSealKeyIds(without), refused("login_refused", /refuses the login/));
      } finally {
        for (const [name, value] of Object.entries({ PGPASSFILE, PGPASSWORD })) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      }
    },
  );

  test("reads the password from a file that no other user may read", TIMEOUT, async () => {
    using folder = temporaryFolder();
    const passwordFile = join(folder.path, "pass");
    const address = { ...postgresAt("postgres"), password: undefined, passwordFile };
    writeFileSync(passwordFile, `# ours\n127.0.0.1:*:post\\gres:postgres:none\n`, { mode: 0o600 });
    assert.equal(await readPostgresSealKeyIds(address), "absent");
    writeFileSync(join(folder.path, "open"), "*:*:*:*:none\n", { mode: 0o644 });
    await assert.rejects(
      readPostgresSealKeyIds({ ...address, passwordFile: join(folder.path, "open") }),
      /others may read it/,
    );
    for (const unreadable of ["missing", "."]) {
      await assert.rejects(
        readPostgresSealKeyIds({ ...address, passwordFile: join(folder.path, unreadable) }),
        refused(
          "login_refused",
          /^Cannot use password file .*: (?:it cannot be read|it is not a regular file)/,
        ),
      );
    }
    assert.equal(
      typeof await readDatabaseSealKeyIds({ databasePath: ":memory:", postgres: undefined }),
      "string",
    );
  });
});
