import { toChecksumAddress } from "../ethereum/address.ts";
import { toHex, utf8 } from "../lib/bytes.ts";
import { ProtocolError } from "../lib/error.ts";
import { toIso } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { keyQuoteReportData } from "../tee/report-data.ts";
import { TeeUnavailableError } from "../tee/tee.ts";
import type { Quote, Tee } from "../tee/tee.ts";
import type { EthereumKey } from "./key.ts";

/** Evidence that a key is held by this service: a quote over the claims. */
export interface KeyQuote extends Quote {
  /** The exact text whose UTF-8 bytes were hashed into the report data. */
  readonly claims: string;
}

/** Seconds after which a caller may ask again when the TEE gave no quote. */
const RETRY_AFTER = "2";

/** What the service claims of one key. `nonce` is the caller's, as it was sent; null when none was. */
function keyClaims(
  { keyProvider: { name, id, verified } }: Tee,
  key: EthereumKey,
  value: { baseUrl: string; configurationHash: string; nonce: string | undefined; now: Instant },
): string {
  return JSON.stringify({
    purpose: "holdfast/key-quote/v1",
    keyId: key.id,
    address: toChecksumAddress(key.address),
    publicKey: toHex(key.publicKey),
    derivation: "ethereum-key/v1",
    baseUrl: value.baseUrl,
    configurationHash: value.configurationHash,
    keyProvider: { name, id, verified },
    nonce: value.nonce ?? null,
    issuedAt: toIso(value.now),
  });
}

/**
 * A quote for one key, made now: REPORTDATA is SHA-512 over the claims as `tee/report-data` says. `unavailable` when
 * the TEE gives none. Says nothing about whether the TEE is a real one (`tee.inTee` does).
 */
export async function quoteKey(
  tee: Tee,
  key: EthereumKey,
  value: { baseUrl: string; configurationHash: string; nonce: string | undefined; now: Instant },
): Promise<KeyQuote> {
  const claims = keyClaims(tee, key, value);
  try {
    return { ...await tee.quote(keyQuoteReportData(utf8(claims))), claims };
  } catch (error) {
    if (!(error instanceof TeeUnavailableError)) throw error;
    throw new ProtocolError(
      "unavailable",
      "The trusted execution environment gives no quote now; try again",
      {
        cause: error,
        headers: { "Retry-After": RETRY_AFTER },
      },
    );
  }
}
