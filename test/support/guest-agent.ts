import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { getPublicKey, hashes, sign } from "@noble/secp256k1";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import { encode } from "@msgpack/msgpack";
import { concat, lengthPrefixed, utf8 } from "../../src/lib/bytes.ts";
import type { DstackApi } from "../../src/tee/tee.ts";
import { dstackEvent, replayOf } from "./event-log.ts";
import { makeQuotePlatform } from "./quote-pki.ts";
import type { QuotePlatform } from "./quote-pki.ts";
import { listenOnUnix } from "./unix-server.ts";

// A dstack guest agent like dstack 0.5 and later, on its own unix socket, which can be told to misbehave. It derives
// and signs its keys as the real one does, and its event log replays to the RTMRs of its quotes. Their certificates
// say SYNTHETIC.

export type AgentMethod = keyof typeof METHODS;

/** The fault instead of a response. `legacy`: it knows only the methods of dstack before 0.5. */
export type AgentFault = keyof typeof FAULTS;

/** Its behaviour. Tests may change it while it runs. */
export interface AgentBehaviour {
  /** `kms`, `local-sgx`, `tpm`, `none`, or anything else. */
  readonly keyProvider: string;
  /** The application's id in hex. Another one has other keys, as after a redeployment that did not pin it. */
  readonly appId: string;
  /** The epoch of the application's key. Each has other keys, and a request is answered with those of this one. */
  readonly epoch: number;
  /** The versions of the guest API that it has. */
  readonly apis: readonly DstackApi[];
  /** The encoding of `Attest`: SCALE has events of version 1 only. */
  readonly attestation: "scale" | "msgpack";
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
  epoch: 0,
  apis: ["v0", "v1"],
  attestation: "scale",
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
  // Attest
  empty_attestation: change(() => ({ attestation: "" })),
  cut_attestation: change(({ attestation }) => ({ attestation: String(attestation).slice(0, 4000) })),
  // SEV-SNP in SCALE, and an unknown version of MessagePack.
  other_platform: change(() => ({ attestation: "0003" })),
  other_version: change(() => ({ attestation: "81a776657273696f6e02" })),
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

/** Returns the application's root key, which an advanced epoch replaces. */
function appKeyOf({ appId, root, epoch }: AgentBehaviour): Uint8Array {
  const info = concat(Uint8Array.fromHex(appId), utf8("app-key"));
  return hkdf(Uint8Array.fromHex(root), epoch === 0 ? info : concat(info, utf8(`/epoch/${epoch}`)));
}

/** Signs the claim with the application's key, and that key with the KMS's root. */
function chainOf(behaviour: AgentBehaviour, claim: Uint8Array): readonly string[] {
  const appKey = appKeyOf(behaviour);
  const { appId, root } = behaviour;
  const issued = concat(utf8("dstack-kms-issued:"), Uint8Array.fromHex(appId), getPublicKey(appKey, true));
  return [signRecoverable(claim, appKey), signRecoverable(issued, Uint8Array.fromHex(root))];
}

function getKey(behaviour: AgentBehaviour, body: Answer): Answer {
  const key = hkdf(appKeyOf(behaviour), utf8(String(body["path"] ?? "")));
  const claim = utf8(`${body["purpose"] ?? ""}:${getPublicKey(key, true).toHex()}`);
  return { key: key.toHex(), signature_chain: chainOf(behaviour, claim) };
}

/** Derives a key of guest API v1 from the application's root key (guest API v1, section The KDF). */
export function deriveV1Key(appKey: Uint8Array, domain: string, algorithm: string): Uint8Array {
  const info = lengthPrefixed(utf8("dstack-guest-v1-key"), utf8(algorithm), utf8(domain));
  return new Uint8Array(hkdfSync("sha256", appKey, "dstack-guest-v1", info, 32));
}

function getKeyV1(behaviour: AgentBehaviour, { domain, algorithm }: Answer): Answer {
  if (algorithm !== "secp256k1") return { error: "algorithm must be secp256k1 or ed25519" };
  const key = deriveV1Key(appKeyOf(behaviour), String(domain ?? ""), algorithm);
  const publicKey = getPublicKey(key, true);
  const claim = lengthPrefixed(
    utf8("dstack-guest-v1-key-claim"),
    utf8(algorithm),
    utf8(String(domain ?? "")),
    publicKey,
  );
  return { key: key.toHex(), public_key: publicKey.toHex(), signature_chain: chainOf(behaviour, claim) };
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

/** Encodes a number in SCALE's compact form of 4 bytes. */
function compact(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value * 4 + 2, true);
  return bytes;
}

function uint32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

interface LoggedEvent {
  readonly imr: number;
  readonly event_type: number;
  readonly digest: string;
  readonly event: string;
  readonly event_payload: string;
}

/** Encodes dstack's first versioned attestation: variant 0, platform 0, quote, events, then what is not read. */
function encodeScale(quote: Uint8Array, events: readonly LoggedEvent[], reportData: Uint8Array): Uint8Array {
  const bytes = (value: Uint8Array): Uint8Array => concat(compact(value.length), value);
  return concat(
    Uint8Array.of(0, 0),
    bytes(quote),
    compact(events.length),
    ...events.flatMap((event) => [
      uint32le(event.imr),
      uint32le(event.event_type),
      bytes(Uint8Array.fromHex(event.digest)),
      bytes(utf8(event.event)),
      bytes(Uint8Array.fromHex(event.event_payload)),
    ]),
    compact(0),
    reportData,
    bytes(utf8("{}")),
  );
}

function encodeMessagePack(
  quote: Uint8Array,
  events: readonly LoggedEvent[],
  reportData: Uint8Array,
): Uint8Array {
  const readable = events.map((event) => ({
    ...event,
    digest: Uint8Array.fromHex(event.digest),
    event_payload: Uint8Array.fromHex(event.event_payload),
  }));
  // The agent writes bytes of this form as lists of numbers.
  const data = { quote: [...quote], event_log: readable };
  const stack = { kind: "dstack", data: { report_data: [...reportData], runtime_events: [], config: "{}" } };
  return encode({ version: 1, platform: { kind: "tdx", data }, stack });
}

function attest(behaviour: AgentBehaviour, body: Answer): Answer {
  const answer = getQuote(behaviour, body);
  if ("error" in answer) return answer;
  const quote = Uint8Array.fromHex(String(answer["quote"]));
  const events = JSON.parse(String(answer["event_log"])) as readonly LoggedEvent[];
  const reportData = Uint8Array.fromHex(String(answer["report_data"]));
  const encoded = behaviour.attestation === "scale"
    ? encodeScale(quote, events, reportData)
    : encodeMessagePack(quote, events, reportData);
  return { attestation: encoded.toHex(), boottime_gpu_evidence: [] };
}

function version(): Answer {
  return { version: "0.6.4", rev: "simulated" };
}

const METHODS = {
  "Info": info,
  "GetKey": getKey,
  "GetQuote": getQuote,
  "Version": version,
  "v1/Info": info,
  "v1/GetKey": getKeyV1,
  "v1/Attest": attest,
  "v1/Version": version,
} as const satisfies Record<string, (behaviour: AgentBehaviour, body: Answer) => Answer>;

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
  const isServed = behaviour.apis.includes(method.startsWith("v1/") ? "v1" : "v0");
  if (isServed && method.startsWith("v1/") && !Object.hasOwn(METHODS, method)) {
    return send(response, 404, JSON.stringify({ error: `Service not found: ${method.slice(3)}` }));
  }
  if (!isServed || !Object.hasOwn(METHODS, method)) {
    return send(response, 404, "<h1>404: Not Found</h1>", "text/html");
  }
  if (request.headers["content-type"] !== "application/json") {
    return send(response, 400, '{"error":"failed to decode protobuf"}');
  }
  const value: Answer = METHODS[method](behaviour, JSON.parse(body) as Answer);
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
