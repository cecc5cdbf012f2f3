// @ts-check
import { getElement, newElement } from "../../../ui/browser/dom.client.js";
import { detectPayload } from "./detect-payload.client.js";
import { fill, messagesOf } from "../../../ui/browser/messages.client.js";

/** @typedef {import("./detect-payload.client.js").DetectedPayload} DetectedPayload */

/**
 * Offers to read a pasted text as the kind that was detected, with its warning and hint. A warning stays on the page
 * until the field is emptied or another text is accepted.
 * @param {{ readonly address: string,
 * readonly read: () => { readonly kind: string, readonly text: string },
 * readonly use: (detected: DetectedPayload) => void }} form the key's address, a function that reads the form,
 * and one that
 * fills it
 * @returns {{ readonly look: () => string | undefined, readonly restoreWarning: (warning: string | undefined) =>
 * void }} `look`
 * updates the offer after a change of the form and returns the warning of the accepted text; `restoreWarning`
 * restores a
 * warning
 */
export function enableOffer({ address, read, use }) {
  const region = getElement("offer", HTMLElement);
  /** @type {string | undefined} */
  let taken;

  /** @param {DetectedPayload} detected */
  function take(detected) {
    taken = detected.warning;
    use(detected);
  }

  /** @param {DetectedPayload} detected @returns {HTMLElement} */
  function offerText(detected) {
    const { looksLike, use } = messagesOf("offer");
    const button = newElement("button", "button", use);
    button.type = "button";
    button.addEventListener("click", () => take(detected));
    return newElement(
      "div",
      "notice offer-question",
      newElement("p", "", fill(looksLike, { what: detected.name })),
      button,
    );
  }

  function look() {
    const { kind, text } = read();
    if (text.trim() === "") taken = undefined;
    const detected = detectPayload(text, address);
    const isTaken = detected === undefined || (detected.kind === kind && detected.text === text.trim());
    const warning = detected?.warning ?? taken;
    region.replaceChildren(
      ...(warning === undefined ? [] : [newElement("p", "notice danger", warning)]),
      ...(isTaken ? [] : [offerText(detected)]),
      ...(detected?.hint === undefined ? [] : [newElement("p", "hint", detected.hint)]),
    );
    return taken;
  }

  /** @param {string | undefined} warning */
  function restoreWarning(warning) {
    taken = warning;
  }

  return { look, restoreWarning };
}
