import type { AuditHead } from "../audit/stored-entry.ts";
import { toChecksumAddress } from "../ethereum/address.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { sha256 } from "../lib/sha256.ts";
import { type Instant, toIso } from "../lib/time.ts";
import { keyQuoteReportData } from "../tee/report-data.ts";
import { type Quote, type Tee, TeeUnavailableError } from "../tee/tee.ts";
import { storedPolicy } from "./key-policy.ts";
import type { SlotClaim } from "../sealing/slots.ts";
import type { EthereumKey } from "./key.ts";
import { policyStateAt } from "./policy-state.ts";

/** A quote over the claims about a key: evidence that this service holds it. */
export interface KeyQuote extends Quote {
  /** The exact text whose UTF-8 bytes the report data hashes. */
  readonly claims: string;
}

/** Seconds until the caller may try again if the TEE provides no quote. */
const RETRY_AFTER = "2";

interface QuoteRequest {
  readonly baseUrl: string;
  readonly configurationHash: string;
  readonly nonce: string | undefined;
  /** The newest audit log entry about the key's policy, if any. */
  readonly policyEntry: AuditHead | undefined;
  /** Every slot of the root seed: the holder of any of these keys can have this key. */
  readonly slots: readonly SlotClaim[];
  readonly now: Instant;
}

function hashOf(policy: string): string {
  return toHex(sha256(utf8(policy)));
}

/** Returns the claim about the key's policy. Null means that the key may sign anything. */
function policyClaim(key: EthereumKey, now: Instant) {
  const { policy, change } = policyStateAt(key.policyState, now);
  if (policy === null) return null;
  const { locked, delayHours } = storedPolicy(policy)!;
  return {
    hash: hashOf(policy),
    locked,
    delayHours,
    change: change && {
      hash: change.to === null ? null : hashOf(change.to),
      takesEffectAt: toIso(change.at),
    },
  };
}

/** Returns the claims about one key, as the exact text that a quote hashes. Not evidence without a quote. */
export function quoteClaims(
  { keyProvider: { name, id, verified } }: Tee,
  key: EthereumKey,
  value: QuoteRequest,
): string {
  const { policyEntry } = value;
  return JSON.stringify({
    purpose: "holdfast/key-quote/v2",
    keyId: key.id,
    address: toChecksumAddress(key.address),
    publicKey: toHex(key.publicKey),
    derivation: "ethereum-key/v1",
    policy: policyClaim(key, value.now),
    policyEntry: policyEntry === undefined ? null : { seq: policyEntry.seq, hash: toHex(policyEntry.hash) },
    baseUrl: value.baseUrl,
    configurationHash: value.configurationHash,
    keyProvider: { name, id, verified },
    slots: value.slots,
    nonce: value.nonce ?? null,
    issuedAt: toIso(value.now),
  });
}

/**
 * Returns a new quote for one key. REPORTDATA is SHA-512 over the claims, see `tee/report-data`. Throws `unavailable`
 * if the TEE provides none. Does not check that the TEE is genuine: see `tee.inTee`.
 */
export async function quoteKey(
  tee: Tee,
  key: EthereumKey,
  value: QuoteRequest,
): Promise<KeyQuote> {
  const claims = quoteClaims(tee, key, value);
  try {
    return { ...await tee.quote(keyQuoteReportData(utf8(claims))), claims };
  } catch (error) {
    if (!(error instanceof TeeUnavailableError)) throw error;
    throw new ProtocolError(
      "unavailable",
      "The trusted execution environment gives no quote at the moment; try again",
      {
        cause: error,
        headers: { "Retry-After": RETRY_AFTER },
      },
    );
  }
}
