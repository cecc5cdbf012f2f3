import { decode } from "@msgpack/msgpack";
import { asObject } from "../../lib/object.ts";

// The attestation of dstack's guest API v1, as far as a TDX quote and its event log are in it. Its first byte tells
// the encoding: zero is SCALE, which has events of version 1 only, and a map of MessagePack is the newer one.

export class AttestationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AttestationError";
  }
}

export interface TdxEvidence {
  readonly quote: Uint8Array;
  /** A JSON array, as `GetQuote` of API v0 gives it. */
  readonly eventLog: string;
}

const SCALE = 0;
/** The first platforms of the SCALE encoding, which begin alike: TDX, and TDX at GCP. */
const TDX_PLATFORMS: readonly unknown[] = [0, 1];
/** The names of these platforms in MessagePack. */
const TDX_KINDS: readonly unknown[] = ["tdx", "gcp-tdx"];

/**
 * Returns the TDX quote and the event log of an attestation. Throws `AttestationError` for another platform, or if it
 * is malformed. Verifies nothing.
 */
export function decodeAttestation(bytes: Uint8Array): TdxEvidence {
  try {
    return bytes[0] === SCALE ? decodeScale(bytes) : decodeMessagePack(bytes);
  } catch (cause) {
    if (cause instanceof AttestationError) throw cause;
    throw new AttestationError("it is malformed", { cause });
  }
}

function otherPlatform(): AttestationError {
  return new AttestationError("this platform is not TDX");
}

function decodeMessagePack(bytes: Uint8Array): TdxEvidence {
  const whole = asObject(decode(bytes));
  if (whole?.["version"] !== 1) throw new AttestationError("its version is not known");
  const platform = asObject(whole["platform"]);
  if (!TDX_KINDS.includes(platform?.["kind"])) throw otherPlatform();
  const data = asObject(platform!["data"])!;
  const events = data["event_log"] as readonly Readonly<Record<string, unknown>>[];
  const readable = events.map((event) => ({
    ...event,
    digest: toHexText(event["digest"] ?? []),
    event_payload: toHexText(event["event_payload"]),
  }));
  return { quote: toBytes(data["quote"]), eventLog: JSON.stringify(readable) };
}

/** Reads bytes, which some encoders write as an array of numbers. */
function toBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return Uint8Array.from(value as readonly number[]);
  throw new TypeError("Cannot read attestation: not bytes");
}

function toHexText(value: unknown): string {
  return typeof value === "string" ? value : toBytes(value).toHex();
}

function decodeScale(bytes: Uint8Array): TdxEvidence {
  const reader = createReader(bytes.subarray(1));
  if (!TDX_PLATFORMS.includes(reader.byte())) throw otherPlatform();
  const quote = reader.bytes();
  const events: object[] = [];
  for (let left = reader.count(); left > 0; left--) {
    events.push({
      imr: reader.uint32(),
      event_type: reader.uint32(),
      digest: reader.bytes().toHex(),
      event: new TextDecoder("utf-8", { fatal: true }).decode(reader.bytes()),
      event_payload: reader.bytes().toHex(),
    });
  }
  return { quote, eventLog: JSON.stringify(events) };
}

interface Reader {
  byte(): number;
  /** 4 bytes, little-endian. */
  uint32(): number;
  /** Bytes after their number. */
  bytes(): Uint8Array;
  /** A number in the compact form of 1, 2 or 4 bytes, which the low 2 bits of the first tell. */
  count(): number;
}

function createReader(whole: Uint8Array): Reader {
  let offset = 0;
  const take = (length: number): Uint8Array => {
    if (offset + length > whole.length) throw new RangeError("Cannot read attestation: it is cut off");
    offset += length;
    return whole.subarray(offset - length, offset);
  };
  const number = (length: number): number => take(length).reduceRight((value, byte) => value * 256 + byte, 0);
  const count = (): number => {
    const mode = (whole[offset] ?? 0) & 3;
    if (mode === 3) throw new RangeError("Cannot read attestation: a number is too large");
    return Math.floor(number(1 << mode) / 4);
  };
  return {
    byte: () => number(1),
    uint32: () => number(4),
    count,
    bytes: () => take(count()),
  };
}
