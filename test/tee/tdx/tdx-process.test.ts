import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseQuote } from "../../../src/tee/quote/parse.ts";
import { openTdxTee } from "../../../src/tee/tdx/tdx.ts";
import { TeeUnavailableError } from "../../../src/tee/tee.ts";
import { startEmulator } from "../../support/emulator.ts";
import { inFolder } from "../../support/folder.ts";

const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);

test("quote() of TDX works after another process blocked configfs", { timeout: 60_000 }, async () => {
  await inFolder(async (folder) => {
    const reportPath = join(folder, "report");
    const sealingKeyFile = join(folder, "key");
    mkdirSync(reportPath);
    writeFileSync(sealingKeyFile, crypto.getRandomValues(new Uint8Array(32)), { mode: 0o600 });
    const emulator = await startEmulator("configfs", reportPath);
    const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
    const tee = await openTdxTee({ reportPath, sealingKeyFile, random, now: Date.now, log: () => {} });
    assert.deepEqual(parseQuote((await tee.quote(REPORT_DATA)).quote).report.reportData, REPORT_DATA);
    await emulator.behave({ fault: "empty" });
    await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
    await emulator.behave({ fault: null });
    assert.ok((await tee.quote(REPORT_DATA)).quote.length > 1000);
    await emulator.stop();
  });
});
