import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checkPagesBeside } from "../../src/commands/open/check-pages.ts";
import { DatabaseError } from "../../src/db/error.ts";
import { transaction } from "../../src/db/transaction.ts";
import type { Child } from "../../src/runtime/child-process.ts";
import { createClient } from "../support/client.ts";
import { openTestDatabase } from "../support/database.ts";
import { editBehindIndex } from "../support/hostile-file.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { makeSealed } from "./fixture.ts";
import { programs, rowsFor, serviceOf, skipReason, titleOf } from "./run-command.ts";

const LARGE = 65 * 1024 * 1024;

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}

function endedChild(code: number, errors = ""): Child {
  return {
    output: bytes(""),
    errors: bytes(errors),
    ended: Promise.resolve(code),
    end: () => {},
    kill: () => {},
  };
}

for (const [name, program] of Object.entries(programs())) {
  const options = { timeout: 60_000, skip: skipReason(program) };
  const runtime = serviceOf(name);
  describe(`the check of a large file's pages on ${titleOf(name)}`, () => {
    const cases = [["is sound", true], ["has an index that lost an entry", false]] as const;
    for (const [state, isSound] of rowsFor(name, cases.toReversed())) {
      test(`which ${state}`, options, async () => {
        using folder = temporaryFolder();
        const { databasePath, dataDir } = await makeSealed(folder.path);
        const lost = "insert into outbox values ('mail_1', x'00', 1, 1, 0, 0)";
        if (!isSound) editBehindIndex(databasePath, "outbox_expires_at", lost);
        // The bytes after the last page are no pages.
        truncateSync(databasePath, LARGE);
        const start = startService({ runtime, dataDir });
        if (!isSound && name === "deno") {
          await assert.rejects(start, /the database is damaged: .*outbox_expires_at/);
          return;
        }
        await using service = await start;
        const client = createClient(service.baseUrl, (request) => fetch(request));
        const hasLine = (text: string): boolean =>
          [...service.stdout, ...service.stderr].some((line) => line.includes(text));
        // The check has low priority, so only the test's own limit bounds it.
        const line = async (text: string): Promise<void> => {
          while (!hasLine(text)) await sleep(50);
        };
        if (isSound) {
          if (name !== "deno") await line("pages_checked");
          assert.equal((await client.get("/readyz")).status, 200);
        } else {
          await line("pages_damaged");
          assert.ok(hasLine("outbox_expires_at"));
          const { status, body } = await client.get("/readyz");
          assert.deepEqual([status, body.reasons], [503, ["Cannot use database: its pages are not sound"]]);
        }
        assert.deepEqual(await service.stop(), { code: 0, signal: null });
      });
    }
  });
}

describe("checkPagesBeside()", () => {
  const location = { databasePath: "file", postgres: undefined };
  for (
    const [what, child, cause] of [
      ["finds a fault", endedChild(2, "holdfast: the fault\n"), "holdfast: the fault"],
      ["is killed", endedChild(137), "the check ended with code 137"],
    ] as const
  ) {
    test(`stops every transaction after a check that ${what}`, async () => {
      const db = await openTestDatabase();
      await checkPagesBeside(db, location, () => {}, () => child).ended;
      await assert.rejects(
        transaction(db, () => Promise.resolve()),
        (error) =>
          error instanceof DatabaseError && error.code === "pages_damaged" &&
          String(error.cause).includes(cause),
      );
    });
  }

  test("reports nothing once it was stopped", async () => {
    const db = await openTestDatabase();
    const check = checkPagesBeside(db, location, () => {}, () => endedChild(137));
    check.stop();
    await check.ended;
    await transaction(db, () => Promise.resolve());
  });
});
