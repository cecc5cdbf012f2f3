import type { Instant } from "../../lib/time.ts";
import type { RootCertificate } from "./certificate.ts";
import type { Collateral } from "./collateral.ts";
import { TCB_STATUSES } from "./collateral.ts";
import type { LoggedWorkload } from "./event-log.ts";
import { CheckFault, NotChecked, Waived } from "./fault.ts";
import { readMaterial } from "./material.ts";
import type { ParsedQuote } from "./parse.ts";
import { PLATFORM_CHECKS, readTcb } from "./platform-checks.ts";
import type { PlatformTcb } from "./tcb.ts";
import { readWorkload, workloadChecks } from "./workload-checks.ts";

/** What is checked, in the order in which it is reported. The last ones are there only when somebody asks for them. */
export type CheckName =
  | "quote_format"
  | "pck_chain"
  | "pck_crl"
  | "root_crl"
  | "qe_report"
  | "qe_identity"
  | "quote_signature"
  | "tcb_info"
  | "tdx_module"
  | "tcb_status"
  | "td_attributes"
  | "mrtd"
  | "rtmr0"
  | "rtmr1"
  | "rtmr2"
  | "rtmr3"
  | "mrconfigid"
  | "report_data"
  | "nonce"
  | "address"
  | "event_log"
  | "compose_hash"
  | "app_id";

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
}

/** The registers that say what runs in the trust domain. */
export type Register = "mrTd" | "rtmr0" | "rtmr1" | "rtmr2" | "rtmr3" | "mrConfigId";

/** A value that must be found, or the statement that any will do. */
export type Expected<T> = T | "any";

/** What the caller knows of the workload and of the statement. What is absent is `not_checked`, so nothing passes. */
export interface Expectations {
  /** 48 bytes each. */
  readonly registers?: Readonly<Partial<Record<Register, Expected<Uint8Array>>>>;
  /**
   * 64 bytes, for quotes over something else than a key's claims: then `nonce` and `address` are not looked at. Absent:
   * the report data must be those of `claims`.
   */
  readonly reportData?: Expected<Uint8Array>;
  /** The nonce in the claims, as it was sent. */
  readonly nonce?: Expected<string>;
  /** The Ethereum address in the claims, in either case. */
  readonly address?: Expected<string>;
  /** 32 bytes, or as many as the event log has: dstack's `compose-hash`. */
  readonly composeHash?: Uint8Array;
  /** 20 bytes: dstack's `app-id`. */
  readonly appId?: Uint8Array;
}

/** Statuses that a caller can accept. `Revoked` is none of them, ever. */
export const ACCEPTABLE_STATUSES = TCB_STATUSES.filter((status) => status !== "Revoked");

/** What the caller accepts of a platform. */
export interface Policy {
  readonly statuses: readonly (typeof ACCEPTABLE_STATUSES)[number][];
  /** Whether a trust domain without SEPT_VE_DISABLE passes, as Azure's are. */
  readonly septVe: "disabled" | "any";
  /** Least `tcbEvaluationDataNumber` of TCB info and QE identity, against collateral that is valid but old. */
  readonly leastEvaluation: number;
}

/** Only what is up to date, and nothing that weakens the trust domain. */
export const STRICT_POLICY: Policy = { statuses: ["UpToDate"], septVe: "disabled", leastEvaluation: 0 };

/** What `verifyQuote` looks at. */
export interface QuoteEvidence {
  readonly quote: Uint8Array;
  readonly collateral: Collateral;
  /** dstack's event log, as the guest agent gives it: the text of a JSON array. */
  readonly eventLog?: string;
  /** The exact bytes that were hashed into the report data of a key's quote. */
  readonly claims?: Uint8Array;
  /** The verifier's own clock. */
  readonly now: Instant;
  /** Whose certificates count; Intel's SGX root when absent. */
  readonly root?: RootCertificate;
  readonly policy: Policy;
  readonly expectations: Expectations;
}

/** How a verification went. */
export interface QuoteVerification {
  /** True only when every check passed, but for those that the caller waived. */
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** Undefined when the bytes are no quote. To be believed only when `passed`. */
  readonly quote: ParsedQuote | undefined;
  readonly tcb: PlatformTcb | undefined;
  /** What the event log says of a dstack workload, when it replays. */
  readonly workload: LoggedWorkload | undefined;
}

/** Names, claims and advisories are the other side's: on a terminal none of them may write lines of its own. */
function toPlainText(detail: string): string {
  return detail.replaceAll(/[^\x20-\x7e]/g, "?");
}

function judge(run: () => string): Pick<Check, "verdict" | "detail"> {
  try {
    return { verdict: "passed", detail: run() };
  } catch (error) {
    if (error instanceof CheckFault) return { verdict: "failed", detail: error.message };
    if (error instanceof NotChecked) return { verdict: "not_checked", detail: error.message };
    if (error instanceof Waived) return { verdict: "waived", detail: error.message };
    throw error;
  }
}

function runCheck(name: CheckName, run: () => string): Check {
  const { verdict, detail } = judge(run);
  return { name, verdict, detail: toPlainText(detail) };
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
 * Verifies a TDX quote: format, PCK chain up to the root, both revocation lists, the quoting enclave and its identity,
 * the quote's signature, TCB info, TDX module and status, attributes, registers, report data with nonce and address,
 * and dstack's event log. All checks are made that can be, so that every fault shows; each is reported, and `passed`
 * wants all of them, but for those the caller waived. Nothing that the other side sent makes it throw; a `now` that is
 * no whole number of milliseconds is a `RangeError`.
 *
 * Does not check that whoever shows the quote runs in the trust domain: that takes a nonce in the claims, and a key in
 * them that is used thereafter. Does not fetch anything; old collateral in force hides what Intel learned since.
 */
export function verifyQuote(evidence: QuoteEvidence): QuoteVerification {
  if (!Number.isSafeInteger(evidence.now)) throw new RangeError("Cannot verify quote: now is no instant");
  const material = readMaterial(evidence);
  const checks = [...PLATFORM_CHECKS, ...workloadChecks(evidence)]
    .map(([name, run]) => runCheck(name, () => run(material, evidence)));
  return {
    passed: checks.every(({ verdict }) => verdict === "passed" || verdict === "waived"),
    checks,
    quote: valueOf(() => material.quote.need()),
    tcb: valueOf(() => readTcb(material)),
    workload: valueOf(() => readWorkload(material, evidence)),
  };
}
