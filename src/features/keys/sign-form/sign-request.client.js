// @ts-check
import { messagesOf } from "../../../ui/browser/messages.client.js";

/**
 * @typedef {import("./review.client.js").Explanation} Explanation
 * @typedef {import("../keys-api.client.js").SignAction} SignAction
 * @typedef {{ readonly kind: string, readonly action: SignAction, readonly body: string }} SignRequest
 * @typedef {{ readonly isBlind: boolean, readonly isProse: boolean,
 * readonly action: SignAction, readonly explainedAs: Explanation["kind"],
 * readonly body: (text: string) => string }} Kind
 * @typedef {{ readonly id: string, readonly name: string, readonly whenCopied: string,
 * readonly value: string }} SignedValue
 */

/** @param {Readonly<Record<string, string>>} members @returns {(message: string) => string} */
function messageBody(members) {
  return (message) => JSON.stringify({ message, ...members });
}

/** @param {string} text */
function transactionBody(text) {
  return text.startsWith("0x") ? JSON.stringify({ unsigned: text }) : text;
}

/**
 * Returns the body as it was pasted: parsing it here could change its numbers.
 * @param {string} text
 */
function sameBody(text) {
  return text;
}

const MESSAGE = /** @type {const} */ ({
  isBlind: false,
  isProse: false,
  action: "sign",
  explainedAs: "message",
});

/**
 * The kinds of signing, by the value of their choice in the form.
 * @type {Readonly<Record<string, Kind>>}
 */
export const KINDS = {
  personal_sign: {
    ...MESSAGE,
    isProse: true,
    body: messageBody({ format: "personal_sign" }),
  },
  typed_data: {
    isBlind: false,
    isProse: false,
    action: "sign-typed-data",
    explainedAs: "typed_data",
    body: sameBody,
  },
  transaction: {
    isBlind: false,
    isProse: false,
    action: "sign-transaction",
    explainedAs: "transaction",
    body: transactionBody,
  },
  authorization: {
    isBlind: false,
    isProse: false,
    action: "sign-authorization",
    explainedAs: "authorization",
    body: sameBody,
  },
  personal_bytes: {
    ...MESSAGE,
    body: messageBody({ format: "personal_sign", encoding: "hex" }),
  },
  raw: { ...MESSAGE, isBlind: true, body: messageBody({ format: "raw" }) },
  digest: {
    ...MESSAGE,
    isBlind: true,
    body: messageBody({ format: "digest" }),
  },
};

/**
 * Returns the kind with this name. Throws TypeError for an unknown name.
 * @param {string} name
 * @returns {Kind}
 */
export function kindOf(name) {
  const kind = KINDS[name];
  if (kind === undefined) throw new TypeError(`Cannot sign: no kind ${name}`);
  return kind;
}

/** @param {string} name @returns {string} */
export function labelOf(name) {
  /** @type {Readonly<Record<string, string>>} */
  const labels = messagesOf("sign-request").labels;
  return labels[name] ?? name;
}

/**
 * Creates the request to explain the content of the form. Keeps spaces around prose, because they are signed too.
 * @param {string} kind
 * @param {string} text
 * @returns {SignRequest}
 */
export function makeRequest(kind, text) {
  const { action, body, isProse } = kindOf(kind);
  return { kind, action, body: body(isProse ? text : text.trim()) };
}

/**
 * Returns the body to sign after the user has read the explanation. For a transaction, these are the bytes that were
 * shown; for an authorization, its members. For a message and typed data, it is the explained body, whose digest the
 * response repeats. Returns undefined if the service read the text as another kind.
 * @param {SignRequest} request
 * @param {Explanation} explanation
 * @returns {string | undefined}
 */
export function bodyToSign({ kind, body }, explanation) {
  if (explanation.kind !== kindOf(kind).explainedAs) return undefined;
  if (explanation.kind === "transaction") return JSON.stringify({ unsigned: explanation.unsigned });
  if (explanation.kind === "authorization") return JSON.stringify(explanation.authorization);
  return body;
}

/**
 * @param {string} id
 * @param {keyof ScriptMessages["sign-request"]["values"]} value
 * @param {string} text
 * @returns {SignedValue}
 */
function signedValue(id, value, text) {
  const [name = "", whenCopied = ""] = messagesOf("sign-request").values[value];
  return { id, name, whenCopied, value: text };
}

/**
 * Returns the values of a signature to show and copy. Returns undefined if the response does not match the
 * explanation: another digest, sender or authorization.
 * @param {Explanation} explanation
 * @param {any} answer of the endpoint that signs such a payload
 * @returns {readonly SignedValue[] | undefined}
 */
export function resultOf(explanation, answer) {
  if (explanation.kind === "transaction") {
    if (answer.from !== explanation.address) return undefined;
    return [
      signedValue("serialized-transaction", "serializedTransaction", answer.serializedTransaction),
      signedValue("transaction-hash", "transactionHash", answer.hash),
    ];
  }
  if (explanation.kind === "authorization") {
    const isSame = Object.entries(explanation.authorization)
      .every(([name, value]) => String(answer[name]) === String(value));
    if (!isSame) return undefined;
    return [signedValue("signed-authorization", "authorization", JSON.stringify(answer))];
  }
  if (answer.digest !== explanation.digest) return undefined;
  return [
    signedValue("signature", "signature", answer.signature),
    signedValue("signed-digest", "digest", answer.digest),
  ];
}
