import type { CheckName, QuoteEvidence } from "./evidence.ts";
import type { LoggedWorkload } from "./event-log.ts";
import { CheckFault, NotChecked, Waived } from "./fault.ts";
import { readMaterial } from "./material.ts";
import type { ParsedQuote } from "./parse.ts";
import { PLATFORM_CHECKS, readTcb } from "./platform-checks.ts";
import type { PlatformTcb } from "./tcb.ts";
import { readWorkload, workloadChecks } from "./workload-checks.ts";

// This file is what `holdfast/verify-quote` imports.
export { ACCEPTABLE_STATUSES, STRICT_POLICY } from "./evidence.ts";
export type { CheckName, Expectations, Expected, Policy, QuoteEvidence, Register } from "./evidence.ts";

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
