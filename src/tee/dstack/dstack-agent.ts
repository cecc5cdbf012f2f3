import type { DstackApi, KeyProvider, Quote } from "../tee.ts";
import { readOwnQuote } from "../trim-quote.ts";
import { AttestationError, decodeAttestation } from "./attestation.ts";
import { claimOfV0, claimOfV1, type IssuedKey } from "./key-chain.ts";
import { type ConnectUnix, postOverUnixSocket } from "./unix-http.ts";

export type AgentFault =
  /** A status other than 200. */
  | "refused"
  /** A reply other than requested. */
  | "wrong_reply";

export class AgentError extends Error {
  readonly code: AgentFault;

  constructor(code: AgentFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
  }
}

export interface AgentAddress {
  readonly connect: ConnectUnix;
  readonly socketPath: string;
  /** The version of the API: `v0` is at the root of the paths, `v1` below `/v1`. */
  readonly api: DstackApi;
  /** Milliseconds for one exchange. */
  readonly deadline: number;
}

/** Largest reply. A quote with its event log has about 30 KB; `Info` contains the whole compose file. */
const LARGEST_REPLY = 2 * 1024 * 1024;

/** Never `vms`: the agent signs with that key for any caller. Never change it: the sealing key derives from it. */
const KEY_PATH = "holdfast/seal/v1";
const KEY_PURPOSE = "sealing";
/** The domain of the key of API v1. Never change it either. */
const KEY_DOMAIN = "holdfast/seal/v1";
const ALGORITHM = "secp256k1";

type Reply = Readonly<Record<string, unknown>>;

function readObject(text: string): Reply | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value as Reply : undefined;
  } catch {
    return undefined;
  }
}

function describeRefusal(status: number, reply: Reply | undefined): string {
  const error = reply?.["error"];
  if (typeof error !== "string") return `status ${status}`;
  return `status ${status}, ${error.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, "?")}`;
}

const PATHS: Readonly<Record<DstackApi, string>> = { v0: "/", v1: "/v1/" };

/** Calls a method of the agent in JSON. Without the content type the agent expects protobuf. */
async function callAgent(agent: AgentAddress, method: string, value: Reply): Promise<Reply> {
  const { status, body } = await postOverUnixSocket({
    connect: agent.connect,
    socketPath: agent.socketPath,
    path: PATHS[agent.api] + method,
    body: JSON.stringify(value),
    deadline: agent.deadline,
    largest: LARGEST_REPLY,
  });
  // Invalid UTF-8 becomes U+FFFD, which no member read here may contain.
  const reply = readObject(new TextDecoder().decode(body));
  if (status === 404 && agent.api === "v1" && reply?.["error"] === undefined) {
    throw new AgentError(
      "refused",
      "it has no guest API v1; unset TEE_DSTACK_API, or use dstack 0.6 or later",
    );
  }
  if (status !== 200) {
    throw new AgentError("refused", `${method} was refused: ${describeRefusal(status, reply)}`);
  }
  if (reply === undefined) throw new AgentError("wrong_reply", `The reply to ${method} is not a JSON object`);
  return reply;
}

function getText(reply: Reply, method: string, name: string, shape: RegExp): string {
  const value = reply[name];
  if (typeof value !== "string" || !shape.test(value)) {
    throw new AgentError("wrong_reply", `The reply to ${method} has no valid ${name}`);
  }
  return value;
}

function readHex(value: unknown, length: number): Uint8Array | undefined {
  const isHex = typeof value === "string" && value.length === 2 * length && /^[0-9a-f]*$/.test(value);
  return isHex ? Uint8Array.fromHex(value) : undefined;
}

/** Unverified information from the agent. */
export interface AgentInfo {
  readonly keyProvider: KeyProvider;
  /** 20 bytes; undefined if missing. */
  readonly appId: Uint8Array | undefined;
}

/** Returns key provider and application (`Info`). Unverified, except that a quote's event log contains both. */
export async function getInfo(agent: AgentAddress): Promise<AgentInfo> {
  const info = await callAgent(agent, "Info", {});
  const provider = readObject(getText(info, "Info", "key_provider_info", /./)) ?? {};
  return {
    keyProvider: {
      name: getText(provider, "Info", "name", /^[\x21-\x7e]{1,64}$/),
      id: getText(provider, "Info", "id", /^[\x20-\x7e]{0,4096}$/),
    },
    appId: readHex(info["app_id"], 20),
  };
}

/** Turns an invalid signature into an empty one, which fails verification. */
function readChain(value: unknown): readonly Uint8Array[] {
  if (!Array.isArray(value)) return [];
  return value.map((signature) => readHex(signature, 65) ?? new Uint8Array());
}

/**
 * Returns the 32-byte key that the agent derives for this application (`GetKey`). Use it as key material, never as a
 * wallet's key. The same for every instance and authorized version, and another in each version of the API. Does not
 * verify the signature chain: `verifyKeyChain` does. The caller wipes the key.
 */
export async function getKey(agent: AgentAddress): Promise<Omit<IssuedKey, "appId">> {
  const request = agent.api === "v0"
    ? { path: KEY_PATH, purpose: KEY_PURPOSE, algorithm: ALGORITHM }
    : { domain: KEY_DOMAIN, algorithm: ALGORITHM };
  const reply = await callAgent(agent, "GetKey", request);
  return {
    key: Uint8Array.fromHex(getText(reply, "GetKey", "key", /^[0-9a-f]{64}$/)),
    claimOf: agent.api === "v0"
      ? (publicKey) => claimOfV0(KEY_PURPOSE, publicKey)
      : (publicKey) => claimOfV1({ algorithm: ALGORITHM, domain: KEY_DOMAIN, publicKey }),
    chain: readChain(reply["signature_chain"]),
  };
}

function isEventLog(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * Returns a quote over 64 bytes of report data with its event log (`GetQuote` of API v0, `Attest` of v1). Throws if
 * reply or quote are over other report data, or the trust domain is under debug. Does not verify the signature, nor
 * that the log replays to the RTMRs. Platforms without TDX have no quote, which is a wrong reply.
 */
export async function getQuote(agent: AgentAddress, reportData: Uint8Array): Promise<Required<Quote>> {
  return await (agent.api === "v0" ? getQuoteV0 : attest)(agent, reportData);
}

async function attest(agent: AgentAddress, reportData: Uint8Array): Promise<Required<Quote>> {
  const reply = await callAgent(agent, "Attest", { report_data: reportData.toHex() });
  const hex = getText(reply, "Attest", "attestation", /^(?:[0-9a-f]{2})+$/);
  try {
    const { quote, eventLog } = decodeAttestation(Uint8Array.fromHex(hex));
    return { quote: readOwnQuote(quote, reportData), eventLog };
  } catch (cause) {
    if (!(cause instanceof AttestationError)) throw cause;
    throw new AgentError("wrong_reply", `The reply to Attest has no valid attestation: ${cause.message}`, {
      cause,
    });
  }
}

async function getQuoteV0(agent: AgentAddress, reportData: Uint8Array): Promise<Required<Quote>> {
  const reply = await callAgent(agent, "GetQuote", { report_data: reportData.toHex() });
  if (reply["quote"] === "") {
    throw new AgentError("wrong_reply", "The quote is empty: this platform is not TDX");
  }
  const hex = getText(reply, "GetQuote", "quote", /^[0-9a-f]+$/);
  if (hex.length % 2 !== 0) throw new AgentError("wrong_reply", "The reply to GetQuote has no valid quote");
  if (reply["report_data"] !== reportData.toHex()) {
    throw new AgentError("wrong_reply", "The reply to GetQuote is for other report data");
  }
  const eventLog = getText(reply, "GetQuote", "event_log", /./);
  if (!isEventLog(eventLog)) {
    throw new AgentError("wrong_reply", "The reply to GetQuote has no valid event_log");
  }
  return { quote: readOwnQuote(Uint8Array.fromHex(hex), reportData), eventLog };
}
