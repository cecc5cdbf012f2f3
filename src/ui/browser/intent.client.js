// @ts-check
import { newElement } from "./dom.client.js";
import { wordsOf } from "./words.client.js";

/** @typedef {import("./api.client.js").Intent} Intent */

/** @param {Intent["warnings"][number]} warning */
function warningItem({ level, text }) {
  const className = level === "red" ? "notice danger" : "notice";
  return newElement(
    "li",
    className,
    newElement("strong", "", `${wordsOf("intent").levels[level]}: `),
    newElement("bdi", "", text),
  );
}

/** @param {Intent["fields"][number]} field */
function fieldRow({ label, value }) {
  return newElement(
    "div",
    "fact-wide",
    newElement("dt", "", newElement("bdi", "", label)),
    newElement("dd", "", newElement("bdi", "field-value", value)),
  );
}

/**
 * What the signature does, for a person to read before anything else: the sentence, the warnings, the values. Of a text
 * only the warnings: the sentence would say again what stands below.
 * @param {Intent} intent
 * @returns {readonly Node[]}
 */
export function intentNodes({ kind, recognisedBy, sentence, fields, warnings }) {
  const items = warnings.map(warningItem);
  const list = items.length === 0 ? [] : [newElement("ul", "warnings", ...items)];
  if (kind === "text") return list;
  return [
    newElement("p", "intent", newElement("bdi", "", sentence)),
    ...list,
    newElement("dl", "facts intent-fields", ...fields.map(fieldRow)),
    newElement("p", "hint", `${wordsOf("intent").recognisedBy} `, newElement("bdi", "", recognisedBy)),
  ];
}

/**
 * Whether a second, deliberate act must come before the signature.
 * @param {Intent} intent
 */
export function isDangerous({ warnings }) {
  return warnings.some(({ level }) => level === "red");
}

/** What stands for all that is signed where its meaning is not known: there is nothing else to read. */
const NOT_UNDERSTOOD = ["typed_data", "contract_call", "contract_creation", "bytes", "digest"];

/**
 * Whether the sentence says what a person has to know, so that the fields are there only for whoever asks.
 * @param {Intent} intent
 */
export function isUnderstood({ kind }) {
  return !NOT_UNDERSTOOD.includes(kind);
}
