import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tryLockDatabase } from "../../src/runtime/database-lock.ts";
import type { LockMode } from "../../src/runtime/database-lock.ts";
import { runtimes } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const HOLDER = fileURLToPath(new URL("./program/lock-database.ts", import.meta.url));

interface Holder extends AsyncDisposable {
  readonly output: string;
  kill(): Promise<void>;
}

async function startHolder(command: readonly string[], mode: LockMode, path: string): Promise<Holder> {
  const child: ChildProcess = spawn(command[0]!, [...command.slice(1), HOLDER, mode, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const [line] = await once(child.stdout!, "data");
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(child.pid!, "SIGKILL");
    await closed;
  };
  return { output: String(line).trim(), kill, [Symbol.asyncDispose]: kill };
}

describe("tryLockDatabase()", () => {
  test("locks a database for any number of users, or for one replacement, in one process", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "a.db");
    const users = [tryLockDatabase(path, "use"), tryLockDatabase(path, "use")];
    assert.ok(users.every((user) => user !== undefined));
    assert.equal(tryLockDatabase(path, "replace"), undefined);
    users[0]!.release();
    assert.equal(tryLockDatabase(path, "replace"), undefined);
    users[1]!.release();
    const replacer = tryLockDatabase(path, "replace");
    assert.ok(replacer !== undefined);
    assert.equal(tryLockDatabase(path, "use"), undefined);
    assert.equal(tryLockDatabase(path, "replace"), undefined);
    replacer.release();
    assert.equal(statSync(`${path}.lock`).mode & 0o777, 0o600);
    assert.equal(statSync(`${path}.lock`).size, 0);
  });

  for (const [name, command] of Object.entries(runtimes())) {
    test(`counts a process on ${name}, and no more once that was killed`, { timeout: 60_000 }, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "a.db");
      await using user = await startHolder(command, "use", path);
      assert.equal(user.output, "held");
      // Time for the garbage collector of the locking process.
      await delay(300);
      assert.equal(tryLockDatabase(path, "replace"), undefined);
      tryLockDatabase(path, "use")!.release();
      await user.kill();
      tryLockDatabase(path, "replace")!.release();

      await using replacer = await startHolder(command, "replace", path);
      assert.equal(replacer.output, "held");
      await delay(300);
      assert.equal(tryLockDatabase(path, "use"), undefined);
      await using second = await startHolder(command, "use", path);
      assert.equal(second.output, "refused");
      await replacer.kill();
      tryLockDatabase(path, "use")!.release();
    });
  }
});
