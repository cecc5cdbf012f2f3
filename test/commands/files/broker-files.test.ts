import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  createFileReaders,
  getBrokerFiles,
  refuseBadFiles,
  unreadyFiles,
} from "../../../src/commands/files/broker-files.ts";
import type { BrokerFiles } from "../../../src/commands/files/broker-files.ts";
import { StartRefusal } from "../../../src/commands/process/refusal.ts";
import { ConfigError, readConfig } from "../../../src/config/config.ts";
import { ProtocolError } from "../../../src/lib/error.ts";
import { DAY, HOUR } from "../../../src/lib/time.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { allowListOf } from "../../support/broker.ts";
import { startPccs } from "../../support/pccs.ts";
import { makeQuotePlatform, QUOTE_NOW } from "../../support/quote-pki.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const PLATFORM = makeQuotePlatform();
const QUOTE = PLATFORM.quote(new Uint8Array(64));
const TIMEOUT = { timeout: 30_000 };

/** Runs the job with an allow-list and collateral in files. */
async function withFiles(
  job: (files: BrokerFiles & { readonly collateral: { readonly file: string } }) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const files = {
    allowList: join(folder.path, "allow.json"),
    collateral: { file: join(folder.path, "c.json") },
  };
  writeFileSync(files.allowList, JSON.stringify(allowListOf(PLATFORM)));
  writeFileSync(files.collateral.file, PLATFORM.collateral);
  await job(files);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === "unavailable" && "Retry-After" in error.headers;
}

describe("getBrokerFiles()", () => {
  test("requires an allow-list, and one source of collateral", () => {
    const list = { BROKER_ALLOW_LIST: "/a" };
    const [file, pccs] = [{ BROKER_COLLATERAL: "/c" }, { BROKER_PCCS_URL: "https://pccs.example.com" }];
    assert.deepEqual(getBrokerFiles(readConfig({ ...list, ...file })).collateral, { file: "/c" });
    assert.deepEqual(getBrokerFiles(readConfig({ ...list, ...pccs })).collateral, {
      pccs: "https://pccs.example.com",
    });
    for (const environment of [file, list, { ...list, ...file, ...pccs }]) {
      assert.throws(() => getBrokerFiles(readConfig(environment)), ConfigError);
    }
  });
});

describe("the broker's files", TIMEOUT, () => {
  test("are read again at each request", () =>
    withFiles(async (files) => {
      const { readAllowList, readCollateral } = createFileReaders(files, () => QUOTE_NOW);
      assert.equal((await readAllowList()).workloads.size, 2);
      assert.deepEqual(await readCollateral(QUOTE), parseCollateral(PLATFORM.collateral));
      writeFileSync(files.allowList, JSON.stringify({ workloads: {} }));
      assert.equal((await readAllowList()).workloads.size, 0);
    }));

  test("cause a 503 while they are invalid or missing", () =>
    withFiles(async (files) => {
      const { readAllowList, readCollateral } = createFileReaders(files, () => QUOTE_NOW);
      const { file } = files.collateral;
      renameSync(file, `${file}.away`);
      await assert.rejects(readCollateral(QUOTE), isUnavailable);
      writeFileSync(file, "{");
      await assert.rejects(readCollateral(QUOTE), isUnavailable);
      assert.deepEqual(await unreadyFiles(files, QUOTE_NOW), ["the collateral cannot be read"]);
      renameSync(`${file}.away`, file);
      await readCollateral(QUOTE);
      rmSync(files.allowList);
      await assert.rejects(readAllowList(), isUnavailable);
      assert.deepEqual(await unreadyFiles(files, QUOTE_NOW), ["the allow-list cannot be read"]);
    }));

  test("make the broker not ready once the collateral has expired", () =>
    withFiles(async (files) => {
      assert.deepEqual(await unreadyFiles(files, QUOTE_NOW), []);
      assert.deepEqual(await unreadyFiles(files, QUOTE_NOW + 60 * DAY), ["the collateral has expired"]);
      const later = QUOTE_NOW + DAY;
      for (const list of ["rootCrl", "pckCrl"] as const) {
        writeFileSync(files.collateral.file, makeQuotePlatform({ [list]: { nextUpdate: later } }).collateral);
        assert.deepEqual(await unreadyFiles(files, later - 1), []);
        assert.deepEqual(await unreadyFiles(files, later), ["the collateral has expired"]);
      }
    }));

  test("prevent a start if they are invalid", () =>
    withFiles(async (files) => {
      await refuseBadFiles(files);
      writeFileSync(files.allowList, "[]");
      await assert.rejects(refuseBadFiles(files), StartRefusal);
      const workload = '"holdfast":{"measurements":[]}';
      writeFileSync(files.allowList, `{"workloads":{${workload},${workload}}}`);
      await assert.rejects(refuseBadFiles(files), {
        message: "Cannot use the allow-list: Cannot read JSON: duplicate member at /workloads/holdfast",
      });
      writeFileSync(files.allowList, JSON.stringify(allowListOf(PLATFORM)));
      writeFileSync(files.collateral.file, "[]");
      await assert.rejects(refuseBadFiles(files), StartRefusal);
    }));
});

describe("collateral from a caching service", TIMEOUT, () => {
  test("is fetched for the quote's platform and used for an hour", () =>
    withFiles(async ({ allowList }) => {
      await using pccs = await startPccs(PLATFORM.collateral);
      let now = QUOTE_NOW;
      const { readCollateral } = createFileReaders({ allowList, collateral: { pccs: pccs.base } }, () => now);
      assert.deepEqual(await readCollateral(QUOTE), parseCollateral(PLATFORM.collateral));
      const before = pccs.requests.length;
      now += HOUR - 1;
      await readCollateral(QUOTE);
      assert.equal(pccs.requests.length, before);
      now += 1;
      await readCollateral(QUOTE, { traceparent: "00-trace" });
      assert.equal(pccs.requests.length, 2 * before);
      assert.deepEqual(new Set(pccs.traces.slice(before)), new Set(["00-trace"]));
    }));

  test("that cannot be fetched is a 503, and is requested again the next time", () =>
    withFiles(async ({ allowList }) => {
      await using pccs = await startPccs(PLATFORM.collateral, { replies: { tcb: { status: 404 } } });
      const { readCollateral } = createFileReaders(
        { allowList, collateral: { pccs: pccs.base } },
        () => QUOTE_NOW,
      );
      await assert.rejects(readCollateral(QUOTE), isUnavailable);
      const before = pccs.requests.length;
      await assert.rejects(readCollateral(QUOTE), isUnavailable);
      assert.ok(pccs.requests.length > before);
      assert.deepEqual(await unreadyFiles({ allowList, collateral: { pccs: pccs.base } }, QUOTE_NOW), []);
    }));
});
