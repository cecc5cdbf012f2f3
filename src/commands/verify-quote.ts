import process from "node:process";
import type { Environment } from "../config/config.ts";
import { type Collateral, CollateralError, parseCollateral, TCB_STATUSES } from "../tee/quote/collateral.ts";
import { fetchCollateral, platformOf } from "../tee/quote/pccs.ts";
import { verifyQuote } from "../tee/quote/verify.ts";
import { readInputFile, readInputText, readStandardInput } from "./files/input-file.ts";
import { type Arguments, readArguments } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";
import { refusalsOf, StartRefusal, UsageError } from "./process/refusal.ts";
import { readAt, readDemands, VERIFY_QUOTE_SYNTAX } from "./verify-quote-options.ts";
import {
  encodeRefusal,
  encodeVerification,
  EXIT_CODES,
  outcomeOf,
  writeVerification,
} from "./verify-quote-output.ts";

export const VERIFY_QUOTE_USAGE = "verify-quote FILE|- (--collateral FILE | --pccs URL) [--root FILE] " +
  "[--nonce TEXT|any] [--address 0x…|any] [--policy FILE] [--slots SOURCE:KEYID,…] [--report-data HEX|any] [--at TIME] [--json] " +
  "(--expect FILE [--workload NAME] | " +
  "[--mrtd HEX|any] [--rtmr0 …] [--rtmr1 …] [--rtmr2 …] [--rtmr3 …] [--mrconfigid …] [--measurements any] " +
  "[--compose-hash HEX] [--app-id HEX] [--allow-status NAME,…] [--allow-sept-ve] [--service-td HEX] " +
  "[--least-evaluation N]) [--key-provider NAME:ID|any]";

export const VERIFY_QUOTE_HELP = `
FILE is the answer of GET /api/keys/:keyId/quote or of dstack's GetQuote, or a quote in bytes, hex or base64.

The FILE of --policy is the policy that the key must have, or an answer with it: the check says whether it is LOCKED
or after how many hours it may be loosened, and does not pass while a change of it is pending.

--slots, or the member slots of the file of --expect, lists every slot of the service's root seed, in any order: the
holder of the key of any slot can have every key. Without it the slots are not checked.

Each check has a line:
  passed        found as expected
  failed        found something else
  not checked   no value to expect was given, or an earlier check did not pass: as bad as failed
  waived        you gave any, so it was not checked

TCB statuses, by Intel, for --allow-status; UpToDate always passes, Revoked never does:
${TCB_STATUSES.map((status) => `  ${status}`).join("\n")}

Exit codes:
  0   every check passed or was waived; the last line names what was waived
  1   a check failed or was not made
  2   wrong arguments, or a missing input: nothing was verified
  4   only the collateral is too old: fetch it again

An example, with what \`holdfast doctor --expect >expected.json\` printed in the trust domain, compared with your build:
  holdfast verify-quote quote.json --pccs https://api.trustedservices.intel.com \\
    --expect expected.json --nonce="$NONCE" --address "$ADDRESS"
`;

/** Milliseconds for all of the collateral. */
const FETCH_TIME = 30_000;

function readBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!/^https?:$/.test(url?.protocol ?? "") || url?.search !== "" || url.hash !== "") {
    throw new UsageError("--pccs must be an address like https://api.trustedservices.intel.com");
  }
  return text.replace(/\/+$/, "");
}

/** Reads the collateral of a quote: of a file, or of a service by `--pccs`. */
export async function readCollateral({ values }: Arguments, quote: Uint8Array): Promise<Collateral> {
  const [path, base] = [values.get("collateral"), values.get("pccs")];
  if ((path === undefined) === (base === undefined)) {
    throw new UsageError("give either --collateral or --pccs");
  }
  try {
    if (path !== undefined) return parseCollateral(await readInputText(path));
    return await fetchCollateral(readBase(base!), platformOf(quote), {
      signal: AbortSignal.timeout(FETCH_TIME),
    });
  } catch (error) {
    if (!(error instanceof CollateralError)) throw error;
    throw new StartRefusal(error.message);
  }
}

async function verifyWithOptions(list: readonly string[]): Promise<void> {
  const given = readArguments(list, VERIFY_QUOTE_SYNTAX);
  const now = readAt(given, Date.now());
  const path = given.operands[0]!;
  const input = readQuoteInput(await (path === "-" ? readStandardInput() : readInputFile(path)));
  const { expectations, policy, root } = await readDemands(given, input.quote);
  const collateral = await readCollateral(given, input.quote);
  const found = verifyQuote({
    ...input,
    collateral,
    now,
    policy,
    expectations,
    ...(root === undefined ? {} : { root }),
  });
  printResult(given.flags.has("json") ? encodeVerification(found, now) : writeVerification(found, now));
  process.exitCode = EXIT_CODES[outcomeOf(found)];
}

/** With `--json` also prints a refusal as JSON. */
export async function verifyQuoteCommand(_: Environment, list: readonly string[]): Promise<void> {
  try {
    await verifyWithOptions(list);
  } catch (error) {
    const refusals = list.includes("--json") ? refusalsOf(error) : undefined;
    if (refusals !== undefined) printResult(encodeRefusal(refusals));
    throw error;
  }
}

export interface QuoteInput {
  readonly quote: Uint8Array;
  readonly claims?: Uint8Array;
  readonly eventLog?: string;
}

function readEncoded(text: string): Uint8Array | undefined {
  const compact = text.replaceAll(/\s/g, "");
  const hex = compact.replace(/^0x/, "");
  if (hex !== "" && hex.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(hex)) return Uint8Array.fromHex(hex);
  try {
    return compact === "" ? undefined : Uint8Array.fromBase64(compact);
  } catch {
    return undefined;
  }
}

function readJsonQuote(text: string): QuoteInput {
  let json: Readonly<Record<string, unknown>>;
  try {
    json = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new StartRefusal("The quote's file looks like JSON but is not valid JSON");
  }
  const quote = typeof json["quote"] === "string" ? readEncoded(json["quote"]) : undefined;
  if (quote === undefined) throw new StartRefusal("The JSON has no quote");
  // dstack's guest agent names it `event_log`.
  const eventLog = json["eventLog"] ?? json["event_log"];
  const { claims } = json;
  return {
    quote,
    ...(typeof claims === "string" ? { claims: new TextEncoder().encode(claims) } : {}),
    ...(typeof eventLog === "string" && eventLog !== "" ? { eventLog } : {}),
  };
}

/**
 * Reads a quote as bytes, hex or base64, or the JSON answer of `GET /api/keys/:keyId/quote` or of dstack's
 * `GetQuote`. Any other input is returned as bytes, which then fail as a quote. Throws `StartRefusal` for JSON
 * without a quote.
 */
export function readQuoteInput(bytes: Uint8Array): QuoteInput {
  // A quote begins with its version, whose second byte is zero; text has no zero byte.
  if (bytes[1] === 0) return { quote: bytes };
  const text = new TextDecoder().decode(bytes).trim();
  if (text.startsWith("{")) return readJsonQuote(text);
  return { quote: readEncoded(text) ?? bytes };
}
