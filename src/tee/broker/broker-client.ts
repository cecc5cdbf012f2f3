import { createDecipheriv } from "node:crypto";
import { toBase64url, utf8 } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { asObject } from "../../lib/object.ts";
import { type Clock, SECOND } from "../../lib/time.ts";
import type { JsonPost, PostJson } from "./broker-http.ts";
import {
  brokerKeyIdOf,
  CHALLENGE_PATH,
  CIPHERTEXT_LENGTH,
  deriveWrappingKey,
  encodeReleaseClaims,
  isSignedBy,
  LENGTH,
  makeEphemeralKey,
  readBytes,
  readRelease,
  RELEASE_PATH,
  transcriptOf,
} from "./broker-protocol.ts";
import type { EphemeralKey, Release } from "./broker-protocol.ts";
import { isConstant, TeeStartError } from "../hardware.ts";
import { sealReleaseReportData } from "../report-data.ts";
import { type Tee, TeeUnavailableError } from "../tee.ts";
import { ExchangeError } from "../dstack/unix-http.ts";

/** The broker that releases the sealing key. All members must be part of the trust domain's measurements. */
export interface Broker {
  /** An http or https origin, not trusted. */
  readonly url: string;
  /** The broker's Ed25519 key, 32 bytes: the only trusted part. */
  readonly publicKey: Uint8Array;
  readonly workload: string;
}

export interface BrokerDependencies {
  readonly post: PostJson;
  readonly quote: Tee["quote"];
  readonly now: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

/** Milliseconds that a start waits for an unavailable broker or quote. */
const RETRY_TIMEOUT = 30 * SECOND;
const INTERVAL = 2 * SECOND;
const DEADLINE = 10 * SECOND;
/** A valid reply has less than a kibibyte. */
const LARGEST_REPLY = 16 * 1024;

type Reply = Readonly<Record<string, unknown>>;

interface Challenge {
  readonly nonce: string;
  readonly exp: number;
}

class BrokerBusyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrokerBusyError";
  }
}

function refuse({ url }: Broker, reason: string, cause?: unknown): TeeStartError {
  const message = `Cannot use the broker at ${url}: ${reason}`;
  return new TeeStartError("broker", message, { cause });
}

function readObject(body: Uint8Array): Reply | undefined {
  try {
    // Invalid UTF-8 becomes U+FFFD, which no member read here may contain.
    return asObject(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return undefined;
  }
}

/** Describes an error reply in printable ASCII, with at most 200 characters of its detail. */
function describeStatus(status: number, reply: Reply | undefined): string {
  const detail = reply?.["detail"];
  if (typeof detail !== "string") return `it answers with status ${status}`;
  const text = detail.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, "?");
  return `it answers with status ${status}, ${text}`;
}

async function call(broker: Broker, post: PostJson, path: string, value: Reply): Promise<Reply> {
  const request: JsonPost = {
    url: broker.url + path,
    body: JSON.stringify(value),
    deadline: DEADLINE,
    largest: LARGEST_REPLY,
  };
  const { status, body } = await post(request);
  const reply = readObject(body);
  if (status === 429 || status >= 500) throw new BrokerBusyError(describeStatus(status, reply));
  if (status !== 200) throw refuse(broker, describeStatus(status, reply));
  if (reply === undefined) throw refuse(broker, "its answer is not a JSON object");
  return reply;
}

async function getChallenge(broker: Broker, post: PostJson): Promise<Challenge> {
  const { nonce, exp, brokerKeyId } = await call(broker, post, CHALLENGE_PATH, { workload: broker.workload });
  if (brokerKeyId !== brokerKeyIdOf(broker.publicKey)) {
    throw refuse(broker, "the broker that answers is not the one of TEE_BROKER_KEY");
  }
  if (readBytes(nonce, LENGTH) === undefined || !Number.isSafeInteger(exp)) {
    throw refuse(broker, "its challenge is malformed");
  }
  return { nonce: nonce as string, exp: exp as number };
}

/** Decrypts a release. The caller must have verified its signature. */
function openRelease(
  own: EphemeralKey,
  { epkBroker, ciphertext }: Release,
  reportData: Uint8Array,
): Uint8Array | undefined {
  const wrapping = deriveWrappingKey(own, { peer: epkBroker, epkBroker, reportData });
  if (wrapping === undefined) return undefined;
  const key = new Uint8Array(LENGTH);
  try {
    const decipher = createDecipheriv("aes-256-gcm", wrapping.key, wrapping.nonce, { authTagLength: 16 });
    decipher.setAAD(reportData);
    decipher.setAuthTag(ciphertext.subarray(LENGTH, CIPHERTEXT_LENGTH));
    key.set(decipher.update(ciphertext.subarray(0, LENGTH)));
    decipher.final();
    return key;
  } catch {
    key.fill(0);
    return undefined;
  } finally {
    wrapping.key.fill(0);
  }
}

async function askOnce(broker: Broker, { post, quote, random }: BrokerDependencies): Promise<Uint8Array> {
  const { nonce, exp } = await getChallenge(broker, post);
  const own = makeEphemeralKey(random);
  const claims = encodeReleaseClaims({
    nonce,
    brokerKeyId: brokerKeyIdOf(broker.publicKey),
    epk: toBase64url(own.publicKey),
    workload: broker.workload,
  });
  const reportData = sealReleaseReportData(utf8(claims));
  const evidence = (await quote(reportData)).quote;
  const reply = await call(broker, post, RELEASE_PATH, { claims, quote: evidence.toBase64() });
  const release = readRelease(reply);
  if (release === undefined) throw refuse(broker, "its release is malformed");
  // Verified first: the worst outcome is a key chosen by an attacker.
  const transcript = transcriptOf({ ...release, exp, claims, quote: evidence });
  if (!isSignedBy(broker.publicKey, transcript, release.signature)) {
    throw refuse(broker, "the release is not signed by the key of TEE_BROKER_KEY");
  }
  const key = openRelease(own, release, reportData);
  if (key === undefined || isConstant(key)) throw refuse(broker, "its release contains no key");
  return key;
}

/** Returns true for a temporary fault: a broker that is down, busy or hangs, or a host that gives no quote now. */
function mayPass(error: unknown): error is Error {
  if (error instanceof ExchangeError) return error.code !== "too_large";
  return error instanceof BrokerBusyError || error instanceof TeeUnavailableError;
}

function toStartError(broker: Broker, error: unknown): unknown {
  const isKnown = mayPass(error) || error instanceof ExchangeError;
  return isKnown ? refuse(broker, error.message, error) : error;
}

/**
 * Requests the sealing key of this trust domain from a broker: 32 bytes, which the caller wipes. The quote binds the
 * broker's nonce and an ephemeral key. Opens nothing unless the pinned key signed the whole transcript. Retries
 * temporary faults for up to 30 seconds, then throws `TeeStartError` (`broker`). Throws at once if the broker refuses
 * or its reply is wrong. Does not check that the key is the same as before: unsealing does.
 */
export async function askBroker(broker: Broker, dependencies: BrokerDependencies): Promise<Uint8Array> {
  const { now, wait, log } = dependencies;
  const end = now() + RETRY_TIMEOUT;
  for (let isFirst = true;; isFirst = false) {
    try {
      return await askOnce(broker, dependencies);
    } catch (error) {
      if (!mayPass(error) || now() >= end) throw toStartError(broker, error);
      if (isFirst) log("info", "tee_waiting", { provider: "tdx", reason: error.message });
      await wait(INTERVAL);
    }
  }
}
