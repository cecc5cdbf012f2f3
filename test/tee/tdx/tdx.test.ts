import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { LogFields } from "../../../src/lib/log.ts";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import type { TeeStartFault } from "../../../src/tee/hardware.ts";
import { parseQuote } from "../../../src/tee/quote/parse.ts";
import { isFolder, openTdxTee } from "../../../src/tee/tdx/tdx.ts";
import type { TdxTeeOptions } from "../../../src/tee/tdx/tdx.ts";
import { TeeUnavailableError } from "../../../src/tee/tee.ts";
import { memoryKernel, watchFolder } from "../../support/configfs.ts";
import type { FolderBehaviour, Kernel, KernelBehaviour, QuoteFault } from "../../support/configfs.ts";
import { inFolder } from "../../support/folder.ts";

const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);
const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const REPORT = "/sys/kernel/config/tsm/report";

const WRONG_QUOTES: readonly QuoteFault[] = [
  "one_byte",
  "short",
  "cut",
  "wrong_report_data",
  "debug",
  "no_quote",
];

interface Scene {
  readonly kernel: Kernel;
  readonly options: TdxTeeOptions;
  readonly warnings: { readonly event: string; readonly fields: LogFields }[];
  /** Milliseconds of each wait. */
  readonly waits: number[];
}

function random(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Runs the job with a key file and a kernel in memory. Waiting takes no time. */
async function withKernel(
  change: Partial<KernelBehaviour>,
  job: (scene: Scene) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const kernel = memoryKernel(REPORT, change);
    const warnings: Scene["warnings"] = [];
    const waits: number[] = [];
    const sealingKeyFile = join(folder, "key");
    writeFileSync(sealingKeyFile, KEY, { mode: 0o600 });
    const options: TdxTeeOptions = {
      reportPath: REPORT,
      sealingKeyFile,
      files: kernel.files,
      random,
      now: () => 1_800_000_000_000,
      wait: (milliseconds) => Promise.resolve(waits.push(milliseconds)),
      log: (level, event, fields) => {
        if (level === "warn" && event !== "sealing_key_not_in_memory") warnings.push({ event, fields });
      },
    };
    await job({ kernel, options, warnings, waits });
  });
}

function fault(code: TeeStartFault, says?: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof TeeStartError, String(error));
    assert.equal(error.code, code);
    if (says !== undefined) assert.match(error.message, says);
    return true;
  };
}

describe("openTdxTee()", () => {
  test("is a real TEE with the file's key, whose security depends on its origin", async () => {
    await withKernel({}, async ({ options, warnings }) => {
      const tee = await openTdxTee(options);
      assert.deepEqual([tee.provider, tee.inTee], ["tdx", true]);
      assert.deepEqual(tee.keySource, { name: "file", survivesUpgrades: "depends" });
      assert.deepEqual(await tee.sealingKey(), KEY);
      assert.deepEqual(warnings, []);
    });
  });

  test("returns a copy of the key each time, which its caller may wipe", async () => {
    await withKernel({}, async ({ options }) => {
      const tee = await openTdxTee(options);
      (await tee.sealingKey()).fill(0);
      assert.deepEqual(await tee.sealingKey(), KEY);
    });
  });

  test("does not return the key after it was cleared", async () => {
    await withKernel({}, async ({ options }) => {
      const tee = await openTdxTee(options);
      tee.forgetSealingKey();
      await assert.rejects(tee.sealingKey(), /it was forgotten/);
    });
  });

  test("refuses to start without a key file, and names the setting", async () => {
    await withKernel({}, async ({ options, kernel }) => {
      await assert.rejects(
        openTdxTee({ ...options, sealingKeyFile: undefined }),
        fault("key_file", /TEE_SEALING_KEY_FILE/),
      );
      assert.deepEqual(kernel.made, []);
    });
  });

  test("refuses a key file that others may read", async () => {
    await withKernel({}, async ({ options }) => {
      chmodSync(options.sealingKeyFile!, 0o640);
      await assert.rejects(openTdxTee(options), fault("key_file", /others may read/));
    });
  });

  const fatal: readonly (readonly [code: string, fault: TeeStartFault, says: RegExp])[] = [
    ["ENOENT", "unreachable", /report: there is no such folder; TDX needs Linux 6\.7/],
    ["ENOTDIR", "unreachable", /not a folder/],
    ["ENXIO", "unreachable", /tdx_guest module is not loaded/],
    ["EACCES", "not_permitted", /not permitted/],
    ["EPERM", "not_permitted", /not permitted/],
    ["EROFS", "not_permitted", /read-only/],
  ];
  for (const [code, expected, says] of fatal) {
    test(`refuses when an entry cannot be created: ${code}`, async () => {
      await withKernel({ makeErrors: [code] }, async ({ options }) => {
        await assert.rejects(openTdxTee(options), fault(expected, says));
      });
    });
  }

  test("refuses as not permitted when the runtime lacks the permission", async () => {
    await withKernel({}, async ({ options }) => {
      const makeEntry = (): Promise<void> =>
        Promise.reject(Object.assign(new Error("Requires all access"), { name: "NotCapable" }));
      const files = { ...options.files!, makeEntry };
      await assert.rejects(openTdxTee({ ...options, files }), fault("not_permitted", /Requires all access/));
    });
  });

  for (const provider of ["sev_guest\n", "arm_cca_guest\n", "tdx_guest2\n", "x"]) {
    test(`refuses provider ${provider.trim()}, and writes nothing to it`, async () => {
      await withKernel({ provider, writeErrors: ["EINVAL"] }, async ({ options, kernel }) => {
        await assert.rejects(openTdxTee(options), fault("wrong_answer", /not tdx_guest/));
        assert.deepEqual(kernel.behaviour.writeErrors, ["EINVAL"]);
        assert.deepEqual(kernel.entries(), []);
      });
    });
  }

  test("refuses a plain folder instead of configfs, and leaves nothing in it", async () => {
    await withKernel({ lateness: 1000 }, async ({ options, kernel }) => {
      await assert.rejects(openTdxTee(options), fault("unreachable", /the kernel does not serve it/));
      assert.deepEqual(kernel.entries(), []);
    });
  });

  for (const quoteFault of WRONG_QUOTES) {
    test(`refuses when the first quote is wrong: ${quoteFault}`, async () => {
      await withKernel({ quoteFault }, async ({ options }) => {
        await assert.rejects(
          openTdxTee(options),
          fault(quoteFault === "debug" ? "under_debug" : "wrong_answer"),
        );
      });
    });
  }

  const absent: Readonly<Record<string, Partial<KernelBehaviour>>> = {
    "the host is busy": { readErrors: Array(6).fill("EBUSY") },
    "the host fails": { readErrors: Array(3).fill("EIO") },
    "the host does not answer": { readErrors: ["ETIMEDOUT", "ETIMEDOUT"] },
    "the quote is empty": { quoteFault: "empty" },
  };
  for (const [name, change] of Object.entries(absent)) {
    test(`starts with a warning when ${name}`, async () => {
      await withKernel(change, async ({ options, warnings }) => {
        const tee = await openTdxTee(options);
        assert.deepEqual(await tee.sealingKey(), KEY);
        assert.deepEqual(warnings.map(({ event }) => event), ["tee_gives_no_quote"]);
      });
    });
  }
});

/** Temporary faults that the same request recovers from. */
const MENDED: Readonly<
  Record<string, { change: Partial<KernelBehaviour>; entries: number; waits: number[] }>
> = {
  "attributes that come late": { change: { lateness: 3 }, entries: 1, waits: [20, 20, 20] },
  "EBUSY five times": {
    change: { readErrors: Array(5).fill("EBUSY") },
    entries: 1,
    waits: [250, 500, 1000, 2000, 4000],
  },
  "EIO twice": { change: { readErrors: ["EIO", "EIO"] }, entries: 1, waits: [250, 500] },
  "EINTR ten times": {
    change: { readErrors: Array(10).fill("EINTR") },
    entries: 1,
    waits: Array(10).fill(0),
  },
  "ETIMEDOUT once": { change: { readErrors: ["ETIMEDOUT"] }, entries: 1, waits: [0] },
  "a name that is taken": { change: { makeErrors: ["EEXIST", "EEXIST"] }, entries: 1, waits: [] },
  "a generation that jumps": { change: { steps: [2n, 3n] }, entries: 3, waits: [] },
  "a generation that moves while the quote is read": {
    change: { stepsWhileReading: [1n, 1n] },
    entries: 3,
    waits: [],
  },
};

/** Faults after which this request has no quote. */
const UNAVAILABLE: Readonly<Record<string, Partial<KernelBehaviour>>> = {
  "EBUSY for ever": { readErrors: Array(6).fill("EBUSY") },
  "EIO for ever": { readErrors: Array(3).fill("EIO") },
  "EINTR for ever": { readErrors: Array(11).fill("EINTR") },
  "ETIMEDOUT twice": { readErrors: ["ETIMEDOUT", "ETIMEDOUT"] },
  "ENXIO, the provider being gone": { readErrors: ["ENXIO"] },
  "EFBIG from the host": { readErrors: ["EFBIG"] },
  "EINVAL": { readErrors: ["EINVAL"] },
  "a write that fails": { writeErrors: ["EFBIG"] },
  "a write that has no effect": { steps: [0n] },
  "an entry that cannot be made": { makeErrors: ["ENXIO"] },
  "an entry that cannot be made for lack of memory": { makeErrors: ["ENOMEM"] },
  "names that are all taken": { makeErrors: ["EEXIST", "EEXIST", "EEXIST"] },
  "a generation that always jumps": { steps: [2n, 2n, 2n] },
  "a generation that always moves": { stepsWhileReading: [1n, 1n, 1n] },
  "a generation that is empty": { generationText: "\n" },
  "a generation that is negative": { generationText: "-1\n" },
  "a generation that is no number": { generationText: "0x1\n" },
  "attributes that never come": { lateness: 1000 },
  "a provider that is empty": { provider: "" },
  "another provider": { provider: "sev_guest\n" },
  "an empty quote": { quoteFault: "empty" },
  ...Object.fromEntries(WRONG_QUOTES.map((quoteFault) => [`a wrong quote: ${quoteFault}`, { quoteFault }])),
};

const WELL: Partial<KernelBehaviour> = {
  provider: "tdx_guest\n",
  quoteFault: undefined,
  makeErrors: [],
  readErrors: [],
  writeErrors: [],
  steps: [],
  stepsWhileReading: [],
  lateness: 0,
  generationText: undefined,
};

describe("quote() of TDX", () => {
  test("returns a quote over the report data from an entry of its own, and removes it", async () => {
    await withKernel({}, async ({ options, kernel }) => {
      const tee = await openTdxTee(options);
      const { quote, eventLog } = await tee.quote(REPORT_DATA);
      assert.deepEqual(parseQuote(quote).report.reportData, REPORT_DATA);
      assert.equal(eventLog, undefined);
      await tee.quote(REPORT_DATA);
      assert.equal(new Set(kernel.made).size, 3);
      for (const name of kernel.made) assert.match(name, /^holdfast-\d+-[0-9a-f]{16}$/);
      assert.deepEqual(kernel.entries(), []);
    });
  });

  test("omits the unsigned padding", async () => {
    await withKernel({}, async ({ options, kernel }) => {
      const tee = await openTdxTee(options);
      const { quote } = await tee.quote(REPORT_DATA);
      kernel.behaviour.quoteFault = "padded";
      assert.equal((await tee.quote(REPORT_DATA)).quote.length, quote.length);
    });
  });

  for (const length of [0, 32, 63, 65]) {
    test(`refuses ${length} bytes of report data with a TypeError, before any entry`, async () => {
      await withKernel({}, async ({ options, kernel }) => {
        const tee = await openTdxTee(options);
        await assert.rejects(tee.quote(new Uint8Array(length)), TypeError);
        assert.equal(kernel.made.length, 1);
      });
    });
  }

  for (const [name, { change, entries, waits: expected }] of Object.entries(MENDED)) {
    test(`recovers from ${name}`, async () => {
      await withKernel({}, async ({ options, kernel, waits }) => {
        const tee = await openTdxTee(options);
        Object.assign(kernel.behaviour, structuredClone(change));
        assert.deepEqual(parseQuote((await tee.quote(REPORT_DATA)).quote).report.reportData, REPORT_DATA);
        assert.equal(kernel.made.length, 1 + entries);
        assert.deepEqual(waits, expected);
        assert.deepEqual(kernel.entries(), []);
      });
    });
  }

  for (const [name, change] of Object.entries(UNAVAILABLE)) {
    test(`is unavailable, cleans up and recovers after ${name}`, async () => {
      await withKernel({}, async ({ options, kernel }) => {
        const tee = await openTdxTee(options);
        Object.assign(kernel.behaviour, structuredClone(change));
        await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
        assert.deepEqual(kernel.entries(), []);
        assert.deepEqual(await tee.sealingKey(), KEY);
        Object.assign(kernel.behaviour, structuredClone(WELL));
        assert.deepEqual(parseQuote((await tee.quote(REPORT_DATA)).quote).report.reportData, REPORT_DATA);
      });
    });
  }

  test("names the cause when the host still holds an earlier request", async () => {
    await withKernel({}, async ({ options, kernel }) => {
      const tee = await openTdxTee(options);
      kernel.behaviour.readErrors = Array(6).fill("EBUSY");
      await assert.rejects(tee.quote(REPORT_DATA), { message: /host is still busy with an earlier request/ });
    });
  });

  test("has one entry at a time, and rejects requests that waited too long", async () => {
    await withKernel({}, async ({ options, kernel }) => {
      const quoteLimits = { waiting: 8, burst: 10, interval: 1000, quoteTimeout: 30 };
      const tee = await openTdxTee({ ...options, quoteLimits });
      const gate = Promise.withResolvers<void>();
      kernel.behaviour.gate = gate.promise;
      const hanging = [1, 2, 3].map((value) => tee.quote(REPORT_DATA.with(0, value)));
      await Promise.all(hanging.map((quote) => assert.rejects(quote, TeeUnavailableError)));
      assert.equal(kernel.made.length, 2);
      assert.equal(kernel.entries().length, 1);
      assert.deepEqual(await tee.sealingKey(), KEY);
      gate.resolve();
      while (kernel.entries().length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.ok((await tee.quote(REPORT_DATA)).quote.length > 1000);
      assert.equal(kernel.made.length, 3);
    });
  });

  test("is refused beyond its limits", async () => {
    await withKernel({}, async ({ options }) => {
      const quoteLimits = { waiting: 8, burst: 2, interval: 1000, quoteTimeout: 9000 };
      const tee = await openTdxTee({ ...options, quoteLimits });
      await tee.quote(REPORT_DATA);
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
    });
  });
});

describe("quote() of TDX from real files", () => {
  /** Runs the job with the real file system and a folder that imitates the kernel. */
  async function withFolder(
    change: Partial<FolderBehaviour>,
    job: (options: TdxTeeOptions, behave: (change: Partial<FolderBehaviour>) => void) => Promise<void>,
  ): Promise<void> {
    await inFolder(async (folder) => {
      const reportPath = join(folder, "report");
      mkdirSync(reportPath);
      const sealingKeyFile = join(folder, "key");
      writeFileSync(sealingKeyFile, KEY, { mode: 0o600 });
      const watched = watchFolder(reportPath, change);
      const log = (): void => {};
      try {
        await job({ reportPath, sealingKeyFile, random, now: () => 0, log }, watched.behave);
      } finally {
        watched.close();
      }
    });
  }

  test("returns quotes over the report data", async () => {
    await withFolder({}, async (options) => {
      const tee = await openTdxTee(options);
      for (const value of [1, 2]) {
        const reportData = REPORT_DATA.with(0, value);
        assert.deepEqual(parseQuote((await tee.quote(reportData)).quote).report.reportData, reportData);
      }
      const names = readdirSync(options.reportPath);
      assert.equal(names.length, 3);
      for (const name of names) assert.match(name, /^holdfast-\d+-[0-9a-f]{16}$/);
    });
  });

  for (const wrong of [...WRONG_QUOTES, "empty", "unreadable", "generation_jumps"] as const) {
    test(`is unavailable, and recovers, after: ${wrong}`, async () => {
      await withFolder({}, async (options, behave) => {
        const tee = await openTdxTee({ ...options, wait: () => new Promise((go) => setTimeout(go, 1)) });
        behave({ fault: wrong });
        await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
        behave({ fault: undefined });
        assert.ok((await tee.quote(REPORT_DATA)).quote.length > 1000);
      });
    });
  }

  test("rejects requests while the kernel hangs", async () => {
    await withFolder({}, async (options, behave) => {
      const quoteLimits = { waiting: 8, burst: 10, interval: 1000, quoteTimeout: 300 };
      const tee = await openTdxTee({ ...options, quoteLimits });
      behave({ fault: "hang" });
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      assert.deepEqual(await tee.sealingKey(), KEY);
    });
  });

  test("refuses to start if the folder is missing, or a file", async () => {
    await withFolder({}, async (options) => {
      for (const name of ["absent", "../key"]) {
        const reportPath = join(options.reportPath, name);
        await assert.rejects(openTdxTee({ ...options, reportPath }), fault("unreachable"));
      }
    });
  });

  test("refuses to start with another provider", async () => {
    await withFolder({ provider: "sev_guest\n" }, async (options) => {
      await assert.rejects(openTdxTee(options), fault("wrong_answer"));
    });
  });
});

describe("isFolder()", () => {
  test("returns true for a folder and false for anything else", async () => {
    await inFolder(async (folder) => {
      writeFileSync(join(folder, "file"), "");
      assert.equal(await isFolder(folder), true);
      assert.equal(await isFolder(join(folder, "file")), false);
      assert.equal(await isFolder(join(folder, "absent")), false);
    });
  });
});
