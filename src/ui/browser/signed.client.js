// @ts-check
import { enableCopyButton, getElement, newElement } from "./dom.client.js";
import { readableNodes } from "./readable-nodes.client.js";
import { fillNodes, wordsOf } from "./words.client.js";

/**
 * @typedef {import("./api.client.js").Explanation} Explanation
 * @typedef {import("./sign-request.client.js").SignRequest} SignRequest
 * @typedef {import("./sign-request.client.js").SignedValue} SignedValue
 */

/** How many characters of a text stand for it. */
const EXCERPT = 80;

/**
 * One value that came of signing, with a button that copies it.
 * @param {SignedValue} value
 * @returns {HTMLElement}
 */
function signedRow({ id, name, whenCopied, value }) {
  const code = newElement("code", "", value);
  code.id = id;
  const hidden = newElement("span", "visually-hidden", ` ${whenCopied}`);
  const button = newElement("button", "button small", wordsOf("signed").copy, hidden);
  button.type = "button";
  button.dataset["copy"] = id;
  const shown = newElement("dd", "copyable", code, " ", button);
  return newElement("div", "fact-wide", newElement("dt", "", name), shown);
}

/**
 * What was signed, in one line: the beginning of a text, the sentence for anything else.
 * @param {SignRequest} request
 * @param {Explanation} explanation
 * @returns {HTMLElement}
 */
function subject({ message }, { intent }) {
  if (intent.kind !== "text") return newElement("bdi", "", intent.sentence);
  const characters = [...message];
  const end = characters.length > EXCERPT ? ["…"] : [];
  const text = newElement("span", "", ...readableNodes(characters.slice(0, EXCERPT).join("")), ...end);
  return newElement("bdi", "", ...fillNodes(wordsOf("signed").quoted, { text }));
}

/**
 * Shows what came of signing, and of which text it is.
 * @param {SignRequest} request
 * @param {Explanation} explanation
 * @param {readonly SignedValue[]} values
 */
export function showSigned(request, explanation, values) {
  const list = getElement("signed-values", HTMLElement);
  list.replaceChildren(...values.map(signedRow));
  for (const button of list.querySelectorAll("button")) enableCopyButton(button);
  getElement("signed-what", HTMLElement).replaceChildren(subject(request, explanation));
  const signed = getElement("signed", HTMLElement);
  signed.hidden = false;
  signed.focus();
}

/** Takes away what came of signing: the form is about something else by now. */
export function hideSigned() {
  getElement("signed", HTMLElement).hidden = true;
  getElement("signed-what", HTMLElement).replaceChildren();
  getElement("signed-values", HTMLElement).replaceChildren();
}
