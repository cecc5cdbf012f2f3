import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { getPublicKey, hashes, sign } from "@noble/secp256k1";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { concat, utf8 } from "../../src/lib/bytes.ts";
import { dstackEvent, replayOf } from "./event-log.ts";
import { makeQuotePlatform } from "./quote-pki.ts";
import type { QuotePlatform } from "./quote-pki.ts";
import { listenOnUnix } from "./unix-server.ts";

// A dstack guest agent like dstack 0.5 and later, on its own unix socket, which can be told to misbehave. It derives
// and signs its keys as the real one does, and its event log replays to the RTMRs of its quotes. Their certificates
// say SYNTHETIC.

export type AgentMethod = "Info" | "GetKey" | "GetQuote" | "Version";

/** The fault instead of a response. `legacy`: it knows only the methods of dstack before 0.5. */
export type AgentFault = keyof typeof FAULTS;

/** Its behaviour. Tests may change it while it runs. */
export interface AgentBehaviour {
  /** `kms`, `local-sgx`, `tpm`, `none`, or anything else. */
  readonly keyProvider: string;
  /** The application's id in hex. Another one has other keys, as after a redeployment that did not pin it. */
  readonly appId: string;
  /** The KMS root secret in hex. With key provider `none`, each start of the agent draws new keys. */
  readonly root: string;
  readonly faults: Readonly<Partial<Record<AgentMethod, AgentFault>>>;
  /** The response to every GetQuote, whatever its input. */
  readonly recorded?: Answer;
}

export interface GuestAgent {
  readonly socketPath: string;
  /** Method and body of every request so far. */
  readonly requests: readonly { readonly method: string; readonly body: string }[];
  /** Returns the maximum number of concurrent requests so far. */
  mostAtOnce(): number;
  behave(change: Partial<AgentBehaviour>): void;
  close(): Promise<void>;
}

type Answer = Readonly<Record<string, unknown>>;

interface Asked {
  readonly response: ServerResponse;
  readonly answer: Answer;
}

const BEHAVIOUR: AgentBehaviour = {
  keyProvider: "kms",
  appId: "11".repeat(20),
  root: "22".repeat(32),
  faults: {},
};

hashes.hmacSha256 ??= (key, data) => Uint8Array.from(createHmac("sha256", key).update(data).digest());

function send(response: ServerResponse, status: number, text: string, type = "application/json"): void {
  response.writeHead(status, { "Content-Type": type, "Content-Length": String(utf8(text).length) });
  response.end(text);
}

/** Sends the header and the first bytes of a longer body. */
function begin(response: ServerResponse, length: number): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": String(length) });
  response.write("{");
}

function drip(response: ServerResponse): void {
  begin(response, 1_000_000);
  const timer = setInterval(() => void response.write(" "), 10);
  response.on("close", () => clearInterval(timer));
}

function flipHex(hex: unknown, offset: number): string {
  const bytes = Uint8Array.fromHex(String(hex));
  return bytes.with(offset, bytes[offset]! ^ 1).toHex();
}

/** Sends the response with some members replaced. */
function change(edit: (answer: Answer) => Answer): (asked: Asked) => void {
  return ({ response, answer }) => send(response, 200, JSON.stringify({ ...answer, ...edit(answer) }));
}

/** The faults. Offsets are those of a version 4 quote. */
const FAULTS = {
  hang: () => {},
  drop: ({ response }: Asked) => void response.socket?.destroy(),
  garbage: ({ response }: Asked) => void response.socket?.end("\0\x01\x02 no HTTP at all\r\n\r\n"),
  html: ({ response }: Asked) => send(response, 200, "<!doctype html><p>OK</p>", "text/html"),
  html_500: ({ response }: Asked) => send(response, 500, "<h1>Internal Server Error</h1>", "text/html"),
  error_400: ({ response }: Asked) => send(response, 400, '{"error":"Failed to get quote:\\nQGS is down"}'),
  half_body: ({ response }: Asked) => {
    begin(response, 1000);
    response.socket?.end();
  },
  half_body_hang: ({ response }: Asked) => begin(response, 1000),
  drip: ({ response }: Asked) => drip(response),
  flood: ({ response, answer }: Asked) =>
    send(response, 200, JSON.stringify({ ...answer, flood: "x".repeat(10_000_000) })),
  cut_json: ({ response, answer }: Asked) => send(response, 200, JSON.stringify(answer).slice(0, -1)),
  array: ({ response, answer }: Asked) => send(response, 200, JSON.stringify([answer])),
  empty_object: ({ response }: Asked) => send(response, 200, "{}"),
  legacy: ({ response }: Asked) => send(response, 404, "<h1>404: Not Found</h1>", "text/html"),
  // GetKey
  short_key: change(({ key }) => ({ key: String(key).slice(2) })),
  upper_case_key: change(({ key }) => ({ key: String(key).toUpperCase() })),
  prefixed_key: change(({ key }) => ({ key: `0x${key}` })),
  pem_key: change(() => ({ key: "-----BEGIN PRIVATE KEY-----\n" })),
  zero_key: change(() => ({ key: "00".repeat(32) })),
  no_chain: change(() => ({ signature_chain: undefined })),
  half_chain: change(({ signature_chain }) => ({
    signature_chain: (signature_chain as string[]).slice(0, 1),
  })),
  long_chain: change(({ signature_chain: chain }) => ({ signature_chain: [...chain as string[], "00"] })),
  cut_chain: change(({ signature_chain }) => ({
    signature_chain: (signature_chain as string[]).map((signature) => signature.slice(2)),
  })),
  turned_chain: change(({ signature_chain }) => ({
    signature_chain: (signature_chain as string[]).toReversed(),
  })),
  // Another key with the signatures of this one.
  foreign_key: change(({ key }) => ({ key: flipHex(key, 31) })),
  // Info
  no_key_provider: change(() => ({ key_provider_info: "" })),
  key_provider_no_json: change(() => ({ key_provider_info: "kms" })),
  no_app_id: change(() => ({ app_id: undefined })),
  // GetQuote
  empty_quote: change(() => ({ quote: "" })),
  wrong_echo: change(({ report_data }) => ({ report_data: flipHex(report_data, 63) })),
  wrong_report_data: change(({ quote }) => ({ quote: flipHex(quote, 631) })),
  debug: change(({ quote }) => ({ quote: flipHex(quote, 168) })),
  upper_case_quote: change(({ quote }) => ({ quote: String(quote).toUpperCase() })),
  odd_quote: change(({ quote }) => ({ quote: String(quote).slice(0, -1) })),
  short_quote: change(({ quote }) => ({ quote: String(quote).slice(0, 1000) })),
  cut_quote: change(({ quote }) => ({ quote: String(quote).slice(0, -2) })),
  version_3: change(({ quote }) => ({ quote: "03" + String(quote).slice(2) })),
  padded_quote: change(({ quote }) => ({ quote: quote + "00".repeat(70) })),
  no_event_log: change(() => ({ event_log: undefined })),
  other_log: change(({ event_log }) => ({
    event_log: String(event_log).replace("11".repeat(20), "13".repeat(20)),
  })),
  event_log_no_json: change(() => ({ event_log: "system-preparing" })),
} as const satisfies Record<string, (asked: Asked) => void>;

function hkdf(key: Uint8Array, info: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "RATLS", info, 32));
}

/** Returns r, s and the recovery number over the hash of a message: the form of the agent's signature chain. */
function signRecoverable(message: Uint8Array, key: Uint8Array): string {
  const signature = sign(keccak_256(message), key, { prehash: false, format: "recovered" });
  return concat(signature.subarray(1), signature.subarray(0, 1)).toHex();
}

function getKey({ appId, root }: AgentBehaviour, body: Answer): Answer {
  const rootKey = Uint8Array.fromHex(root);
  const appKey = hkdf(rootKey, concat(Uint8Array.fromHex(appId), utf8("app-key")));
  const key = hkdf(appKey, utf8(String(body["path"] ?? "")));
  const bound = utf8(`${body["purpose"] ?? ""}:${getPublicKey(key, true).toHex()}`);
  const issued = concat(utf8("dstack-kms-issued:"), Uint8Array.fromHex(appId), getPublicKey(appKey, true));
  return {
    key: key.toHex(),
    signature_chain: [signRecoverable(bound, appKey), signRecoverable(issued, rootKey)],
  };
}

/**
 * Returns the id of a KMS with this root: the public key of its certificate authority, which is another key than the
 * root.
 */
export function kmsIdOf(root: string): string {
  return "3059301306072a8648ce3d020106082a8648ce3d03010703420004" +
    createHash("sha512").update(root).digest("hex");
}

/** Returns the key that `TEE_DSTACK_KMS_ROOT` pins, in hex. */
export function kmsRootOf(root: string): string {
  return getPublicKey(Uint8Array.fromHex(root), true).toHex();
}

function providerInfo({ keyProvider, root }: AgentBehaviour): string {
  return JSON.stringify({ name: keyProvider, id: keyProvider === "kms" ? kmsIdOf(root) : "" });
}

/** Returns events in the order of a real agent's log, and the registers that they replay to. */
function boot(
  behaviour: AgentBehaviour,
): { readonly eventLog: string; readonly registers: ReturnType<typeof replayOf> } {
  const events = {
    "system-preparing": "",
    "app-id": behaviour.appId,
    "compose-hash": "33".repeat(32),
    "key-provider": utf8(providerInfo(behaviour)).toHex(),
    "system-ready": "",
  };
  const log = Object.entries(events).map(([event, payload]) => dstackEvent(event, payload));
  return { eventLog: JSON.stringify(log), registers: replayOf(log) };
}

function info(behaviour: AgentBehaviour): Answer {
  return {
    app_id: behaviour.appId,
    instance_id: "44".repeat(20),
    app_cert: "",
    tcb_info: "{}",
    app_name: "holdfast",
    device_id: "55".repeat(32),
    mr_aggregated: "",
    os_image_hash: "",
    key_provider_info: providerInfo(behaviour),
    compose_hash: "33".repeat(32),
    vm_config: "{}",
    cloud_vendor: "",
    cloud_product: "",
  };
}

/** Cached, because making it takes longer than a quote. */
let platform: QuotePlatform | undefined;

function getQuote(behaviour: AgentBehaviour, body: Answer): Answer {
  if (behaviour.recorded !== undefined) return behaviour.recorded;
  const hex = String(body["report_data"] ?? "");
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) return { error: "Invalid character in hex string" };
  if (hex.length > 128) return { error: "Report data is too long" };
  const reportData = new Uint8Array(64);
  reportData.set(Uint8Array.fromHex(hex));
  const { eventLog, registers } = boot(behaviour);
  platform ??= makeQuotePlatform();
  return {
    quote: platform.quote(reportData, registers).toHex(),
    event_log: eventLog,
    report_data: reportData.toHex(),
    vm_config: "{}",
    attestation: "",
  };
}

const METHODS: Readonly<Record<AgentMethod, (behaviour: AgentBehaviour, body: Answer) => Answer>> = {
  Info: info,
  GetKey: getKey,
  GetQuote: getQuote,
  Version: () => ({ version: "0.6.0", rev: "simulated" }),
};

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += chunk;
  return text;
}

/** Responds to one request. Without the media type, the real agent reads the body as protobuf. */
function answer(
  behaviour: AgentBehaviour,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const method = request.url!.slice(1) as AgentMethod;
  if (!Object.hasOwn(METHODS, method)) return send(response, 404, "<h1>404: Not Found</h1>", "text/html");
  if (request.headers["content-type"] !== "application/json") {
    return send(response, 400, '{"error":"failed to decode protobuf"}');
  }
  const value = METHODS[method](behaviour, JSON.parse(body) as Answer);
  if ("error" in value) return send(response, 400, JSON.stringify(value));
  const fault = behaviour.faults[method];
  if (fault === undefined) return send(response, 200, JSON.stringify(value));
  FAULTS[fault]({ response, answer: value });
}

/** Starts an agent at the path, in place of any file there. As the real one, it lets every process connect. */
export async function startGuestAgent(
  socketPath: string,
  initial: Partial<AgentBehaviour> = {},
): Promise<GuestAgent> {
  let behaviour = { ...BEHAVIOUR, ...initial };
  if (behaviour.keyProvider === "none") {
    behaviour.root = crypto.getRandomValues(new Uint8Array(32)).toHex();
  }
  const requests: { method: string; body: string }[] = [];
  let [underWay, most] = [0, 0];
  const server = createServer((request, response) => {
    response.on("error", () => {});
    underWay++;
    most = Math.max(most, underWay);
    response.on("close", () => underWay--);
    readText(request).then((body) => {
      requests.push({ method: request.url!.slice(1), body });
      answer(behaviour, request, body, response);
    }, () => {});
  });
  const listening = await listenOnUnix(server, socketPath);
  chmodSync(socketPath, 0o777);
  return {
    socketPath,
    requests,
    mostAtOnce: () => most,
    behave: (change) => behaviour = { ...behaviour, ...change },
    close: () => listening.close(),
  };
}
