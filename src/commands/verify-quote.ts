import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fromHex } from "../lib/bytes.ts";
import { parseInstant, toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { parseRoot } from "../tee/quote/certificate.ts";
import type { RootCertificate } from "../tee/quote/certificate.ts";
import { CollateralError, parseCollateral } from "../tee/quote/collateral.ts";
import type { Collateral } from "../tee/quote/collateral.ts";
import { CheckFault } from "../tee/quote/fault.ts";
import { fetchCollateral, platformOf } from "../tee/quote/pccs.ts";
import { ACCEPTABLE_STATUSES, STRICT_POLICY } from "../tee/quote/evidence.ts";
import { verifyQuote } from "../tee/quote/verify.ts";
import type { Expectations, Expected, Policy, Register } from "../tee/quote/evidence.ts";
import type { QuoteVerification } from "../tee/quote/verify.ts";
import type { Environment } from "../config.ts";
import { readArguments, readNumber } from "./arguments.ts";
import type { Arguments } from "./arguments.ts";
import { readQuoteInput } from "./quote-input.ts";
import { StartRefusal, UsageError } from "./refusal.ts";

export const VERIFY_QUOTE_USAGE = "verify-quote FILE|- (--collateral FILE | --pccs URL) [--root FILE] " +
  "[--nonce TEXT|any] [--address 0x…|any] [--report-data HEX|any] " +
  "[--mrtd HEX|any] [--rtmr0 …] [--rtmr1 …] [--rtmr2 …] [--rtmr3 …] [--mrconfigid …] [--measurements any] " +
  "[--compose-hash HEX] [--app-id HEX] [--allow-status NAME,…] [--allow-sept-ve] [--least-evaluation N] " +
  "[--at INSTANT] [--json]";

/** The process exits with this when a check failed or was not made. */
const EXIT_FAILED = 1;
/** Milliseconds for all of the collateral. */
const FETCH_TIME = 30_000;
const MOST_INPUT = 8 * 1024 * 1024;

const REGISTER_OPTIONS: Readonly<Record<string, Register>> = {
  mrtd: "mrTd",
  rtmr0: "rtmr0",
  rtmr1: "rtmr1",
  rtmr2: "rtmr2",
  rtmr3: "rtmr3",
  mrconfigid: "mrConfigId",
};

const SYNTAX = {
  operands: ["FILE"],
  flags: ["json", "allow-sept-ve"],
  values: [
    "collateral",
    "pccs",
    "root",
    "nonce",
    "address",
    "report-data",
    "measurements",
    "compose-hash",
    "app-id",
    "allow-status",
    "least-evaluation",
    "at",
    ...Object.keys(REGISTER_OPTIONS),
  ],
};

function readBytes({ values }: Arguments, option: string, length: number): Uint8Array | undefined {
  const text = values.get(option);
  if (text === undefined) return undefined;
  const bytes = fromHex(text.startsWith("0x") ? text : `0x${text}`);
  if (bytes?.length !== length) throw new UsageError(`--${option} must be ${length} bytes in hex`);
  return bytes;
}

function readExpected(given: Arguments, option: string, length: number): Expected<Uint8Array> | undefined {
  return given.values.get(option) === "any" ? "any" : readBytes(given, option, length);
}

function readExpectations(given: Arguments): Expectations {
  const measurements = given.values.get("measurements");
  if (measurements !== undefined && measurements !== "any") {
    throw new UsageError("--measurements can only be any");
  }
  const registers = Object.entries(REGISTER_OPTIONS).flatMap(([option, register]) => {
    const expected = readExpected(given, option, 48) ?? measurements;
    return expected === undefined ? [] : [[register, expected] as const];
  });
  const [nonce, address] = [given.values.get("nonce"), given.values.get("address")];
  const reportData = readExpected(given, "report-data", 64);
  if (reportData !== undefined && (nonce ?? address) !== undefined) {
    throw new UsageError(
      "--report-data is for quotes without claims: there is no --nonce and no --address then",
    );
  }
  const composeHash = readBytes(given, "compose-hash", 32);
  const appId = readBytes(given, "app-id", 20);
  return {
    registers: Object.fromEntries(registers),
    ...(reportData === undefined ? {} : { reportData }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(address === undefined ? {} : { address }),
    ...(composeHash === undefined ? {} : { composeHash }),
    ...(appId === undefined ? {} : { appId }),
  };
}

/** What passes without being asked for, and what is allowed besides. */
function readStatuses(text: string | undefined): Policy["statuses"] {
  const allowed = (text?.split(",") ?? []).map((name) => {
    const status = ACCEPTABLE_STATUSES.find((one) => one === name);
    if (status === undefined) {
      throw new UsageError(`--allow-status must be of ${ACCEPTABLE_STATUSES.join(", ")}`);
    }
    return status;
  });
  return [...STRICT_POLICY.statuses, ...allowed];
}

function readPolicy({ flags, values }: Arguments): Policy {
  const least = values.get("least-evaluation") ?? "0";
  return {
    statuses: readStatuses(values.get("allow-status")),
    septVe: flags.has("allow-sept-ve") ? "any" : STRICT_POLICY.septVe,
    leastEvaluation: readNumber(least, { option: "least-evaluation", least: 0, most: 65_535 }),
  };
}

/** An instant in UTC, as ISO 8601 has it, with or without milliseconds; now when none is given. */
function readInstant(text: string | undefined, now: Instant): Instant {
  if (text === undefined) return now;
  const instant = parseInstant(text);
  if (instant === undefined) throw new UsageError("--at must be an instant like 2026-01-31T09:30:00Z");
  return instant;
}

async function readInput(path: string): Promise<Uint8Array> {
  if (path !== "-") return await readFile(path);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MOST_INPUT) throw new StartRefusal("Standard input is too long");
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

async function readRoot(path: string | undefined): Promise<RootCertificate | undefined> {
  if (path === undefined) return undefined;
  try {
    return parseRoot(await readFile(path, "utf8"));
  } catch (error) {
    if (!(error instanceof CheckFault)) throw error;
    throw new StartRefusal(`The root cannot be read: ${error.message}`);
  }
}

function readBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!/^https?:$/.test(url?.protocol ?? "") || url?.search !== "" || url.hash !== "") {
    throw new UsageError("--pccs must be an address like https://api.trustedservices.intel.com");
  }
  return text.replace(/\/+$/, "");
}

async function readCollateral({ values }: Arguments, quote: Uint8Array): Promise<Collateral> {
  const [path, base] = [values.get("collateral"), values.get("pccs")];
  if ((path === undefined) === (base === undefined)) {
    throw new UsageError("give either --collateral or --pccs");
  }
  try {
    if (path !== undefined) return parseCollateral(await readFile(path, "utf8"));
    return await fetchCollateral(readBase(base!), platformOf(quote), AbortSignal.timeout(FETCH_TIME));
  } catch (error) {
    if (!(error instanceof CollateralError)) throw error;
    throw new StartRefusal(error.message);
  }
}

/** What JSON cannot say, said in hex. */
function toPlain(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? value.toHex() : value;
}

/** A line for each check, and the sum of them, with how many were not asked for. */
function writeVerification({ passed, checks }: QuoteVerification, at: Instant): string {
  const waived = checks.filter(({ verdict }) => verdict === "waived").length;
  const lines = checks.map(({ name, verdict, detail }) =>
    `${verdict.replace("_", " ").padEnd(12)} ${name.padEnd(16)} ${detail}\n`
  );
  const sum = passed
    ? `PASSED at ${toIso(at)}${waived === 0 ? "" : `, ${waived} waived`}\n`
    : `NOT PASSED at ${toIso(at)}: what failed or was not checked proves nothing\n`;
  return lines.join("") + sum;
}

/** The verification as JSON: bytes in hex, what of the quote was signed without the signature. */
function encodeVerification(found: QuoteVerification, at: Instant): string {
  const { passed, checks, quote, tcb, workload } = found;
  const read = quote && { version: quote.version, ...quote.report, ...quote.report15 };
  return JSON.stringify({ passed, at: toIso(at), checks, quote: read, tcb, workload }, toPlain, 2) + "\n";
}

/** The `verify-quote` command: exit 0 when every check passed or was waived, 1 when one failed or was not made. */
export async function verifyQuoteCommand(_: Environment, list: readonly string[]): Promise<void> {
  const given = readArguments(list, SYNTAX);
  const expectations = readExpectations(given);
  const policy = readPolicy(given);
  const now = readInstant(given.values.get("at"), Date.now());
  const root = await readRoot(given.values.get("root"));
  const input = readQuoteInput(await readInput(given.operands[0]!));
  const collateral = await readCollateral(given, input.quote);
  const found = verifyQuote({
    ...input,
    collateral,
    now,
    policy,
    expectations,
    ...(root === undefined ? {} : { root }),
  });
  process.stdout.write(
    given.flags.has("json") ? encodeVerification(found, now) : writeVerification(found, now),
  );
  if (!found.passed) process.exitCode = EXIT_FAILED;
}
