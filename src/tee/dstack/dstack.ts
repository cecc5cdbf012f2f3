import { hkdfSync } from "node:crypto";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../lib/log.ts";
import { type Clock, type Instant, SECOND } from "../../lib/time.ts";
import { type AgentAddress, AgentError, type AgentInfo, getInfo, getKey, getQuote } from "./dstack-agent.ts";
import { type KmsPin, verifyKeyChain } from "./key-chain.ts";
import { isConstant, requireReportData, startReportData, TeeStartError } from "../hardware.ts";
import { holdKey } from "../held-sealing-key.ts";
import type { HardwareTee, KeySource } from "../hardware.ts";
import { OwnQuoteError } from "../trim-quote.ts";
import { limitQuotes, type QuoteLimits } from "../quote-queue.ts";
import { QuoteFormatError } from "../quote/parse.ts";
import { TeeUnavailableError } from "../tee.ts";
import type { DstackApi, KeyProvider, Quote, SealingKeySource, VerifiedIssue } from "../tee.ts";
import { type ConnectUnix, ExchangeError } from "./unix-http.ts";

export interface DstackTeeOptions {
  /** Path of the agent's unix socket. Not overridden by the environment. */
  readonly socketPath: string;
  readonly connect: ConnectUnix;
  /** The version of the guest API. With `v1`, the key of `v0` is an earlier key. */
  readonly api: DstackApi;
  /** The only accepted issuer of the key; undefined = any. */
  readonly kms: KmsPin | undefined;
  readonly now: Clock;
  readonly log: Log;
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  /** Milliseconds for one exchange with the agent. */
  readonly deadline?: number;
  readonly quoteLimits?: QuoteLimits;
}

/** Milliseconds that a start waits for an agent. */
const START_TIMEOUT = 30 * SECOND;
const START_INTERVAL = SECOND / 2;
/** Shorter than the server's limit for a response. */
const DEADLINE = 9 * SECOND;

/** Never change these: the sealing key of every installation derives from them. */
const SALT = "holdfast";
const SEALING_KEY = "dstack-sealing-key/v1";

/** Returns true if the path is a unix socket or a link to one. Does not check that a process listens. */
export async function isSocket(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isSocket() ?? false;
}

function isAbsence(error: unknown): error is ExchangeError {
  return error instanceof ExchangeError && error.code !== "too_large";
}

/** Repeats the job until the agent answers it. Throws the last absence at `end`, and any other error at once. */
async function waitUntilPresent<T>(
  job: () => Promise<T>,
  end: Instant,
  { now, wait = sleep, log }: DstackTeeOptions,
): Promise<T> {
  for (let isFirst = true;; isFirst = false) {
    try {
      return await job();
    } catch (error) {
      if (!isAbsence(error) || now() >= end) throw error;
      if (isFirst) log("info", "tee_waiting", { provider: "dstack", reason: error.message });
      await wait(START_INTERVAL);
    }
  }
}

function toStartError(error: unknown, socketPath: string): unknown {
  const where = `the guest agent at ${socketPath}`;
  if (isAbsence(error)) {
    const message =
      `Cannot use ${where}: ${error.message}; mount dstack.sock there, or set TEE_DSTACK_SOCKET`;
    return new TeeStartError("unreachable", message, { cause: error });
  }
  if (error instanceof OwnQuoteError && error.code === "under_debug") {
    return new TeeStartError("under_debug", `Cannot use ${where}: ${error.message}`, { cause: error });
  }
  if (isWrong(error)) {
    const message =
      `Cannot use ${where}: ${error.message}; it must be that of dstack 0.5 or later, and reach its KMS`;
    return new TeeStartError("wrong_answer", message, { cause: error });
  }
  return error;
}

function isWrong(error: unknown): error is Error {
  return [AgentError, ExchangeError, OwnQuoteError, QuoteFormatError].some((kind) => error instanceof kind);
}

/**
 * Rates the agent's key provider. With `none` the key differs in each boot. A `tpm` may be a program of the host.
 * Unknown providers are not trusted. A local enclave gives the key to exactly these measurements on this machine.
 */
function judgeKeyProvider({ name }: KeyProvider): KeySource {
  if (name === "kms") return { name, survivesUpgrades: "yes" };
  if (name.startsWith("local")) return { name, survivesUpgrades: "no" };
  const reason = name === "none"
    ? "it has no key provider, so the sealing key would be lost at the next boot; set up a KMS"
    : `its key provider ${name} is not one that keeps the key from the host; set up a KMS`;
  throw new TeeStartError("key_source", `Cannot use the guest agent: ${reason}`);
}

interface FoundSource {
  readonly info: AgentInfo;
  readonly keySource: KeySource;
}

async function findSource(agent: AgentAddress, pin: KmsPin | undefined): Promise<FoundSource> {
  const info = await getInfo(agent);
  const keySource = judgeKeyProvider(info.keyProvider);
  if (pin !== undefined && keySource.name !== "kms") {
    throw new TeeStartError(
      "key_source",
      `Cannot use the guest agent: its key provider is ${keySource.name}, not the KMS of TEE_DSTACK_KMS_ROOT`,
    );
  }
  return { info, keySource };
}

interface LoadedKey {
  readonly key: Uint8Array;
  readonly verified: VerifiedIssue | null;
}

async function loadKey(
  agent: AgentAddress,
  { info: { appId } }: FoundSource,
  pin: KmsPin | undefined,
): Promise<LoadedKey> {
  const issued = await getKey(agent);
  try {
    if (isConstant(issued.key)) throw new AgentError("wrong_reply", "The reply to GetKey is not a key");
    const verified = pin === undefined ? null : verifyKeyChain({ ...issued, appId }, pin);
    return { key: new Uint8Array(hkdfSync("sha256", issued.key, SALT, SEALING_KEY, 32)), verified };
  } finally {
    issued.key.fill(0);
  }
}

type KeyHolder = Pick<HardwareTee, "sealingKey" | "forgetSealingKey"> & Pick<LoadedKey, "verified">;

function holderOf({ key, verified }: LoadedKey): KeyHolder {
  const held = holdKey(key);
  return { verified, sealingKey: () => Promise.resolve().then(held.copy), forgetSealingKey: held.forget };
}

/** Returns a holder without a key, because other sources may open the seed. Throws a key that must not be used. */
function withoutKey(error: unknown, socketPath: string): KeyHolder {
  const fault = toStartError(error, socketPath);
  if (!(fault instanceof TeeStartError) || fault.code === "key_source") throw fault;
  return { verified: null, sealingKey: () => Promise.reject(fault), forgetSealingKey: () => {} };
}

/** Throws if the quote is wrong, above all under debug. Only logs that none is available. */
async function probe(agent: AgentAddress, log: Log): Promise<void> {
  try {
    await getQuote(agent, startReportData());
  } catch (error) {
    const isRefused = error instanceof AgentError && error.code === "refused";
    if (!isAbsence(error) && !isRefused) throw error;
    log("warn", "tee_gives_no_quote", { provider: "dstack", reason: error.message });
  }
}

async function quoteNow(agent: AgentAddress, reportData: Uint8Array): Promise<Quote> {
  requireReportData(reportData);
  try {
    return await getQuote(agent, reportData).catch(async (error: unknown) => {
      if (!(error instanceof ExchangeError) || error.code !== "dropped") throw error;
      return await getQuote(agent, reportData);
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown";
    throw new TeeUnavailableError(`Cannot quote: ${reason}`, { cause });
  }
}

/** Returns the source of the key of API v0, which is asked for when the key is needed. */
function earlierKeyOf(agent: AgentAddress, pin: KmsPin | undefined): SealingKeySource {
  return {
    source: "dstack",
    api: "v0",
    sealingKey: async () => {
      try {
        const earlier: AgentAddress = { ...agent, api: "v0" };
        return (await loadKey(earlier, await findSource(earlier, pin), pin)).key;
      } catch (error) {
        throw toStartError(error, agent.socketPath);
      }
    },
  };
}

/**
 * Opens the TEE of a dstack guest agent. Waits up to 30 seconds for the agent, then throws `TeeStartError`. Throws at
 * once if a reply is wrong or the trust domain is under debug. Also throws at once if the key would not survive a
 * restart, could be the host's, or was not issued by the pinned KMS. Does not throw if the agent gives no key:
 * `sealingKey()` throws `TeeStartError` then. Later `quote()` throws `TeeUnavailableError` for any fault of the agent.
 * The sealing key is HKDF-SHA-256 of the agent's key, fetched once.
 *
 * Does not verify the signatures of quotes or, without a pinned KMS, of the key. An attacker who controls the
 * socket's path can then supply a known key. Mount the agent's socket, and into this service's container only.
 */
export async function openDstackTee(options: DstackTeeOptions): Promise<HardwareTee> {
  const { socketPath, connect, api, kms, deadline = DEADLINE, now, log, quoteLimits: limits } = options;
  const agent = { connect, socketPath, api, deadline };
  try {
    const end = now() + START_TIMEOUT;
    const found = await waitUntilPresent(() => findSource(agent, kms), end, options);
    const { verified, ...holder } = await waitUntilPresent(() => loadKey(agent, found, kms), end, options)
      .then(holderOf, (error: unknown) => withoutKey(error, socketPath));
    const { keySource, info } = found;
    if (keySource.survivesUpgrades === "no") {
      log("warn", "sealing_key_lost_on_upgrade", { provider: "dstack", keyProvider: keySource.name });
    }
    await probe(agent, log);
    const tee: HardwareTee = {
      provider: "dstack",
      inTee: true,
      keySource,
      keyProvider: { ...info.keyProvider, verified },
      keyApi: api,
      ...(api === "v1" ? { earlierKey: earlierKeyOf(agent, kms) } : {}),
      ...holder,
      quote: (reportData) => quoteNow(agent, reportData),
    };
    return limitQuotes(tee, { now, limits });
  } catch (error) {
    throw toStartError(error, socketPath);
  }
}
