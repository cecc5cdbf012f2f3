import type { Instant } from "../../lib/time.ts";
import { utf8 } from "../../lib/bytes.ts";
import type { RootCertificate } from "./certificate.ts";
import type { Collateral } from "./collateral.ts";
import { STRICT_POLICY } from "./evidence.ts";
import type { CheckName, Expectations, Expected, Policy, QuoteEvidence } from "./evidence.ts";
import type { LoggedWorkload } from "./event-log.ts";
import { bytesOfBase64 } from "./encoding.ts";
import { CheckFault, NotChecked, Waived } from "./fault.ts";
import type { FaultReason } from "./fault.ts";
import { readMaterial } from "./parsed-evidence.ts";
import type { ParsedQuote } from "./parse.ts";
import type { Platform } from "./pck.ts";
import type { KeyProvider } from "../tee.ts";
import type { IsSigned } from "./signature.ts";
import { PLATFORM_CHECKS, readTcb } from "./platform-checks.ts";
import { readClaimedPolicy } from "./key-policy-check.ts";
import type { ClaimedPolicy } from "./key-policy-check.ts";
import type { PlatformTcb } from "./tcb.ts";
import { summarizeCollateral, summarizeRoot } from "./summary.ts";
import type { CollateralSummary, RootSummary } from "./summary.ts";
import { findKeyProvider, readWorkload, workloadChecks } from "./workload-checks.ts";

/**
 * `not_checked` when there was nothing to check with, or an earlier check took away what this one needs; it is as bad
 * as `failed`. `waived` when the caller said in so many words that it does not ask.
 */
export type Verdict = "passed" | "failed" | "not_checked" | "waived";

/** One check and how it went. */
export interface Check {
  readonly name: CheckName;
  readonly verdict: Verdict;
  /** One sentence for a person, in printable ASCII: what was found, or what is wrong. */
  readonly detail: string;
  /** Present when nothing stands in the way but the age of collateral: newer one may mend it. */
  readonly reason?: FaultReason;
}

/** How a verification went. */
export interface QuoteVerification {
  /** True only when every check passed, but for those that the caller waived. */
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** Undefined when the bytes are no quote. To be believed only when `passed`, as all that follows. */
  readonly quote: ParsedQuote | undefined;
  /** Undefined also when TCB info or QE identity did not pass. */
  readonly tcb: PlatformTcb | undefined;
  /** The platform that the PCK certificate is of. */
  readonly platform: Platform | undefined;
  /** Whose certificates counted. */
  readonly root: RootSummary;
  readonly collateral: CollateralSummary | undefined;
  readonly keyProvider: KeyProvider | undefined;
  /** What the claims say of the key's policy; undefined where they name none, or are from before there were any. */
  readonly policy: ClaimedPolicy | undefined;
  /** What the event log says of a dstack workload, when it replays. */
  readonly workload: LoggedWorkload | undefined;
}

/** Names, claims and advisories are the other side's: on a terminal none of them may write lines of its own. */
function toPlainText(detail: string): string {
  return detail.replaceAll(/[^\x20-\x7e]/g, "?");
}

/** What a check builds on: where one of these does not pass, it is not made, and says nothing good of anything. */
const NEEDS: Readonly<Partial<Record<CheckName, readonly CheckName[]>>> = {
  tdx_module: ["tcb_info"],
  tcb_status: ["tcb_info", "qe_identity"],
  nonce: ["report_data"],
  address: ["report_data"],
  policy: ["report_data"],
  compose_hash: ["event_log"],
  app_id: ["event_log"],
  key_provider: ["report_data", "event_log"],
};

function isMet({ verdict }: Check): boolean {
  return verdict === "passed" || verdict === "waived";
}

/** The check that takes away what this one needs; undefined when nothing does. */
function findObstacle(name: CheckName, made: readonly Check[]): Check | undefined {
  const obstacles = made.filter((check) => NEEDS[name]?.includes(check.name) && !isMet(check));
  // One that newer collateral does not mend, if there is one.
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

/** What a reader gives; undefined when what it reads is at fault, which a check reports. */
function valueOf<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckFault || error instanceof NotChecked) return undefined;
    throw error;
  }
}

/**
 * Judges a TDX quote, asking of each signature whether it verifies: format, PCK chain up to the root, both revocation
 * lists, the quoting enclave and its identity, the quote's signature, TCB info, TDX module and status, attributes,
 * registers, report data with nonce, address and policy, dstack's event log, and who gave the sealing key. All checks
 * are made that can be, so that every fault shows; each is reported, and `passed` wants all of them, but for those the
 * caller waived. Nothing that the other side sent makes it throw; a `now` that is no whole number of milliseconds is a
 * `RangeError`.
 *
 * Does not check that whoever shows the quote runs in the trust domain: that takes a nonce in the claims, and a key in
 * them that is used thereafter. Does not fetch anything; old collateral in force hides what Intel learned since.
 */
export function judgeQuote(evidence: QuoteEvidence, isSigned: IsSigned): QuoteVerification {
  if (!Number.isSafeInteger(evidence.now)) throw new RangeError("Cannot verify quote: now is no instant");
  const material = readMaterial(evidence, isSigned);
  const checks: Check[] = [];
  for (const [name, run] of [...PLATFORM_CHECKS, ...workloadChecks(evidence)]) {
    checks.push(runCheck(name, () => run(material, evidence), checks));
  }
  const isTcbKnown = findObstacle("tcb_status", checks) === undefined;
  return {
    passed: checks.every(isMet),
    checks,
    quote: valueOf(() => material.quote.need()),
    tcb: isTcbKnown ? valueOf(() => readTcb(material)) : undefined,
    platform: valueOf(() => material.platform.need()),
    root: summarizeRoot(material.root),
    collateral: valueOf(() => summarizeCollateral(evidence.collateral)),
    keyProvider: valueOf(() => findKeyProvider(material, evidence)),
    policy: valueOf(() => readClaimedPolicy(evidence)),
    workload: valueOf(() => readWorkload(material, evidence)),
  };
}

/** The answer of `GET /api/keys/:keyId/quote`, as far as it is evidence. */
export interface KeyQuoteAnswer {
  readonly quote: string;
  readonly claims: string;
  readonly eventLog?: string;
}

/** What a relying party knows by itself, and nothing of which the answer says: each has a value, or the word `any`. */
export interface ExpectedKey extends Omit<Expectations, "reportData"> {
  readonly registers: NonNullable<Expectations["registers"]>;
  /** The one that was sent with this request; without, the quote may be an old one. */
  readonly nonce: Expected<string>;
  readonly address: Expected<string>;
  readonly keyProvider: Expected<KeyProvider>;
  readonly collateral: Collateral;
  readonly now: Instant;
  /** `STRICT_POLICY` unless given. */
  readonly policy?: Policy;
  /** Intel's unless given. */
  readonly root?: RootCertificate;
}

/** The bytes of base64; none for whatever is none, which is no quote then. */
function fromBase64(text: unknown): Uint8Array {
  try {
    return typeof text === "string" ? bytesOfBase64(text) : new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

/**
 * The evidence that an answer is, for a quote over this key's claims and no other. Nothing in the answer makes it
 * throw.
 */
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
