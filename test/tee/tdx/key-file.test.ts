import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import { isInMemory, KeyFileError, makeKeyFile, readKeyFile } from "../../../src/tee/tdx/key-file.ts";
import { inFolder } from "../../support/folder.ts";
import { runProgram, runtimes, shippedRuntime } from "../../support/program.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 0xa1);
const OTHER_KEY = KEY.toReversed();
const READ_KEYS = new URL("program/read-keys.ts", import.meta.url);

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Runs the job with a key file of this content and mode. */
async function withFile<T>(content: Uint8Array | string, mode: number, job: (path: string) => Promise<T>) {
  return await inFolder(async (folder) => {
    const path = join(folder, "key");
    writeFileSync(path, content);
    chmodSync(path, mode);
    return await job(path);
  });
}

function refusal(says: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof KeyFileError && error instanceof TeeStartError, String(error));
    assert.equal(error.code, "key_file");
    assert.match(error.message, says);
    assert.ok(!error.message.includes(KEY.toHex()));
    return true;
  };
}

describe("readKeyFile()", () => {
  const accepted: Readonly<Record<string, Uint8Array | string>> = {
    "32 bytes": KEY,
    "64 lower-case digits": KEY.toHex(),
    "64 upper-case digits": KEY.toHex().toUpperCase(),
    "64 digits and a newline": KEY.toHex() + "\n",
  };
  for (const [name, content] of Object.entries(accepted)) {
    test(`reads ${name}`, async () => {
      for (const mode of [0o600, 0o400]) {
        assert.deepEqual(await withFile(content, mode, readKeyFile), KEY);
      }
    });
  }

  const refused: Readonly<Record<string, Uint8Array | string>> = {
    "nothing": "",
    "31 bytes": KEY.slice(1),
    "33 bytes": new Uint8Array([...KEY, 1]),
    "63 digits": KEY.toHex().slice(1),
    "64 characters that are no digits": KEY.toHex().slice(2) + "xy",
    "a prefix and 62 digits": "0x" + KEY.toHex().slice(2),
    "64 digits and a space": KEY.toHex() + " ",
    "64 digits and two newlines": KEY.toHex() + "\n\n",
    "64 bytes": new Uint8Array([...KEY, ...KEY]),
    "a megabyte": new Uint8Array(1 << 20).fill(1),
  };
  for (const [name, content] of Object.entries(refused)) {
    test(`refuses ${name}`, async () => {
      await assert.rejects(withFile(content, 0o600, readKeyFile), refusal(/neither 32 bytes nor 64/));
    });
  }

  for (const byte of [0, 1, 0xff]) {
    test(`refuses bytes that are all ${byte}, raw and in hex`, async () => {
      const key = new Uint8Array(32).fill(byte);
      await assert.rejects(withFile(key, 0o600, readKeyFile), refusal(/all its bytes are the same/));
      await assert.rejects(
        withFile(key.toHex(), 0o600, readKeyFile),
        refusal(/all its bytes are the same/),
      );
    });
  }

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666]) {
    test(`refuses a file of mode ${mode.toString(8)}`, async () => {
      await assert.rejects(withFile(KEY, mode, readKeyFile), refusal(/others may read or write/));
    });
  }

  test("refuses a symbolic link, also to a valid file; accepts a hard link", async () => {
    await withFile(KEY, 0o600, async (path) => {
      symlinkSync(path, `${path}.symbolic`);
      symlinkSync(`${path}.nothing`, `${path}.dangling`);
      linkSync(path, `${path}.hard`);
      await assert.rejects(readKeyFile(`${path}.symbolic`), refusal(/symbolic link/));
      await assert.rejects(readKeyFile(`${path}.dangling`), refusal(/symbolic link/));
      assert.deepEqual(await readKeyFile(`${path}.hard`), KEY);
    });
  });

  test("refuses a folder, and a pipe without waiting for a writer", async () => {
    await inFolder(async (folder) => {
      mkdirSync(join(folder, "folder"), { mode: 0o700 });
      execFileSync("mkfifo", ["-m", "600", join(folder, "pipe")]);
      await assert.rejects(readKeyFile(join(folder, "folder")), refusal(/not a regular file/));
      await assert.rejects(readKeyFile(join(folder, "pipe")), refusal(/not a regular file/));
    });
  });

  test("reports a missing file", async () => {
    await inFolder(async (folder) => {
      await assert.rejects(readKeyFile(join(folder, "key")), refusal(/no such file/));
    });
  });

  const skip = process.geteuid?.() === 0 ? false : "Only root can give files away";
  test("refuses a file of another user", { skip }, async () => {
    await withFile(KEY, 0o600, async (path) => {
      chownSync(path, 65_534, 65_534);
      await assert.rejects(readKeyFile(path), refusal(/belongs neither to root/));
    });
  });
});

// With restricted permissions the runtime resolves paths itself; with all of them it does not.
describe("readKeyFile() with the shipped permissions", () => {
  test("refuses a symbolic link, dangling or to a valid key, and reads a file", async () => {
    await inFolder(async (folder) => {
      const paths = ["file", "symbolic", "dangling"].map((name) => join(folder, name));
      writeFileSync(paths[0]!, KEY, { mode: 0o600 });
      symlinkSync(paths[0]!, paths[1]!);
      symlinkSync(join(folder, "nothing"), paths[2]!);
      const { stdout, stderr } = await runProgram(shippedRuntime(), READ_KEYS, "each", ...paths);
      assert.deepEqual(stdout.trimEnd().split("\n"), [KEY.toHex(), "not_a_file", "not_a_file"], stderr);
    });
  });

  test("without the permission to read the user id, reports it for a file that is not root's", async () => {
    const flags = ["run", "--no-check", "--no-prompt", "--allow-read", "--allow-write"];
    await withFile(KEY, 0o600, async (path) => {
      if (process.geteuid?.() === 0) chownSync(path, 65_534, 65_534);
      const { stdout, stderr } = await runProgram(
        [runtimes()["deno"]![0]!, ...flags],
        READ_KEYS,
        "each",
        path,
      );
      assert.equal(stdout, "unknown_owner\n", stderr);
    });
  });

  test("never reads through a link that replaces the file meanwhile", async () => {
    await inFolder(async (folder) => {
      const [path, target] = [join(folder, "key"), join(folder, "elsewhere")];
      writeFileSync(path, KEY, { mode: 0o600 });
      writeFileSync(target, OTHER_KEY, { mode: 0o600 });
      const { stdout, stderr, code } = await runProgram(shippedRuntime(), READ_KEYS, "swapped", path, target);
      assert.equal(code, 0, stderr);
      const seen = stdout.trimEnd().split("\n");
      assert.ok(seen.includes(KEY.toHex()) && seen.includes("not_a_file"), stdout);
      assert.ok(!seen.includes(OTHER_KEY.toHex()), stdout);
    });
  });
});

describe("isInMemory()", () => {
  test("returns false for a file that is not there", async () => {
    assert.equal(await isInMemory("/nowhere/at/all"), false);
  });

  test("returns true for a file in /dev/shm, where that is a tmpfs", async () => {
    const mounts = execFileSync("cat", ["/proc/mounts"], { encoding: "utf8" });
    assert.equal(await isInMemory("/dev/shm"), /^\S+ \/dev\/shm tmpfs /m.test(mounts));
  });
});

describe("makeKeyFile()", () => {
  test("writes 32 bytes of the random source with mode 0600, and leaves nothing else", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "key");
      const drawn: Uint8Array[] = [];
      await makeKeyFile(path, (length) => {
        drawn.push(Uint8Array.from({ length }, (_, index) => index + length));
        return drawn.at(-1)!;
      });
      assert.deepEqual(await readKeyFile(path), Uint8Array.from({ length: 32 }, (_, index) => index + 32));
      assert.equal(statSync(path).mode & 0o7777, 0o600);
      assert.deepEqual(readdirSync(folder), ["key"]);
      const key = drawn.find(({ length }) => length === 32)!;
      assert.ok(key.every((byte) => byte === 0));
    });
  });

  test("does not replace an existing file of any kind", async () => {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "short"), "x");
      symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
      await makeKeyFile(join(folder, "short"), random);
      await makeKeyFile(join(folder, "link"), random);
      assert.equal(readFileSync(join(folder, "short"), "utf8"), "x");
      assert.deepEqual(readdirSync(folder).sort(), ["link", "short"]);
    });
  });

  test("creates one key for concurrent starts", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "key");
      const keys = await Promise.all(Array.from({ length: 16 }, async () => {
        await makeKeyFile(path, random);
        return (await readKeyFile(path)).toHex();
      }));
      assert.equal(new Set(keys).size, 1);
      assert.deepEqual(readdirSync(folder), ["key"]);
    });
  });

  test("fails and leaves nothing when the folder does not exist", async () => {
    await inFolder(async (folder) => {
      await assert.rejects(makeKeyFile(join(folder, "absent", "key"), random), { code: "ENOENT" });
      assert.deepEqual(readdirSync(folder), []);
    });
  });
});
