import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import { isInMemory, readSealingKey } from "../../../src/tee/tdx/tdx-key.ts";
import { inFolder } from "../../support/folder.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 0xa1);

/** A key file of this content and mode. */
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
    assert.ok(error instanceof TeeStartError, String(error));
    assert.equal(error.code, "key_file");
    assert.match(error.message, says);
    assert.ok(!error.message.includes(KEY.toHex()));
    return true;
  };
}

describe("readSealingKey()", () => {
  const accepted: Readonly<Record<string, Uint8Array | string>> = {
    "32 bytes": KEY,
    "64 lower-case digits": KEY.toHex(),
    "64 upper-case digits": KEY.toHex().toUpperCase(),
    "64 digits and a newline": KEY.toHex() + "\n",
  };
  for (const [name, content] of Object.entries(accepted)) {
    test(`reads ${name}`, async () => {
      for (const mode of [0o600, 0o400]) {
        assert.deepEqual(await withFile(content, mode, readSealingKey), KEY);
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
      await assert.rejects(withFile(content, 0o600, readSealingKey), refusal(/neither 32 bytes nor 64/));
    });
  }

  for (const byte of [0, 1, 0xff]) {
    test(`refuses bytes that are all ${byte}, raw and in digits`, async () => {
      const key = new Uint8Array(32).fill(byte);
      await assert.rejects(withFile(key, 0o600, readSealingKey), refusal(/all its bytes are the same/));
      await assert.rejects(
        withFile(key.toHex(), 0o600, readSealingKey),
        refusal(/all its bytes are the same/),
      );
    });
  }

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666]) {
    test(`refuses a file of mode ${mode.toString(8)}`, async () => {
      await assert.rejects(withFile(KEY, mode, readSealingKey), refusal(/others may read or write/));
    });
  }

  test("refuses a symbolic link, also to a file that is right; takes a hard link", async () => {
    await withFile(KEY, 0o600, async (path) => {
      symlinkSync(path, `${path}.symbolic`);
      symlinkSync(`${path}.nothing`, `${path}.dangling`);
      linkSync(path, `${path}.hard`);
      await assert.rejects(readSealingKey(`${path}.symbolic`), refusal(/symbolic link/));
      await assert.rejects(readSealingKey(`${path}.dangling`), refusal(/symbolic link/));
      assert.deepEqual(await readSealingKey(`${path}.hard`), KEY);
    });
  });

  test("refuses a folder, and a pipe without waiting for a writer", async () => {
    await inFolder(async (folder) => {
      mkdirSync(join(folder, "folder"), { mode: 0o700 });
      execFileSync("mkfifo", ["-m", "600", join(folder, "pipe")]);
      await assert.rejects(readSealingKey(join(folder, "folder")), refusal(/not a regular file/));
      await assert.rejects(readSealingKey(join(folder, "pipe")), refusal(/not a regular file/));
    });
  });

  test("says that there is none", async () => {
    await inFolder(async (folder) => {
      await assert.rejects(readSealingKey(join(folder, "key")), refusal(/no such file/));
    });
  });

  const skip = process.geteuid?.() === 0 ? false : "Only root can give files away";
  test("refuses a file of another user", { skip }, async () => {
    await withFile(KEY, 0o600, async (path) => {
      chownSync(path, 65_534, 65_534);
      await assert.rejects(readSealingKey(path), refusal(/belongs neither to root/));
    });
  });
});

describe("isInMemory()", () => {
  test("says no to a file that is not there", async () => {
    assert.equal(await isInMemory("/nowhere/at/all"), false);
  });

  test("says yes to a file in /dev/shm, where that is a tmpfs", async () => {
    const mounts = execFileSync("cat", ["/proc/mounts"], { encoding: "utf8" });
    assert.equal(await isInMemory("/dev/shm"), /^\S+ \/dev\/shm tmpfs /m.test(mounts));
  });
});
