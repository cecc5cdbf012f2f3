import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { KeyFileError, makeKeyFile, readKeyFile } from "../../../src/tee/tdx/key-file.ts";
import type { KeyFileFault } from "../../../src/tee/tdx/key-file.ts";
import { inFolder } from "../../support/folder.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

function fault(code: KeyFileFault): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof KeyFileError);
    assert.equal(error.code, code);
    assert.ok(!error.message.includes(KEY.toHex()));
    return true;
  };
}

describe("readKeyFile()", () => {
  test("gives the 32 bytes of a file that its owner alone may touch", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "key");
      for (const mode of [0o600, 0o400]) {
        writeFileSync(path, KEY, { mode });
        chmodSync(path, mode);
        assert.deepEqual(await readKeyFile(path), KEY);
        chmodSync(path, 0o600);
      }
    });
  });

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o666]) {
    test(`refuses a file of mode ${mode.toString(8)}`, async () => {
      await inFolder(async (folder) => {
        const path = join(folder, "key");
        writeFileSync(path, KEY);
        chmodSync(path, mode);
        await assert.rejects(readKeyFile(path), fault("open_to_others"));
      });
    });
  }

  for (const length of [0, 31, 33, 64, 100_000]) {
    test(`refuses a file of ${length} bytes`, async () => {
      await inFolder(async (folder) => {
        const path = join(folder, "key");
        writeFileSync(path, new Uint8Array(length).fill(1), { mode: 0o600 });
        await assert.rejects(readKeyFile(path), fault("wrong_size"));
      });
    });
  }

  test("refuses a symbolic link, also to a file that is right", async () => {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "right"), KEY, { mode: 0o600 });
      symlinkSync(join(folder, "right"), join(folder, "key"));
      symlinkSync(join(folder, "nothing"), join(folder, "dangling"));
      await assert.rejects(readKeyFile(join(folder, "key")), fault("not_a_file"));
      await assert.rejects(readKeyFile(join(folder, "dangling")), fault("not_a_file"));
    });
  });

  test("refuses a folder", async () => {
    await inFolder(async (folder) => {
      mkdirSync(join(folder, "key"), { mode: 0o700 });
      await assert.rejects(readKeyFile(join(folder, "key")), fault("not_a_file"));
    });
  });

  test("says that there is none", async () => {
    await inFolder(async (folder) => {
      await assert.rejects(readKeyFile(join(folder, "key")), fault("missing"));
    });
  });
});

describe("makeKeyFile()", () => {
  test("makes 32 bytes of the random source with mode 0600, and leaves nothing else", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "key");
      const drawn: Uint8Array[] = [];
      await makeKeyFile(path, (length) => {
        drawn.push(new Uint8Array(length).fill(length));
        return drawn.at(-1)!;
      });
      assert.deepEqual(await readKeyFile(path), new Uint8Array(32).fill(32));
      assert.equal(statSync(path).mode & 0o7777, 0o600);
      assert.deepEqual(readdirSync(folder), ["key"]);
      const key = drawn.find(({ length }) => length === 32)!;
      assert.ok(key.every((byte) => byte === 0));
    });
  });

  test("leaves what has the name already, whatever it is", async () => {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "short"), "x");
      symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
      await makeKeyFile(join(folder, "short"), random);
      await makeKeyFile(join(folder, "link"), random);
      assert.equal(readFileSync(join(folder, "short"), "utf8"), "x");
      assert.deepEqual(readdirSync(folder).sort(), ["link", "short"]);
    });
  });

  test("lets starters that meet agree on one key", async () => {
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
