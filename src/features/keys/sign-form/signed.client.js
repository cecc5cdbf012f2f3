// @ts-check
import { enableCopyButton, getElement, newElement } from "../../../ui/browser/dom.client.js";
import { messagesOf } from "../../../ui/browser/messages.client.js";

/** @typedef {import("./sign-request.client.js").SignedValue} SignedValue */

/** @param {SignedValue} value @returns {HTMLElement} */
function signedRow({ id, name, whenCopied, value }) {
  const code = newElement("code", "", value);
  code.id = id;
  const hidden = newElement("span", "visually-hidden", ` ${whenCopied}`);
  const button = newElement("button", "button small", messagesOf("signed").copy, hidden);
  button.type = "button";
  button.dataset["copy"] = id;
  const shown = newElement("dd", "copyable", code, " ", button);
  return newElement("div", "fact-wide", newElement("dt", "", name), shown);
}

/** @param {readonly Node[]} subject @param {readonly SignedValue[]} values */
export function showSigned(subject, values) {
  const list = getElement("signed-values", HTMLElement);
  list.replaceChildren(...values.map(signedRow));
  for (const button of list.querySelectorAll("button")) enableCopyButton(button);
  getElement("signed-what", HTMLElement).replaceChildren(...subject);
  const signed = getElement("signed", HTMLElement);
  signed.hidden = false;
  signed.focus();
}

export function hideSigned() {
  getElement("signed", HTMLElement).hidden = true;
  getElement("signed-what", HTMLElement).replaceChildren();
  getElement("signed-values", HTMLElement).replaceChildren();
}
