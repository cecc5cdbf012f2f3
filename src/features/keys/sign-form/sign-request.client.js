// @ts-check
import { wordsOf } from "../../../ui/browser/messages.client.js";

/**
 * @typedef {import("./review.client.js").Explanation} Explanation
 * @typedef {import("../keys-api.client.js").SignAction} SignAction
 * @typedef {{ readonly kind: string, readonly action: SignAction, readonly body: string }} SignRequest
 * @typedef {{ readonly isBlind: boolean, readonly isProse: boolean,
 *   readonly action: SignAction, readonly explainedAs: Explanation["kind"],
 *   readonly body: (text: string) => string }} Kind
 * @typedef {{ readonly id: string, readonly name: string, readonly whenCopied: string,
 *   readonly value: string }} SignedValue
 */

/**
 * @param {Readonly<Record<string, string>>} members
 * @returns {(message: string) => string}
 */
function messageBody(members) {
  return (message) => JSON.stringify({ message, ...members });
}

/** @param {string} text */
function transactionBody(text) {
  return text.startsWith("0x") ? JSON.stringify({ unsigned: text }) : text;
}

/**
 * A body that is sent as it was pasted: parsing it here could change its numbers.
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
 * What can be signed, by the value of its choice in the form.
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
 * The kind of that name. Throws TypeError where the form has a choice that no kind stands for.
 * @param {string} name
 * @returns {Kind}
 */
export function kindOf(name) {
  const kind = KINDS[name];
  if (kind === undefined) throw new TypeError(`Cannot sign: no kind ${name}`);
  return kind;
}

/**
 * What is to be written for the kind of that name.
 * @param {string} name
 * @returns {string}
 */
export function labelOf(name) {
  /** @type {Readonly<Record<string, string>>} */
  const labels = wordsOf("sign-request").labels;
  return labels[name] ?? name;
}

/**
 * What the form asks to be explained. Spaces around a text for people are part of it.
 * @param {string} kind
 * @param {string} text
 * @returns {SignRequest}
 */
export function makeRequest(kind, text) {
  const { action, body, isProse } = kindOf(kind);
  return { kind, action, body: body(isProse ? text : text.trim()) };
}

/**
 * What is sent to be signed once a person has read the explanation: for a transaction the very bytes that were shown,
 * for an authorization the members; for a message and typed data what was explained, whose digest the answer repeats.
 * Undefined where the service took the text for something else than it was called.
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
 * One value that came of signing.
 * @param {string} id
 * @param {keyof ScriptMessages["sign-request"]["values"]} value
 * @param {string} text
 * @returns {SignedValue}
 */
function signedValue(id, value, text) {
  const [name = "", whenCopied = ""] = wordsOf("sign-request").values[value];
  return { id, name, whenCopied, value: text };
}

/**
 * What came of signing, to be shown and copied. Undefined where the answer is about something else than was shown: a
 * message or typed data of another digest, another sender, another authorization.
 * @param {Explanation} explanation
 * @param {any} answer of the endpoint that signs such a thing
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
