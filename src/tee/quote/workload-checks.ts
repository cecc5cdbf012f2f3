import { constantTimeEqual } from "../../lib/bytes.ts";
import { isKeyQuoteReportData } from "../report-data.ts";
import type { KeyProvider } from "../tee.ts";
import { type LoggedWorkload, parseEventLog, replayEventLog } from "./event-log.ts";
import { hexOf } from "./encoding.ts";
import { CheckFault, NotChecked, Waived } from "./fault.ts";
import {
  formatKeyProvider,
  isSameKeyProvider,
  parseKeyProvider,
  parseLoggedProvider,
} from "./key-provider.ts";
import { readJson, readObject, readOptional, readText } from "./json.ts";
import type { ParsedEvidence } from "./parsed-evidence.ts";
import { checkKeyPolicy } from "./key-policy-check.ts";
import { checkSlots } from "./slots-check.ts";
import type { RunCheck } from "./platform-checks.ts";
import type { CheckName, Expected, QuoteEvidence, Register } from "./evidence.ts";

type NamedCheck = readonly [name: CheckName, run: RunCheck];

const REGISTERS: readonly (readonly [name: CheckName, register: Register])[] = [
  ["mrtd", "mrTd"],
  ["rtmr0", "rtmr0"],
  ["rtmr1", "rtmr1"],
  ["rtmr2", "rtmr2"],
  ["rtmr3", "rtmr3"],
  ["mrconfigid", "mrConfigId"],
];

/** Checked only if the caller expects a value: few hosts set them. */
const OWNER_REGISTERS: typeof REGISTERS = [["mrowner", "mrOwner"], ["mrownerconfig", "mrOwnerConfig"]];

function expectationOf<T>(expected: Expected<T> | undefined, what: string, found: string): T {
  if (expected === undefined) throw new NotChecked(`No expected ${what} was given; it is ${found}`);
  if (expected === "any") throw new Waived(`Waived; it is ${found}`);
  return expected as T;
}

function checkRegister(
  { quote }: ParsedEvidence,
  expected: Expected<Uint8Array> | undefined,
  register: Register,
): string {
  const found = quote.require().report[register];
  const name = register.toUpperCase();
  if (!constantTimeEqual(found, expectationOf(expected, name, hexOf(found)))) {
    throw new CheckFault(`${name} is ${hexOf(found)}, which is not expected`);
  }
  return "As expected";
}

function checkReportData({ quote }: ParsedEvidence, { claims, expectations }: QuoteEvidence): string {
  const found = quote.require().report.reportData;
  if (expectations.reportData !== undefined) {
    const expected = expectationOf(expectations.reportData, "report data", hexOf(found));
    if (!constantTimeEqual(found, expected)) {
      throw new CheckFault("The quote is for other report data");
    }
    return "As expected";
  }
  if (claims === undefined) throw new NotChecked("There are no claims");
  if (!isKeyQuoteReportData(found, claims)) {
    throw new CheckFault("The quote is for other claims");
  }
  return "The quote is for these claims";
}

function readClaim(claims: Uint8Array | undefined, name: "nonce" | "address"): string | null {
  if (claims === undefined) throw new NotChecked("There are no claims");
  return readJson(
    new TextDecoder().decode(claims),
    (value) => {
      const claim = readObject(value, "the text")[name];
      return claim === null ? null : readText(claim, name);
    },
    (message) => new CheckFault(`The claims cannot be read: ${message}`),
  );
}

function checkNonce(_: ParsedEvidence, { claims, expectations }: QuoteEvidence): string {
  const found = readClaim(claims, "nonce");
  if (found !== expectationOf(expectations.nonce, "nonce", found ?? "none")) {
    throw new CheckFault(`The claims have ${found === null ? "no" : "another"} nonce`);
  }
  return "The claims have the expected nonce";
}

function checkAddress(_: ParsedEvidence, { claims, expectations }: QuoteEvidence): string {
  const found = readClaim(claims, "address") ?? "none";
  const expected = expectationOf(expectations.address, "address", found);
  if (found.toLowerCase() !== expected.toLowerCase()) {
    throw new CheckFault("The claims are for another address");
  }
  return `The claims are for ${found}`;
}

export function readWorkload({ quote }: ParsedEvidence, { eventLog }: QuoteEvidence): LoggedWorkload {
  if (eventLog === undefined) throw new NotChecked("There is no event log");
  const events = parseEventLog(eventLog);
  return replayEventLog(events, quote.require().report);
}

function checkEventLog(parsed: ParsedEvidence, evidence: QuoteEvidence): string {
  readWorkload(parsed, evidence);
  return "Replays to RTMR0 to RTMR3";
}

function checkLogged(
  what: string,
  expected: Uint8Array,
  found: Uint8Array | undefined,
): string {
  if (found === undefined) throw new CheckFault(`The event log has no ${what}`);
  if (!constantTimeEqual(found, expected)) {
    throw new CheckFault(`The ${what} is ${hexOf(found)}, which is not expected`);
  }
  return "As expected";
}

/** Returns undefined without a log. Throws if the log does not name the provider. */
function readLoggedProvider(parsed: ParsedEvidence, evidence: QuoteEvidence): KeyProvider | undefined {
  if (evidence.eventLog === undefined) return undefined;
  const { keyProvider } = readWorkload(parsed, evidence);
  if (keyProvider === undefined) throw new CheckFault("The event log has no key-provider");
  return parseLoggedProvider(keyProvider);
}

/** Returns the provider in the claims. Returns undefined if they name none, or if other report data is expected. */
function readClaimedProvider({ claims, expectations }: QuoteEvidence): KeyProvider | undefined {
  if (claims === undefined || expectations.reportData !== undefined) return undefined;
  return readJson(
    new TextDecoder().decode(claims),
    (value) => readOptional(parseKeyProvider, readObject(value, "the text")["keyProvider"], "keyProvider"),
    (message) => new CheckFault(`The claims cannot be read: ${message}`),
  );
}

/** Returns the provider of the sealing key by event log or claims. Throws `CheckFault` if both exist and differ. */
export function findKeyProvider(parsed: ParsedEvidence, evidence: QuoteEvidence): KeyProvider {
  const logged = readLoggedProvider(parsed, evidence);
  const claimed = readClaimedProvider(evidence);
  if (logged !== undefined && claimed !== undefined && !isSameKeyProvider(logged, claimed)) {
    const [log, claim] = [logged, claimed].map(formatKeyProvider);
    throw new CheckFault(`The event log has the key provider ${log}, the claims ${claim}`);
  }
  const found = logged ?? claimed;
  if (found === undefined) throw new NotChecked("Neither an event log nor claims name the key provider");
  return found;
}

function describeKeyProvider(parsed: ParsedEvidence, evidence: QuoteEvidence): string {
  try {
    return formatKeyProvider(findKeyProvider(parsed, evidence));
  } catch (error) {
    if (error instanceof CheckFault || error instanceof NotChecked) return "not known";
    throw error;
  }
}

function checkKeyProvider(parsed: ParsedEvidence, evidence: QuoteEvidence): string {
  const { expectations, eventLog } = evidence;
  const name = describeKeyProvider(parsed, evidence);
  const expected = expectationOf(expectations.keyProvider, "key provider", name);
  if (!isSameKeyProvider(findKeyProvider(parsed, evidence), expected)) {
    throw new CheckFault(`The key provider is ${name}, which is not expected`);
  }
  return eventLog === undefined ? "As expected, by the claims" : "As expected, by the event log";
}

export function workloadChecks({ eventLog, expectations }: QuoteEvidence): readonly NamedCheck[] {
  const { registers, reportData, policyHash, slots, composeHash, appId } = expectations;
  const checks: NamedCheck[] = REGISTERS.map(([name, register]) => [
    name,
    (parsed) => checkRegister(parsed, registers?.[register], register),
  ]);
  for (const [name, register] of OWNER_REGISTERS) {
    const expected = registers?.[register];
    if (expected !== undefined) {
      checks.push([name, (parsed) => checkRegister(parsed, expected, register)]);
    }
  }
  checks.push(["report_data", checkReportData]);
  if (reportData === undefined) checks.push(["nonce", checkNonce], ["address", checkAddress]);
  if (policyHash !== undefined) checks.push(["policy", checkKeyPolicy]);
  if (slots !== undefined) checks.push(["slots", checkSlots]);
  if (eventLog !== undefined || composeHash !== undefined || appId !== undefined) {
    checks.push(["event_log", checkEventLog]);
  }
  if (composeHash !== undefined) {
    checks.push([
      "compose_hash",
      (...given) => checkLogged("compose-hash", composeHash, readWorkload(...given).composeHash),
    ]);
  }
  if (appId !== undefined) {
    checks.push(["app_id", (...given) => checkLogged("app-id", appId, readWorkload(...given).appId)]);
  }
  checks.push(["key_provider", checkKeyProvider]);
  return checks;
}
