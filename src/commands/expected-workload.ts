import { MEASUREMENTS, type Measurements } from "../broker/allow-list.ts";
import type { Config } from "../config/config.ts";
import type { RandomBytes } from "../lib/id.ts";
import { OwnQuoteError, readOwnQuote } from "../tee/trim-quote.ts";
import { type LoggedWorkload, parseEventLog, replayEventLog } from "../tee/quote/event-log.ts";
import type { SealSlotClaim } from "../tee/quote/evidence.ts";
import { CheckFault } from "../tee/quote/fault.ts";
import { formatKeyProvider, parseLoggedProvider } from "../tee/quote/key-provider.ts";
import { parseQuote, QuoteFormatError, type TdReport } from "../tee/quote/parse.ts";
import { type Tee, TeeUnavailableError } from "../tee/tee.ts";
import { StartRefusal } from "./process/refusal.ts";
import { openTee, type TeeConfig } from "./open/tee.ts";

const NAME = "holdfast";
/** From this version on (its first byte), dstack's MRCONFIGID depends on the instance too, as RTMR3 always does. */
const OF_INSTANCE = 3;

type WrittenMeasurements = Readonly<Record<keyof Measurements, string>>;

function writeRegisters(report: TdReport): WrittenMeasurements {
  return Object.fromEntries(
    MEASUREMENTS.map((name) => [name, report[name].toHex()]),
  ) as unknown as WrittenMeasurements;
}

/** Replaces RTMR3 by the event log's values, which all instances share. */
function writeApp(report: TdReport, { composeHash, appId, keyProvider }: LoggedWorkload): object {
  const registers = writeRegisters(report);
  const mrConfigId = report.mrConfigId[0]! < OF_INSTANCE ? registers.mrConfigId : "any";
  if (composeHash === undefined || appId === undefined || keyProvider === undefined) {
    throw new StartRefusal("The event log does not name this app, or its key provider");
  }
  return {
    measurements: [{ ...registers, rtmr3: "any", mrConfigId }],
    composeHash: composeHash.toHex(),
    appId: appId.toHex(),
    keyProvider: formatKeyProvider(parseLoggedProvider(keyProvider)),
  };
}

async function describe(tee: Tee, random: RandomBytes): Promise<object> {
  const reportData = random(64);
  const { quote, eventLog } = await tee.quote(reportData);
  const { report } = parseQuote(readOwnQuote(quote, reportData));
  if (eventLog !== undefined) return writeApp(report, replayEventLog(parseEventLog(eventLog), report));
  return { measurements: [writeRegisters(report)], keyProvider: formatKeyProvider(tee.keyProvider) };
}

/**
 * Describes the running workload as a file for `verify-quote --expect`: registers, app and key provider, and the slots
 * if they are given. Does not verify the quote, so compare the result with your own build. The policy is strict. Throws
 * `StartRefusal` if there is no quote or it does not match the request.
 */
export async function describeWorkload(
  config: TeeConfig & Pick<Config, "teeBroker">,
  random: RandomBytes,
  slots?: readonly SealSlotClaim[],
): Promise<string> {
  const { tee } = await openTee(config, { absentKey: "refuse", random });
  try {
    const workload = await describe(tee, random);
    const name = config.teeBroker?.workload ?? NAME;
    const described = slots === undefined ? workload : { ...workload, slots };
    return JSON.stringify({ workloads: { [name]: described } }, null, 2) + "\n";
  } catch (cause) {
    const isForeseen = [CheckFault, OwnQuoteError, QuoteFormatError, TeeUnavailableError]
      .some((kind) => cause instanceof kind);
    if (!isForeseen) throw cause;
    throw new StartRefusal(`This workload cannot be described: ${(cause as Error).message}`, { cause });
  }
}
