import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connectUnix } from "../../../src/runtime/unix-socket.ts";
import { openDstackTee } from "../../../src/tee/dstack/dstack.ts";
import { parseQuote } from "../../../src/tee/quote/parse.ts";
import { TeeUnavailableError } from "../../../src/tee/tee.ts";
import { startEmulator } from "../../support/emulator.ts";
import { inFolder } from "../../support/folder.ts";

const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);

test(
  "quote() of dstack outlives an agent that is a process: misbehaving, killed, back",
  { timeout: 60_000 },
  async () => {
    await inFolder(async (folder) => {
      const socketPath = join(folder, "dstack.sock");
      const options = {
        socketPath,
        connect: connectUnix,
        api: "v0" as const,
        kms: undefined,
        now: Date.now,
        log: () => {},
      };
      const first = await startEmulator("guest-agent", socketPath);
      const tee = await openDstackTee(options);
      const key = await tee.sealingKey();
      assert.deepEqual(parseQuote((await tee.quote(REPORT_DATA)).quote).report.reportData, REPORT_DATA);
      await first.behave({ faults: { GetQuote: "debug" } });
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      await first.kill();
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      const second = await startEmulator("guest-agent", socketPath);
      assert.deepEqual(parseQuote((await tee.quote(REPORT_DATA)).quote).report.reportData, REPORT_DATA);
      assert.deepEqual(
        await (await openDstackTee(options)).sealingKey(),
        key,
      );
      await second.stop();
      assert.ok(!existsSync(socketPath));
    });
  },
);
