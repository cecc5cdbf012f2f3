import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ConfigError } from "../../src/config/config.ts";
import { readAuthorities } from "../../src/commands/open/mail.ts";
import { readClearSigning } from "../../src/commands/files/clear-signing.ts";
import { StartRefusal } from "../../src/commands/process/refusal.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { readPostgresAddress } from "../../src/lib/postgres-address.ts";
import { readPlainFile } from "../../src/runtime/plain-file.ts";
import { openPool } from "../../src/runtime/postgres/connection.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TIMEOUT = { timeout: 10_000 };
/** Far more than the service reads. The file is sparse. */
const GIBIBYTES_10 = 10 * 2 ** 30;

/** Hostile files, and the error for each. */
const HOSTILE: Readonly<Record<string, readonly [make: (path: string) => void, expected: RegExp]>> = {
  "a pipe without a writer": [
    (path) => void execFileSync("mkfifo", ["-m", "600", path]),
    /it is not a regular file$/,
  ],
  "a device without an end": [(path) => symlinkSync("/dev/zero", path), /it is not a regular file$/],
  "a folder": [(path) => mkdirSync(path, 0o700), /it is not a regular file$/],
  "a file of 10 GiB": [(path) => {
    writeFileSync(path, "", { mode: 0o600 });
    truncateSync(path, GIBIBYTES_10);
  }, /it is longer than (?:8|32) MiB$/],
  "a link to nothing": [(path) => symlinkSync("nothing", path), /it cannot be read \(ENOENT\)$/],
};

/** Readers of files named by settings, and the error of each. */
const READERS: Readonly<
  Record<string, readonly [name: string, read: (path: string) => unknown, thrown: RegExp]>
> = {
  NODE_EXTRA_CA_CERTS: [
    "ca.pem",
    (authoritiesFile) => readAuthorities({ authoritiesFile }),
    /^NODE_EXTRA_CA_CERTS names a file that cannot be used: /,
  ],
  sslrootcert: [
    "root.pem",
    (path) => open(`postgres://ada:none@192.0.2.1/x?sslrootcert=${path}`),
    /^Cannot use sslrootcert \S+root\.pem: /,
  ],
  PGPASSFILE: [
    "pass",
    (path) => open("postgres://ada@localhost/x", path),
    /^Cannot use password file \S+pass: /,
  ],
};

function open(url: string, passwordFile?: string): Promise<unknown> {
  const address = readPostgresAddress(url, { password: undefined, passwordFile });
  return openPool(address, { use: "serve", most: 1 });
}

for (const [setting, [name, read, thrown]] of Object.entries(READERS)) {
  describe(`the file of ${setting}`, () => {
    for (const [what, [make, expected]] of Object.entries(HOSTILE)) {
      test(`is refused with a message if it is ${what}`, TIMEOUT, async () => {
        using folder = temporaryFolder();
        const path = join(folder.path, name);
        make(path);
        await assert.rejects(async () => void await read(path), (error) => {
          assert.ok([ConfigError, StartRefusal, DatabaseError].some((kind) => error instanceof kind));
          const message = error instanceof ConfigError ? error.faults.join("\n") : (error as Error).message;
          assert.match(message, thrown);
          assert.match(message, expected);
          return true;
        });
      });
    }
  });
}

describe("a file of CLEAR_SIGNING_DIR", () => {
  for (const [what, [make, expected]] of Object.entries(HOSTILE)) {
    test(`is left out with a reason if it is ${what}`, TIMEOUT, () => {
      using folder = temporaryFolder();
      make(join(folder.path, "tokens.json"));
      const { leftOut, digest } = readClearSigning(folder.path);
      assert.deepEqual(leftOut.map(({ path }) => path), ["tokens.json"]);
      assert.match(leftOut[0]!.reason, expected);
      assert.notEqual(digest, undefined);
    });
  }
});

for (const setting of ["NODE_EXTRA_CA_CERTS", "sslrootcert"]) {
  const [name, read, thrown] = READERS[setting]!;
  for (
    const [what, text] of Object.entries({
      nothing: "",
      "a key": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n",
      "a request for one": "-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n",
      "words about one": "put -----BEGIN CERTIFICATE----- here\n",
    })
  ) {
    test(`the file of ${setting} is refused if it contains ${what} instead of a certificate`, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, name);
      writeFileSync(path, text, { mode: 0o600 });
      await assert.rejects(async () => void await read(path), (error: Error) => {
        assert.match(error.message, thrown);
        assert.match(error.message, /it contains no certificate in PEM$/);
        return true;
      });
    });
  }
}

test("a plain file is read completely, also through a link, up to a limit", () => {
  using folder = temporaryFolder();
  const [path, link] = [join(folder.path, "file"), join(folder.path, "link")];
  writeFileSync(path, "ä".repeat(100), { mode: 0o640 });
  symlinkSync(path, link);
  const { text, mode } = readPlainFile(link, 200);
  assert.deepEqual([text, mode & 0o777], ["ä".repeat(100), 0o640]);
  assert.throws(() => readPlainFile(path, 199), /^PlainFileError: it is longer than/);
  writeFileSync(path, "");
  assert.equal(readPlainFile(path).text, "");
});
