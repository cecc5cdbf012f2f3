import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { Clock } from "../lib/time.ts";
import { getTsmQuote, TsmError } from "./configfs.ts";
import type { Tsm, TsmFault } from "./configfs.ts";
import { TSM_FILES } from "./configfs-files.ts";
import type { TsmFiles } from "./configfs-files.ts";
import { requireReportData, startReportData, TeeStartError } from "./hardware.ts";
import type { HardwareTee, TeeStartFault } from "./hardware.ts";
import { OwnQuoteError } from "./own-quote.ts";
import { limitQuotes } from "./quote-queue.ts";
import type { QuoteLimits } from "./quote-queue.ts";
import { QuoteFormatError } from "./quote/parse.ts";
import { isInMemory, readSealingKey } from "./tdx-key.ts";
import { TeeUnavailableError } from "./tee.ts";
import type { Quote } from "./tee.ts";

/** Where quotes and the sealing key come from. */
export interface TdxTeeOptions {
  /** The folder of configfs-tsm's report entries. */
  readonly reportPath: string;
  /** Path of the sealing key's file; undefined is refused with what to set. */
  readonly sealingKeyFile: string | undefined;
  readonly now: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  /** Waits between two looks at an attribute, in milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  readonly files?: TsmFiles;
  readonly quoteLimits?: QuoteLimits;
}

/** Faults that forbid a start. The others may pass by themselves. */
const START_FAULTS: Readonly<Partial<Record<TsmFault, TeeStartFault>>> = {
  no_tsm: "unreachable",
  not_permitted: "not_permitted",
  wrong_provider: "wrong_answer",
};

/** Whether there is a folder at the path. Does not say whether a provider is behind it. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

async function loadKey({ sealingKeyFile, log }: TdxTeeOptions): Promise<Uint8Array> {
  if (sealingKeyFile === undefined) {
    const message = "Cannot use TDX: it gives no sealing key by itself; set TEE_SEALING_KEY_FILE";
    throw new TeeStartError("key_file", message);
  }
  const key = await readSealingKey(sealingKeyFile);
  if (!await isInMemory(sealingKeyFile)) {
    log("warn", "sealing_key_not_in_memory", { provider: "tdx", file: sealingKeyFile });
  }
  return key;
}

async function quoteNow(tsm: Tsm, reportData: Uint8Array): Promise<Quote> {
  requireReportData(reportData);
  try {
    return { quote: await getTsmQuote(tsm, reportData) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown";
    throw new TeeUnavailableError(`Cannot quote: ${reason}`, { cause });
  }
}

function startFaultOf(cause: unknown): TeeStartFault | undefined {
  if (cause instanceof TsmError) return START_FAULTS[cause.code];
  if (cause instanceof OwnQuoteError && cause.code === "under_debug") return "under_debug";
  const isWrong = cause instanceof OwnQuoteError || cause instanceof QuoteFormatError;
  return isWrong ? "wrong_answer" : undefined;
}

/** One quote at the start: that it cannot be, or is a wrong one, forbids it; that there is none now does not. */
async function probe(tee: HardwareTee, { reportPath, log }: TdxTeeOptions): Promise<void> {
  try {
    await tee.quote(startReportData());
  } catch (error) {
    if (!(error instanceof TeeUnavailableError)) throw error;
    const fault = startFaultOf(error.cause);
    if (fault === undefined) {
      return log("warn", "tee_gives_no_quote", { provider: "tdx", reason: error.message });
    }
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new TeeStartError(fault, `Cannot use ${reportPath}: ${reason}`, { cause: error.cause });
  }
}

/**
 * The TEE of a TDX trust domain without anybody's agent: quotes by way of configfs-tsm, the sealing key from a file,
 * because TDX has none of its own. Throws `TeeStartError` when the key's file is not safe, the interface is not there,
 * not ours to use or not TDX's, or the domain is under debug. Afterwards it never throws but in `quote()`, with
 * `TeeUnavailableError` for whatever kernel and host do.
 *
 * Not checked: the signatures of quotes, and who put the key there. It has no event log.
 */
export async function openTdxTee(options: TdxTeeOptions): Promise<HardwareTee> {
  const { reportPath, random, now, files = TSM_FILES, wait = sleep, quoteLimits: limits } = options;
  const key = await loadKey(options);
  const tsm: Tsm = { reportPath, files, random, wait };
  const tee: HardwareTee = {
    provider: "tdx",
    inTee: true,
    keySource: { name: "file", survivesUpgrades: "depends" },
    sealingKey: () => Promise.resolve(key.slice()),
    quote: (reportData) => quoteNow(tsm, reportData),
  };
  const limited = limitQuotes(tee, { now, limits });
  await probe(limited, options);
  return limited;
}
