import { hkdfSync } from "node:crypto";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../lib/log.ts";
import { SECOND } from "../../lib/time.ts";
import type { Clock } from "../../lib/time.ts";
import { AgentError, getInfo, getKey, getQuote } from "./dstack-agent.ts";
import type { AgentAddress, AgentInfo } from "./dstack-agent.ts";
import { verifyKeyChain } from "./key-chain.ts";
import type { KmsPin } from "./key-chain.ts";
import { isConstant, requireReportData, startReportData, TeeStartError } from "../hardware.ts";
import { holdKey } from "../held-sealing-key.ts";
import type { HardwareTee, KeySource } from "../hardware.ts";
import { OwnQuoteError } from "../trim-quote.ts";
import { limitQuotes } from "../quote-queue.ts";
import type { QuoteLimits } from "../quote-queue.ts";
import { QuoteFormatError } from "../quote/parse.ts";
import { TeeUnavailableError } from "../tee.ts";
import type { KeyProvider, OwnKeyProvider, Quote } from "../tee.ts";
import { ExchangeError } from "./unix-http.ts";
import type { ConnectUnix } from "./unix-http.ts";

/** Where the guest agent is and how it is waited for. */
export interface DstackTeeOptions {
  /** The agent's unix socket. Nothing in the environment overrides it. */
  readonly socketPath: string;
  readonly connect: ConnectUnix;
  /** Whose key alone is taken; undefined: whatever key the agent gives. */
  readonly kms: KmsPin | undefined;
  readonly now: Clock;
  readonly log: Log;
  /** Waits between two attempts at the start, in milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<unknown>;
  /** Milliseconds for one exchange with the agent. */
  readonly deadline?: number;
  readonly quoteLimits?: QuoteLimits;
}

/** How long a start waits for an agent that is not there yet. */
const START_PATIENCE = 30 * SECOND;
const START_INTERVAL = SECOND / 2;
/** Less than the server lets a client wait for an answer. */
const DEADLINE = 9 * SECOND;

/** Pins the sealing key of every installation: never change it. */
const SALT = "holdfast";
const SEALING_KEY = "dstack-sealing-key/v1";

/** Whether there is a unix socket at the path, or a link to one. Does not say whether anybody listens. */
export async function isSocket(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isSocket() ?? false;
}

/** May pass by itself: the agent is not up yet or was restarted. */
function isAbsence(error: unknown): error is ExchangeError {
  return error instanceof ExchangeError && error.code !== "too_large";
}

async function untilPresent<T>(
  job: () => Promise<T>,
  { now, wait = sleep, log }: DstackTeeOptions,
): Promise<T> {
  const end = now() + START_PATIENCE;
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
    const message = `Cannot use ${where}: ${error.message}; it must be that of dstack 0.5 or later`;
    return new TeeStartError("wrong_answer", message, { cause: error });
  }
  return error;
}

/** Anything an agent can do that is not an absence. */
function isWrong(error: unknown): error is Error {
  return [AgentError, ExchangeError, OwnQuoteError, QuoteFormatError].some((kind) => error instanceof kind);
}

/**
 * What the agent's key is worth. With `none` every boot has another one; a `tpm` may be the host's own program; what
 * is not known is not trusted. A local enclave gives the key to exactly these measurements on this machine.
 */
function judgeKeyProvider({ name }: KeyProvider): KeySource {
  if (name === "kms") return { name, survivesUpgrades: "yes" };
  if (name.startsWith("local")) return { name, survivesUpgrades: "no" };
  const reason = name === "none"
    ? "it has no key provider, so the sealing key would be lost at the next boot; set up a KMS"
    : `its key provider ${name} is not one that keeps the key from the host; set up a KMS`;
  throw new TeeStartError("key_source", `Cannot use the guest agent: ${reason}`);
}

type LoadedKey = Pick<HardwareTee, "keySource" | "keyProvider"> & { readonly key: Uint8Array };

async function loadKey(
  agent: AgentAddress,
  { keyProvider, appId }: AgentInfo,
  pin: KmsPin | undefined,
): Promise<{ readonly key: Uint8Array; readonly keyProvider: OwnKeyProvider }> {
  const issued = await getKey(agent);
  try {
    if (isConstant(issued.key)) throw new AgentError("wrong_reply", "The reply to GetKey is no key");
    const verified = pin === undefined ? null : verifyKeyChain({ ...issued, appId }, pin);
    const key = new Uint8Array(hkdfSync("sha256", issued.key, SALT, SEALING_KEY, 32));
    return { key, keyProvider: { ...keyProvider, verified } };
  } finally {
    issued.key.fill(0);
  }
}

async function loadKeyAndSource(agent: AgentAddress, pin: KmsPin | undefined): Promise<LoadedKey> {
  const info = await getInfo(agent);
  const keySource = judgeKeyProvider(info.keyProvider);
  if (pin !== undefined && keySource.name !== "kms") {
    throw new TeeStartError(
      "key_source",
      `Cannot use the guest agent: its key provider is ${keySource.name}, not the KMS of TEE_DSTACK_KMS_ROOT`,
    );
  }
  return { keySource, ...await loadKey(agent, info, pin) };
}

/** One quote at the start: a wrong one, above all one under debug, forbids it; that there is none now does not. */
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

/**
 * The TEE behind a dstack guest agent. Waits up to 30 seconds for an agent that is not there, then throws
 * `TeeStartError`; at once where the agent's answers are wrong, its key would not survive a restart or could be the
 * host's, a pinned KMS did not issue it, or the trust domain is under debug. Afterwards it never throws but in
 * `quote()`, with `TeeUnavailableError` for whatever the agent does. The sealing key is HKDF-SHA-256 of the agent's key,
 * which it fetches once.
 *
 * Not checked: the signatures of quotes and, where no KMS is pinned, of the key, so whoever can put a socket at the
 * path can give this service a key that he knows. Mount the agent's socket, and into this service's container only.
 */
export async function openDstackTee(options: DstackTeeOptions): Promise<HardwareTee> {
  const { socketPath, connect, deadline = DEADLINE, now, log, quoteLimits: limits } = options;
  const agent = { connect, socketPath, deadline };
  try {
    const loaded = await untilPresent(() => loadKeyAndSource(agent, options.kms), options);
    const { keySource, keyProvider } = loaded;
    const held = holdKey(loaded.key);
    if (keySource.survivesUpgrades === "no") {
      log("warn", "sealing_key_lost_on_upgrade", { provider: "dstack", keyProvider: keySource.name });
    }
    await probe(agent, log);
    const tee: HardwareTee = {
      provider: "dstack",
      inTee: true,
      keySource,
      keyProvider,
      sealingKey: () => Promise.resolve().then(held.copy),
      forgetSealingKey: held.forget,
      quote: (reportData) => quoteNow(agent, reportData),
    };
    return limitQuotes(tee, { now, limits });
  } catch (error) {
    throw toStartError(error, socketPath);
  }
}
