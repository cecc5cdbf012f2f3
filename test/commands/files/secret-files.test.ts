import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SECRET_SETTINGS, withSecretFiles } from "../../../src/commands/files/secret-files.ts";
import { ConfigError, readServingConfig } from "../../../src/config/config.ts";
import type { Environment } from "../../../src/config/config.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** Writes a file into a folder and returns its path. */
function fileWith(folder: { readonly path: string }, content: string | Uint8Array, mode = 0o600): string {
  const path = join(folder.path, "secret");
  // Deleted first, because its owner may not write into a file of another mode.
  rmSync(path, { force: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** Contents of a file, and the secret in it. */
const ENDINGS = [["a b", "a b"], ["a\n", "a"], ["a\r\n", "a"], ["a\n\n", "a\n"], ["é", "é"]] as const;

function faultsOf(environment: Environment): readonly string[] {
  try {
    withSecretFiles(environment, () => {});
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.faults;
  }
}

describe("withSecretFiles()", () => {
  for (const name of SECRET_SETTINGS) {
    test(`reads ${name} from the file of ${name}_FILE, without one line break at its end`, () => {
      using folder = temporaryFolder();
      const notes: string[] = [];
      for (const [content, text] of ENDINGS) {
        const given = { [`${name}_FILE`]: fileWith(folder, content), OTHER: "1" };
        assert.deepEqual(withSecretFiles(given, (line) => notes.push(line)), { [name]: text, OTHER: "1" });
      }
      assert.deepEqual(notes, []);
    });
  }

  test("refuses a variable that is set in both ways, and ignores an empty one", () => {
    using folder = temporaryFolder();
    const path = fileWith(folder, "from the file");
    assert.deepEqual(faultsOf({ ADMIN_API_KEY: "k", ADMIN_API_KEY_FILE: path }), [
      "ADMIN_API_KEY and ADMIN_API_KEY_FILE are both set: unset one",
    ]);
    assert.equal(withSecretFiles({ SMTP_URL: "", SMTP_URL_FILE: path })["SMTP_URL"], "from the file");
    assert.deepEqual(withSecretFiles({ SMTP_URL: "a", SMTP_URL_FILE: "" }), { SMTP_URL: "a" });
  });

  test("names every unusable file, and does not echo its content", () => {
    using folder = temporaryFolder();
    const paths: Readonly<
      Record<string, readonly [content: string | Uint8Array | undefined, fault: RegExp]>
    > = {
      "missing": [undefined, /cannot be read \(ENOENT\)/],
      "empty": ["", /is empty/],
      "a line break": ["\n", /is empty/],
      "long": ["s3cret".repeat(11_000), /is too large/],
      "a NUL": ["s3cret\0", /has a NUL character/],
      "bytes": [Uint8Array.of(0x73, 0xff), /is no text in UTF-8/],
    };
    for (const [name, [content, fault]] of Object.entries(paths)) {
      const path = join(folder.path, name);
      if (content !== undefined) writeFileSync(path, content);
      const [found, ...rest] = faultsOf({ PGPASSWORD_FILE: path });
      assert.match(found!, fault);
      assert.ok(found!.startsWith("PGPASSWORD_FILE names a file that ") && !found!.includes("s3cret"));
      assert.deepEqual(rest, []);
    }
    assert.match(faultsOf({ PGPASSWORD_FILE: "/dev/zero" })[0]!, /is too large/);
    mkdirSync(join(folder.path, "folder"));
    const both = faultsOf({ SMTP_URL_FILE: join(folder.path, "folder"), ADMIN_API_KEY_FILE: "/nowhere/key" });
    assert.equal(both.length, 2);
  });

  test("warns once of a file that others may read, and uses it", () => {
    using folder = temporaryFolder();
    for (const [mode, isNoted] of [[0o600, false], [0o440, false], [0o660, true], [0o444, true]] as const) {
      const notes: string[] = [];
      const given = { ADMIN_API_KEY_FILE: fileWith(folder, "key", mode) };
      assert.equal(withSecretFiles(given, (line) => notes.push(line))["ADMIN_API_KEY"], "key");
      const line = `ADMIN_API_KEY_FILE: other users may use the file (mode ${mode.toString(8)}); chmod 600`;
      assert.deepEqual(notes, isNoted ? [line] : []);
    }
  });

  test("the content of a file has the same rules, and a misspelt name is refused", () => {
    using folder = temporaryFolder();
    const read = (environment: Environment) => () => readServingConfig(withSecretFiles(environment));
    assert.throws(read({ ADMIN_API_KEY_FILE: fileWith(folder, "short\n") }), /at least 32 characters/);
    assert.throws(read({ SMTP_URL_FILES: "/x" }), /SMTP_URL_FILES is not known/);
    const key = "k".repeat(32);
    const { secrets } = read({ ADMIN_API_KEY_FILE: fileWith(folder, `${key}\n`) })();
    assert.equal(secrets.adminApiKey, key);
  });
});
