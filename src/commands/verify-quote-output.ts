import { type Instant, toIso } from "../lib/time.ts";
import type { CheckName } from "../tee/quote/evidence.ts";
import { formatKeyProvider } from "../tee/quote/key-provider.ts";
import type { QuoteVerification } from "../tee/quote/verify.ts";

/** The result of the process: `stale` if the age of the collateral is the only fault. */
export type Outcome = "passed" | "failed" | "stale";

/** The exit codes. 2 is a refusal, and 3 is reserved for the service. */
export const EXIT_CODES: Readonly<Record<Outcome, number>> = { passed: 0, failed: 1, stale: 4 };

/** Checks that pin firmware, kernel and system: all are needed. */
const SYSTEM_CHECKS: readonly CheckName[] = ["mrtd", "rtmr1", "rtmr2"];
/** Checks that pin the workload: one is needed. */
const WORKLOAD_CHECKS: readonly CheckName[] = ["rtmr3", "mrconfigid", "compose_hash"];

export function outcomeOf({ passed, checks }: QuoteVerification): Outcome {
  if (passed) return "passed";
  const obstacles = checks.filter(({ verdict }) => verdict === "failed" || verdict === "not_checked");
  return obstacles.every(({ reason }) => reason === "stale_collateral") ? "stale" : "failed";
}

function waivedOf({ checks }: QuoteVerification): readonly CheckName[] {
  return checks.filter(({ verdict }) => verdict === "waived").map(({ name }) => name);
}

/** Requires a pinned system too, without which the workload is meaningless. */
function isProgramPinned({ checks }: QuoteVerification): boolean {
  const hasPassed = (wanted: CheckName): boolean =>
    checks.some(({ name, verdict }) => name === wanted && verdict === "passed");
  return SYSTEM_CHECKS.every(hasPassed) && WORKLOAD_CHECKS.some(hasPassed);
}

function describeWaived(found: QuoteVerification): string {
  const waived = waivedOf(found);
  const names = waived.length === 0 ? "" : `, waived: ${waived.join(", ")}`;
  return isProgramPinned(found) ? names : `${names}; THE PROGRAM IS NOT PINNED`;
}

const SUMS: Readonly<Record<Outcome, (found: QuoteVerification, at: string) => string>> = {
  passed: (found, at) => `PASSED at ${at}${describeWaived(found)}`,
  failed: (_, at) => `NOT PASSED at ${at}: what failed or was not checked proves nothing`,
  stale: (_, at) =>
    `NOT PASSED at ${at}: the collateral is out of date; fetch it again (--pccs), or name a time at which it was in ` +
    "force (--at)",
};

export function writeVerification(found: QuoteVerification, at: Instant): string {
  const lines = found.checks.map(({ name, verdict, detail }) =>
    `${verdict.replace("_", " ").padEnd(12)} ${name.padEnd(16)} ${detail}\n`
  );
  const sum = SUMS[outcomeOf(found)](found, toIso(at));
  const { isIntels, name } = found.root;
  const simulated = isIntels ? "" : `SIMULATED, under ${name.replaceAll(/[^\x20-\x7e]/g, "?")}: `;
  return `${lines.join("")}${simulated}${sum}\n`;
}

function toPlain(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? value.toHex() : value;
}

/** Encodes the verification as JSON: bytes in hex, the signed part of the quote, null for unknown values. */
export function encodeVerification(found: QuoteVerification, at: Instant): string {
  const { passed, checks, quote, tcb, workload, platform, root, collateral, keyProvider, policy, slots } =
    found;
  const read = quote && { version: quote.version, ...quote.report, ...quote.report15 };
  const all = {
    passed,
    outcome: outcomeOf(found),
    simulated: !root.isIntels,
    at: toIso(at),
    waived: waivedOf(found),
    programPinned: isProgramPinned(found),
    root,
    fmspc: platform?.fmspc ?? null,
    evaluation: collateral?.evaluation ?? null,
    expiresAt: collateral === undefined ? null : toIso(collateral.expiresAt),
    keyProvider: keyProvider === undefined ? null : formatKeyProvider(keyProvider),
    policy: policy ?? null,
    slots: slots ?? null,
    checks,
    quote: read ?? null,
    tcb: tcb ?? null,
    workload: workload ?? null,
  };
  return JSON.stringify(all, toPlain, 2) + "\n";
}

export function encodeRefusal(refusals: readonly string[]): string {
  return JSON.stringify({ passed: false, outcome: "refused", refusals }, null, 2) + "\n";
}
