import type { Instant } from "../../lib/time.ts";
import { utf8 } from "../../lib/bytes.ts";
import type { RootCertificate } from "./certificate.ts";
import type { Collateral } from "./collateral.ts";
import { STRICT_POLICY } from "./evidence.ts";
import type {
  CheckName,
  Expectations,
  Expected,
  QuoteEvidence,
  QuotePolicy,
  SealSlotClaim,
} from "./evidence.ts";
import type { LoggedWorkload } from "./event-log.ts";
import { bytesOfBase64 } from "./encoding.ts";
import { CheckFault, type FaultReason, NotChecked, Waived } from "./fault.ts";
import { parseEvidence } from "./parsed-evidence.ts";
import type { ParsedQuote } from "./parse.ts";
import type { Platform } from "./pck.ts";
import type { KeyProvider } from "../tee.ts";
import type { IsSigned } from "./signature.ts";
import { PLATFORM_CHECKS, readTcb } from "./platform-checks.ts";
import { type ClaimedPolicy, readClaimedPolicy } from "./key-policy-check.ts";
import { readClaimedSlots } from "./slots-check.ts";
import type { PlatformTcb } from "./tcb.ts";
import { type CollateralSummary, type RootSummary, summarizeCollateral, summarizeRoot } from "./summary.ts";
import { findKeyProvider, readWorkload, workloadChecks } from "./workload-checks.ts";

/** `not_checked`: missing input or a failed prerequisite; counts as `failed`. `waived`: explicitly, by the caller. */
export type Verdict = "passed" | "failed" | "not_checked" | "waived";

export interface Check {
  readonly name: CheckName;
  readonly verdict: Verdict;
  /** One sentence for the user, in printable ASCII: the value found or the fault. */
  readonly detail: string;
  /** Present if the only fault is the age of the collateral, so that newer collateral may fix it. */
  readonly reason?: FaultReason;
}

export interface QuoteVerification {
  /** True only if every check passed or was waived. */
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** Undefined if the bytes are not a quote. Trust it, and all that follows, only if `passed`. */
  readonly quote: ParsedQuote | undefined;
  /** Undefined also if TCB info or QE identity did not pass. */
  readonly tcb: PlatformTcb | undefined;
  readonly platform: Platform | undefined;
  readonly root: RootSummary;
  readonly collateral: CollateralSummary | undefined;
  readonly keyProvider: KeyProvider | undefined;
  /** The key's policy in the claims; undefined if they name none or are of an older version. */
  readonly policy: ClaimedPolicy | undefined;
  /** The slots of the seed in the claims; undefined if they name none or are of an older version. */
  readonly slots: readonly SealSlotClaim[] | undefined;
  /** The dstack workload in the event log, if the log replays. */
  readonly workload: LoggedWorkload | undefined;
}

/** Replaces control characters: names, claims and advisories are untrusted and must not write lines to a terminal. */
function toPlainText(detail: string): string {
  return detail.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** Prerequisites of checks. If one does not pass, the check is not made. */
const NEEDS: Readonly<Partial<Record<CheckName, readonly CheckName[]>>> = {
  tdx_module: ["tcb_info"],
  tcb_status: ["tcb_info", "qe_identity"],
  nonce: ["report_data"],
  address: ["report_data"],
  policy: ["report_data"],
  slots: ["report_data"],
  compose_hash: ["event_log"],
  app_id: ["event_log"],
  key_provider: ["report_data", "event_log"],
};

function hasPassed({ verdict }: Check): boolean {
  return verdict === "passed" || verdict === "waived";
}

function findObstacle(name: CheckName, made: readonly Check[]): Check | undefined {
  const obstacles = made.filter((check) => NEEDS[name]?.includes(check.name) && !hasPassed(check));
  // Prefers one that newer collateral does not fix.
  return obstacles.find(({ reason }) => reason === undefined) ?? obstacles[0];
}

function reasonOf({ reason }: { readonly reason?: FaultReason | undefined }): Pick<Check, "reason"> {
  return reason === undefined ? {} : { reason };
}

function judge(run: () => string): Omit<Check, "name"> {
  try {
    return { verdict: "passed", detail: run() };
  } catch (error) {
    if (error instanceof CheckFault) {
      return { verdict: "failed", detail: error.message, ...reasonOf(error) };
    }
    if (error instanceof NotChecked) return { verdict: "not_checked", detail: error.message };
    if (error instanceof Waived) return { verdict: "waived", detail: error.message };
    throw error;
  }
}

function runCheck(name: CheckName, run: () => string, made: readonly Check[]): Check {
  const obstacle = findObstacle(name, made);
  if (obstacle !== undefined) {
    const detail = `Needs ${obstacle.name}, which did not pass`;
    return { name, verdict: "not_checked", detail, ...reasonOf(obstacle) };
  }
  const judged = judge(run);
  return { name, ...judged, detail: toPlainText(judged.detail) };
}

/** Returns the value, or undefined on a fault, which a check reports. */
function valueOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckFault || error instanceof NotChecked) return undefined;
    throw error;
  }
}

/**
 * Judges a TDX quote with the given signature verification. Checks format, PCK chain up to the root, both revocation
 * lists, quoting enclave and its identity, and the quote's signature. Also checks TCB info, TDX module and status,
 * attributes, registers, report data with nonce, address and policy, event log, and key provider. Makes every
 * possible check, so that all faults are reported. `passed` requires all that the caller did not waive. Never throws
 * for untrusted input; throws `RangeError` if `now` is not a whole number of milliseconds.
 *
 * Does not check that the presenter of the quote runs in the trust domain. That takes a nonce in the claims, and a
 * key in them that is used afterwards. Fetches nothing. Old collateral that is still valid hides what Intel learned
 * since.
 */
export function judgeQuote(evidence: QuoteEvidence, isSigned: IsSigned): QuoteVerification {
  if (!Number.isSafeInteger(evidence.now)) {
    throw new RangeError("Cannot verify quote: now is not a valid time");
  }
  const parsed = parseEvidence(evidence, isSigned);
  const checks: Check[] = [];
  for (const [name, run] of [...PLATFORM_CHECKS, ...workloadChecks(evidence)]) {
    checks.push(runCheck(name, () => run(parsed, evidence), checks));
  }
  const isTcbKnown = findObstacle("tcb_status", checks) === undefined;
  return {
    passed: checks.every(hasPassed),
    checks,
    quote: valueOf(() => parsed.quote.require()),
    tcb: isTcbKnown ? valueOf(() => readTcb(parsed)) : undefined,
    platform: valueOf(() => parsed.platform.require()),
    root: summarizeRoot(parsed.root),
    collateral: valueOf(() => summarizeCollateral(evidence.collateral)),
    keyProvider: valueOf(() => findKeyProvider(parsed, evidence)),
    policy: valueOf(() => readClaimedPolicy(evidence)),
    slots: valueOf(() => readClaimedSlots(evidence)),
    workload: valueOf(() => readWorkload(parsed, evidence)),
  };
}

export interface KeyQuoteAnswer {
  readonly quote: string;
  readonly claims: string;
  readonly eventLog?: string;
}

/** A relying party's own knowledge, none of it from the answer. Each member is a value or `any`. */
export interface ExpectedKey extends Omit<Expectations, "reportData"> {
  readonly registers: NonNullable<Expectations["registers"]>;
  /** The nonce sent with this request. With `any` the quote may be old. */
  readonly nonce: Expected<string>;
  readonly address: Expected<string>;
  readonly keyProvider: Expected<KeyProvider>;
  readonly collateral: Collateral;
  readonly now: Instant;
  /** `STRICT_POLICY` unless given. */
  readonly policy?: QuotePolicy;
  /** Intel's unless given. */
  readonly root?: RootCertificate;
}

/** Decodes base64. Returns no bytes if it is invalid, which is then not a quote. */
function fromBase64(text: unknown): Uint8Array {
  try {
    return typeof text === "string" ? bytesOfBase64(text) : new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

/** Reads evidence over this key's claims only. Never throws for an untrusted answer. */
export function evidenceOfKey(
  { answer, expected }: { readonly answer: KeyQuoteAnswer; readonly expected: ExpectedKey },
): QuoteEvidence {
  const { collateral, now, policy = STRICT_POLICY, root, ...expectations } = expected;
  const { eventLog } = answer;
  return {
    quote: fromBase64(answer.quote),
    claims: utf8(String(answer.claims)),
    ...(typeof eventLog === "string" ? { eventLog } : {}),
    collateral,
    now,
    policy,
    ...(root === undefined ? {} : { root }),
    expectations,
  };
}
