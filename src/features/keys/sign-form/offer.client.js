// @ts-check
import { getElement, newElement } from "../../../ui/browser/dom.client.js";
import { recognise } from "./detect-payload.client.js";
import { fill, messagesOf } from "../../../ui/browser/messages.client.js";

/** @typedef {import("./detect-payload.client.js").Recognised} Recognised */

/**
 * Offers to read a pasted text as the kind that was detected, with its warning and hint. A warning stays on the page
 * until the field is emptied or another text is accepted.
 * @param {{ readonly address: string,
 * readonly read: () => { readonly kind: string, readonly text: string },
 * readonly use: (recognised: Recognised) => void }} form the key's address, a function that reads the form,
 * and one that
 * fills it
 * @returns {{ readonly look: () => string | undefined, readonly remember: (warning: string | undefined) =>
 * void }} `look`
 * updates the offer after a change of the form and returns the warning of the accepted text; `remember`
 * restores a
 * warning
 */
export function enableOffer({ address, read, use }) {
  const region = getElement("offer", HTMLElement);
  /** @type {string | undefined} */
  let taken;

  /** @param {Recognised} recognised */
  function take(recognised) {
    taken = recognised.warning;
    use(recognised);
  }

  /** @param {Recognised} recognised @returns {HTMLElement} */
  function question(recognised) {
    const { looksLike, use } = messagesOf("offer");
    const button = newElement("button", "button", use);
    button.type = "button";
    button.addEventListener("click", () => take(recognised));
    return newElement(
      "div",
      "notice offer-question",
      newElement("p", "", fill(looksLike, { what: recognised.name })),
      button,
    );
  }

  function look() {
    const { kind, text } = read();
    if (text.trim() === "") taken = undefined;
    const recognised = recognise(text, address);
    const isTaken = recognised === undefined || (recognised.kind === kind && recognised.text === text.trim());
    const warning = recognised?.warning ?? taken;
    region.replaceChildren(
      ...(warning === undefined ? [] : [newElement("p", "notice danger", warning)]),
      ...(isTaken ? [] : [question(recognised)]),
      ...(recognised?.hint === undefined ? [] : [newElement("p", "hint", recognised.hint)]),
    );
    return taken;
  }

  /** @param {string | undefined} warning */
  function remember(warning) {
    taken = warning;
  }

  return { look, remember };
}
