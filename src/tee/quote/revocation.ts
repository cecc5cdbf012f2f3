import { type Instant, toIso } from "../../lib/time.ts";
import { type Certificate, expectEcdsa, expectSigned, readExtensions, reading } from "./certificate.ts";
import {
  DerError,
  expectDer,
  isDer,
  readDer,
  readDerBits,
  readDerChildren,
  readDerTime,
  readDerUnsigned,
} from "./der-reader.ts";
import type { DerValue } from "./der-reader.ts";
import { hexOf } from "./encoding.ts";
import { CheckFault } from "./fault.ts";
import type { IsSigned } from "./signature.ts";

/** A parsed, unverified revocation list (RFC 5280 section 5.1). */
interface RevocationList {
  readonly content: Uint8Array;
  readonly signature: Uint8Array;
  readonly issuer: string;
  readonly thisUpdate: Instant;
  readonly nextUpdate: Instant;
  /** Serial numbers in hex, without leading zeros. */
  readonly serials: ReadonlySet<string>;
}

/** Intel's list has about 7,000 bytes. */
const MOST_LIST = 1024 * 1024;

function readEntry(entry: DerValue): string {
  const [serial, date, extensions] = readDerChildren(entry, "sequence");
  readDerTime(date);
  if (extensions !== undefined) readExtensions(extensions, []);
  return readDerUnsigned(serial);
}

function readEntries(list: DerValue | undefined): ReadonlySet<string> {
  return new Set(list === undefined ? [] : readDerChildren(list, "sequence").map(readEntry));
}

function readList(bytes: Uint8Array): RevocationList {
  const [content, algorithm, signature] = readDerChildren(readDer(bytes), "sequence");
  const [version, inner, issuer, thisUpdate, nextUpdate, ...rest] = readDerChildren(content, "sequence");
  // The value 1 means version 2, which extensions require. All of Intel's lists have extensions.
  if (readDerUnsigned(version) !== "01") throw new DerError("not version 2");
  expectEcdsa(algorithm);
  expectEcdsa(inner);
  const entries = isDer(rest[0], "sequence") ? rest.shift() : undefined;
  // Delta lists and partial lists have critical extensions, and are refused by them.
  if (rest[0] !== undefined) readExtensions(readDer(expectDer(rest[0], "context0")), []);
  return {
    content: content!.whole,
    signature: readDerBits(signature),
    issuer: hexOf(issuer!.whole),
    thisUpdate: readDerTime(thisUpdate),
    nextUpdate: readDerTime(nextUpdate),
    serials: readEntries(entries),
  };
}

/** Throws `CheckFault`. Verifies nothing. */
export function readNextUpdate(bytes: Uint8Array): Instant {
  return reading("The revocation list", () => readList(bytes)).nextUpdate;
}

/**
 * Verifies that `issuer` signed this complete revocation list, that it is valid at `now`, and that it has none of
 * `certificates` (RFC 5280 section 6.3). Throws `CheckFault`, also for a missing list. Does not verify the issuer's
 * own certificate, nor that it issued the certificates.
 */
export function verifyRevocation(
  bytes: Uint8Array,
  { issuer, certificates, now, isSigned }: {
    readonly issuer: Certificate;
    readonly certificates: readonly Certificate[];
    readonly now: Instant;
    readonly isSigned: IsSigned;
  },
): void {
  const what = `The revocation list of ${issuer.commonName}`;
  if (bytes.length === 0) throw new CheckFault(`${what} is missing`);
  if (bytes.length > MOST_LIST) throw new CheckFault(`${what} is too long`);
  const list = reading(what, () => readList(bytes));
  if (list.issuer !== issuer.subject) throw new CheckFault(`${what} is of another issuer`);
  const signed = { issuer, data: list.content, signature: list.signature };
  expectSigned(signed, isSigned, `${what} is not signed by that issuer`);
  if (now < list.thisUpdate) {
    throw new CheckFault(`${what} is of ${toIso(list.thisUpdate)}, which is in the future`);
  }
  // Checked before the age, because an old list's revocations stay valid.
  const revoked = certificates.find(({ serial }) => list.serials.has(serial));
  if (revoked !== undefined) throw new CheckFault(`${revoked.commonName} is revoked`);
  if (now >= list.nextUpdate) {
    throw new CheckFault(`${what} was due for renewal at ${toIso(list.nextUpdate)}`, {
      reason: "stale_collateral",
    });
  }
}
