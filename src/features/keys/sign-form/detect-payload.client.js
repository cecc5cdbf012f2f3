// @ts-check
import { isUnsignedTransaction, readDappTransaction } from "./dapp-transaction.client.js";
import { arrayItems, objectMembers, parseJson } from "../../../ui/browser/json-source.client.js";
import { fill, messagesOf } from "../../../ui/browser/messages.client.js";

/**
 * @typedef {import("../../../ui/browser/json-source.client.js").SourceMember} SourceMember
 * @typedef {"personal_sign" | "personal_bytes" | "typed_data" | "transaction" | "authorization"}
 * DetectedKind
 * @typedef {{ readonly kind: DetectedKind, readonly text: string, readonly name: string,
 * readonly warning?: string, readonly hint?: string }} DetectedPayload the detected payload: its kind and text for
 * the form,
 * its name, a warning against signing it with this key, and a hint
 */

/** The maximum number of times that a text may be wrapped in a JSON string. */
const WRAPPINGS = 3;

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** @param {DetectedKind} kind @param {string} text @returns {DetectedPayload} */
function found(kind, text) {
  return { kind, text, name: messagesOf("detect-payload").kinds[kind] };
}

/**
 * Returns a warning if an application requests the signature of another address.
 * @param {unknown} signerParameter the address it names
 * @param {string} address the key's
 * @returns {string | undefined}
 */
function warningOf(signerParameter, address) {
  if (typeof signerParameter !== "string" || signerParameter.toLowerCase() === address.toLowerCase()) {
    return undefined;
  }
  const { askedOf, noAddress } = messagesOf("detect-payload");
  return fill(askedOf, { whom: ADDRESS.test(signerParameter) ? signerParameter : noAddress });
}

/**
 * @param {DetectedPayload | undefined} detected
 * @param {unknown} signerParameter
 * @param {string} address
 * @returns {DetectedPayload | undefined}
 */
function askedOf(detected, signerParameter, address) {
  const warning = warningOf(signerParameter, address);
  return detected === undefined || warning === undefined ? detected : { ...detected, warning };
}

/** @param {string} text @returns {string} */
function unwrap(text) {
  let inner = text.trim();
  for (let times = 0; times < WRAPPINGS; times++) {
    // Logs and code show it escaped, with or without the quotes around it.
    const quoted = /^[{[]\s*\\"/.test(inner) ? `"${inner}"` : inner;
    const value = quoted.startsWith('"') ? parseJson(quoted) : undefined;
    if (typeof value !== "string") break;
    inner = value.trim();
  }
  return inner;
}

/** @param {readonly SourceMember[]} members @param {string} name @returns {string | undefined} */
function sourceOf(members, name) {
  return members.find((member) => member.name === name)?.source;
}

/**
 * Reads typed data (EIP-712), keeping its source text. Does not validate its contents or detect repeated members: the
 * service does.
 * @param {string} source
 * @returns {DetectedPayload | undefined}
 */
function readTypedData(source) {
  const value = parseJson(source);
  if (typeof value !== "object" || value === null || !("types" in value)) return undefined;
  const hasTypes = typeof value.types === "object" && value.types !== null;
  const isDocument = hasTypes && ("primaryType" in value || "message" in value);
  return isDocument ? found("typed_data", source) : undefined;
}

/** @param {string} source @param {string} address @returns {DetectedPayload | undefined} */
function readTransaction(source, address) {
  const members = objectMembers(source) ?? [];
  const names = new Set(members.map(({ name }) => name));
  if (names.has("unsigned")) return found("transaction", source);
  const isCall = ["to", "data", "input"].some((name) => names.has(name));
  const isPaid = ["from", "value", "gas", "gasLimit", "gasPrice", "maxFeePerGas", "chainId"]
    .some((name) => names.has(name));
  if (!isCall || !isPaid) return undefined;
  const { text, missing } = readDappTransaction(source, members);
  const from = parseJson(sourceOf(members, "from") ?? "null") ?? undefined;
  const detected = { ...found("transaction", text), ...(missing.length > 0 && { hint: hintOf(missing) }) };
  return askedOf(detected, from, address);
}

/** @param {readonly string[]} missing */
function hintOf(missing) {
  return fill(messagesOf("detect-payload").missing, { members: missing.join(", ") });
}

/** @param {string} source @returns {DetectedPayload | undefined} */
function readAuthorization(source) {
  const names = new Set((objectMembers(source) ?? []).map(({ name }) => name));
  const isOne = names.has("address") && names.has("chainId") && names.has("nonce") && names.size === 3;
  return isOne ? found("authorization", source) : undefined;
}

/**
 * Decodes a message as text for the form's field. Returns undefined if the field would change it, or if it has control
 * characters.
 * @param {Uint8Array} bytes
 * @returns {string | undefined}
 */
function readableText(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[^\n\t\P{Cc}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Reads the data of `personal_sign`: 0x-hex is bytes, anything else is text. Bytes that decode to a text become that
 * text, because EIP-191 signs the same for both.
 * @param {unknown} data
 * @returns {DetectedPayload | undefined}
 */
function readMessage(data) {
  if (typeof data !== "string" || !data.isWellFormed()) return undefined;
  const digits = /^0x((?:[0-9a-f]{2})*)$/i.exec(data)?.[1];
  const bytes = digits === undefined
    ? new TextEncoder().encode(data)
    : Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const text = readableText(bytes);
  if (text !== undefined) return text === "" ? undefined : found("personal_sign", text);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return found("personal_bytes", `0x${hex}`);
}

/** @param {readonly string[]} parameters @param {string} address @returns {DetectedPayload | undefined} */
function readTypedDataRequest([signerParameter = "", document = ""], address) {
  return askedOf(readTypedData(unwrap(document)), parseJson(signerParameter), address);
}

/** @param {readonly string[]} parameters @param {string} address @returns {DetectedPayload | undefined} */
function readMessageRequest(parameters, address) {
  const [first, second] = parameters.map(parseJson);
  /** @param {unknown} value */
  const isAddress = (value) => typeof value === "string" && ADDRESS.test(value);
  // Some applications swap the two parameters, and wallets accept it.
  const [data, signerParameter] = isAddress(first) && second !== undefined && !isAddress(second)
    ? [second, first]
    : [first, second];
  return askedOf(readMessage(data), signerParameter, address);
}

/** @param {readonly string[]} parameters @param {string} address @returns {DetectedPayload | undefined} */
function readTransactionRequest([transaction = ""], address) {
  return readTransaction(transaction, address);
}

/**
 * The requests of applications (EIP-1193) that the form can sign, by method.
 * @type {Readonly<Record<string, (parameters: readonly string[], address: string) => DetectedPayload |
 * undefined>>}
 */
const METHODS = {
  eth_signTypedData_v4: readTypedDataRequest,
  eth_signTypedData_v3: readTypedDataRequest,
  personal_sign: readMessageRequest,
  eth_sendTransaction: readTransactionRequest,
  eth_signTransaction: readTransactionRequest,
};

/** @param {readonly SourceMember[]} members @param {string} address @returns {DetectedPayload | undefined} */
function readRequest(members, address) {
  const method = parseJson(sourceOf(members, "method") ?? "");
  const parameters = arrayItems(sourceOf(members, "params") ?? "");
  if (typeof method !== "string" || parameters === undefined || !Object.hasOwn(METHODS, method)) {
    return undefined;
  }
  const detected = METHODS[method]?.(parameters, address);
  if (detected === undefined || method !== "eth_sendTransaction") return detected;
  const hint = [messagesOf("detect-payload").notSent, ...(detected.hint ? [detected.hint] : [])].join(
    " ",
  );
  return { ...detected, hint };
}

/**
 * Detects what a pasted text is: an application's request, its parameters, a document, a transaction, an
 * authorization, or one of them as a JSON string. Returns undefined for any other text. Decides nothing: the user
 * accepts the proposal, and the service explains it before it is signed. Keeps the source text of all parts, so that
 * no number is rounded.
 * @param {string} text
 * @param {string} address of the key that would sign
 * @returns {DetectedPayload | undefined}
 */
export function detectPayload(text, address) {
  const source = unwrap(text);
  if (isUnsignedTransaction(source)) return found("transaction", source);
  const items = arrayItems(source);
  if (items?.length === 1) return readTransactionRequest(items, address);
  if (items !== undefined) return readTypedDataRequest(items, address);
  const members = objectMembers(source);
  if (members === undefined) return readTypedData(source);
  if (sourceOf(members, "method") !== undefined) return readRequest(members, address);
  return readTypedData(source) ?? readTransaction(source, address) ?? readAuthorization(source);
}
