import { appendAudit } from "../audit/log.ts";
import { utf8 } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import {
  brokerKeyIdOf,
  deriveWrappingKey,
  LENGTH,
  makeEphemeralKey,
  readBytes,
  readReleaseClaims,
  transcriptOf,
} from "../tee/broker/broker-protocol.ts";
import type { Release, ReleaseClaims } from "../tee/broker/broker-protocol.ts";
import { type ParsedQuote, parseQuote, QuoteFormatError } from "../tee/quote/parse.ts";
import { type QuoteVerification, verifyQuote } from "../tee/quote/verify.ts";
import { sealReleaseReportData } from "../tee/report-data.ts";
import type { SealedReleaseKey } from "../vault/release-key.ts";
import { type AllowedWorkload, type AllowList, findMeasurements } from "./allow-list.ts";
import { consumeReleaseChallenge } from "./challenge.ts";
import { refuseRelease } from "./refuse-release.ts";
import { getReleaseKey } from "./release-key.ts";
import type { BrokerServices } from "./services.ts";

export interface ReleaseRequest {
  /** The exact text that the quote's report data commits to. */
  readonly claims: string;
  readonly quote: Uint8Array;
  readonly network: string;
  readonly now: Instant;
  readonly traceparent?: string | undefined;
}

interface Admitted extends Pick<ReleaseRequest, "quote" | "now" | "traceparent"> {
  readonly claims: ReleaseClaims;
  readonly reportData: Uint8Array<ArrayBuffer>;
  readonly allowed: AllowedWorkload;
}

/** Returns the claims of a request. Refuses malformed claims, an unknown workload and another broker's key id. */
async function readClaims(
  services: BrokerServices,
  { claims: text, now }: ReleaseRequest,
  { workloads }: AllowList,
): Promise<{ readonly claims: ReleaseClaims; readonly allowed: AllowedWorkload }> {
  const claims = readReleaseClaims(text);
  if (claims === undefined) {
    return await refuseRelease(services, "malformed_claims", { workload: null, now });
  }
  const allowed = workloads.get(claims.workload);
  if (allowed === undefined) {
    return await refuseRelease(services, "unknown_workload", { workload: null, now });
  }
  if (claims.brokerKeyId !== brokerKeyIdOf(await services.vault.brokerPublicKey())) {
    return await refuseRelease(services, "other_broker", { workload: claims.workload, now });
  }
  return { claims, allowed };
}

function findQuote(bytes: Uint8Array): ParsedQuote | undefined {
  try {
    return parseQuote(bytes);
  } catch (error) {
    if (error instanceof QuoteFormatError) return undefined;
    throw error;
  }
}

/** Verifies that the quote is of an allowed trust domain and commits to these claims. */
async function verifyAdmitted(
  services: BrokerServices,
  { claims: { workload }, quote, reportData, allowed, now, traceparent }: Admitted,
  { root }: AllowList,
): Promise<QuoteVerification> {
  const report = findQuote(quote)?.report;
  if (report === undefined) return await refuseRelease(services, "malformed_quote", { workload, now });
  const measurements = findMeasurements(allowed, report);
  if (measurements === undefined) return await refuseRelease(services, "not_allowed", { workload, now });
  const { mrTd, rtmr0, rtmr1, rtmr2, rtmr3, mrConfigId } = measurements;
  const collateral = await services.readCollateral(quote, traceparent === undefined ? {} : { traceparent });
  const verification = verifyQuote({
    quote,
    collateral,
    now,
    policy: allowed.policy,
    // No key provider is expected: the domain requests its first sealing key here.
    expectations: {
      registers: { mrTd, rtmr0, rtmr1, rtmr2, rtmr3, mrConfigId },
      reportData,
      keyProvider: "any",
    },
    ...(root === undefined ? {} : { root }),
  });
  if (verification.passed) {
    // The owner of that root's key can obtain the workload's key. A test root left in the list must be visible.
    if (root !== undefined) services.log("warn", "not_intels_root", { workload, root: root.commonName });
    return verification;
  }
  const bad = verification.checks.find(({ verdict }) => verdict === "failed" || verdict === "not_checked");
  services.log("warn", "quote_refused", { workload, check: bad?.name ?? null, detail: bad?.detail ?? null });
  const check = bad === undefined ? {} : { check: bad.name };
  return await refuseRelease(services, "verification_failed", { workload, now, ...check });
}

/** Returns undefined if the guest's key is of low order. */
async function wrapAndSign(
  { vault, random }: BrokerServices,
  key: SealedReleaseKey,
  { claims, exp, quote, reportData, text }: {
    readonly claims: ReleaseClaims;
    readonly exp: number;
    readonly quote: Uint8Array;
    readonly reportData: Uint8Array<ArrayBuffer>;
    readonly text: string;
  },
): Promise<Release | undefined> {
  const own = makeEphemeralKey(random);
  const epkBroker = own.publicKey;
  const peer = readBytes(claims.epk, LENGTH)!;
  const wrapping = deriveWrappingKey(own, { peer, epkBroker, reportData });
  if (wrapping === undefined) return undefined;
  try {
    const ciphertext = await vault.wrapReleaseKey(key, { ...wrapping, additionalData: reportData });
    const transcript = transcriptOf({ exp, claims: text, quote, epkBroker, ciphertext });
    return { epkBroker, ciphertext, signature: await vault.signAsBroker(transcript) };
  } finally {
    wrapping.key.fill(0);
  }
}

/**
 * Releases a workload's sealing key to the trust domain that a quote identifies, encrypted to the ephemeral key in
 * the claims. Requires a nonce of this broker, which it consumes, allowed measurements, and that every check of the
 * quote passes at the broker's clock. Writes each outcome to the audit log before it answers, except a rate limit and
 * files that cannot be read (`unavailable`). Throws `release_refused`.
 */
export async function releaseSealingKey(services: BrokerServices, request: ReleaseRequest): Promise<Release> {
  const { groupCommit, limits, vault, readAllowList } = services;
  const { claims: text, quote, network, now, traceparent } = request;
  await groupCommit.run(async (tx) => {
    await limits.take(tx, "release_request", network, now);
    await limits.take(tx, "release_request_global", "", now);
  });
  const list = await readAllowList();
  const { claims, allowed } = await readClaims(services, request, list);
  const { workload, nonce } = claims;
  const challenge = await consumeReleaseChallenge(services, { nonce, workload, now });
  if (challenge.outcome !== "valid") {
    return await refuseRelease(services, challenge.outcome, { workload, now });
  }
  const reportData = sealReleaseReportData(utf8(text));
  const admitted = { claims, quote, reportData, allowed, now, traceparent };
  const { quote: verified, tcb } = await verifyAdmitted(services, admitted, list);
  const key = await getReleaseKey(services, { workload, now });
  if (key === undefined) return await refuseRelease(services, "key_lost", { workload, now });
  const release = await wrapAndSign(services, key, { claims, exp: challenge.exp, quote, reportData, text });
  if (release === undefined) return await refuseRelease(services, "weak_key", { workload, now });
  const { mrTd, rtmr3 } = verified!.report;
  const detail = { mrTd: mrTd.toHex(), rtmr3: rtmr3.toHex(), tcbStatus: tcb!.status };
  const event = { event: "sealing_key_released", accountId: null, subject: workload, detail } as const;
  await groupCommit.run((tx) => appendAudit(tx, vault, now, event));
  return release;
}
