import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { toBase64url } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import type { Clock } from "../../lib/time.ts";
import { askBroker, type Broker } from "../broker/broker-client.ts";
import { type PostJson, postJson } from "../broker/broker-http.ts";
import { getTsmQuote, type Tsm, TsmError, type TsmFault } from "./configfs.ts";
import { TSM_FILES, type TsmFiles } from "./configfs-files.ts";
import { requireReportData, startReportData, TeeStartError } from "../hardware.ts";
import type { HardwareTee, TeeStartFault } from "../hardware.ts";
import { type HeldKey, holdKey } from "../held-sealing-key.ts";
import { OwnQuoteError } from "../trim-quote.ts";
import { limitQuotes, type QuoteLimits } from "../quote-queue.ts";
import { QuoteFormatError } from "../quote/parse.ts";
import { FILE_PROVIDER, isInMemory, readKeyFile } from "./key-file.ts";
import { type Quote, type Tee, TeeUnavailableError } from "../tee.ts";

export interface TdxTeeOptions {
  readonly reportPath: string;
  /** Path of the sealing key's file. Exactly one of this and `broker` must be given. */
  readonly sealingKeyFile: string | undefined;
  readonly broker?: Broker | undefined;
  readonly now: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  readonly files?: TsmFiles;
  readonly quoteLimits?: QuoteLimits;
  readonly post?: PostJson;
}

/** Faults that forbid a start. The others may be temporary. */
const START_FAULTS: Readonly<Partial<Record<TsmFault, TeeStartFault>>> = {
  no_tsm: "unreachable",
  not_permitted: "not_permitted",
  wrong_provider: "wrong_answer",
};

/** Returns true if the path is a folder. Does not check for a provider. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

type KeyHolder = Pick<HardwareTee, "keySource" | "keyProvider" | "sealingKey" | "forgetSealingKey">;

async function openFile(sealingKeyFile: string, log: Log): Promise<KeyHolder> {
  const held = holdKey(await readKeyFile(sealingKeyFile));
  if (!await isInMemory(sealingKeyFile)) {
    log("warn", "sealing_key_not_in_memory", { provider: "tdx", file: sealingKeyFile });
  }
  return {
    keySource: { name: "file", survivesUpgrades: "depends" },
    keyProvider: FILE_PROVIDER,
    sealingKey: () => Promise.resolve().then(held.copy),
    forgetSealingKey: held.forget,
  };
}

/** Requests the key once, on first use, so that a domain unknown to the broker can still be diagnosed. */
function openBroker(broker: Broker, options: TdxTeeOptions, quote: HardwareTee["quote"]): KeyHolder {
  const { now, random, log, wait = sleep, post = postJson } = options;
  let released: Promise<HeldKey> | undefined;
  return {
    keySource: { name: "broker", survivesUpgrades: "if_allowed" },
    keyProvider: { name: "broker", id: toBase64url(broker.publicKey), verified: null },
    sealingKey: async () => {
      released ??= askBroker(broker, { post, quote, now, random, log, wait }).then(holdKey);
      return (await released).copy();
    },
    // A failed release has no key to wipe.
    forgetSealingKey: () => void released?.then(({ forget }) => forget()).catch(() => {}),
  };
}

async function openKey(options: TdxTeeOptions, quote: HardwareTee["quote"]): Promise<KeyHolder> {
  const { sealingKeyFile, broker, log } = options;
  if ((sealingKeyFile === undefined) === (broker === undefined)) {
    const reason = broker === undefined
      ? "it has no sealing key of its own; set TEE_SEALING_KEY_FILE or TEE_BROKER_URL"
      : "it must have one sealing key; unset TEE_SEALING_KEY_FILE or TEE_BROKER_URL";
    throw new TeeStartError("key_file", `Cannot use TDX: ${reason}`);
  }
  return broker === undefined ? await openFile(sealingKeyFile!, log) : openBroker(broker, options, quote);
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

/** Requests one quote at the start. Throws if it is impossible or wrong. Only logs that none is available now. */
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
 * Opens the TEE of a TDX trust domain without an agent. Quotes come by configfs-tsm; the sealing key comes from a
 * file or a broker, because TDX has none. Throws `TeeStartError` if the key file is unsafe, the interface is missing,
 * denied or not TDX's, or the domain is under debug. Later `quote()` throws `TeeUnavailableError` for any fault of
 * kernel or host. `sealingKey()` throws `TeeStartError` if the broker gives no key.
 *
 * Does not verify the signatures of quotes, nor who created the file. Has no event log.
 */
export async function openTdxTee(options: TdxTeeOptions): Promise<HardwareTee> {
  const { reportPath, random, now, files = TSM_FILES, wait = sleep, quoteLimits: limits } = options;
  const tsm: Tsm = { reportPath, files, random, wait };
  const source: Pick<Tee, "quote"> = { quote: (reportData) => quoteNow(tsm, reportData) };
  const { quote } = limitQuotes(source, { now, limits });
  const tee: HardwareTee = { provider: "tdx", inTee: true, quote, ...await openKey(options, quote) };
  await probe(tee, options);
  return tee;
}
