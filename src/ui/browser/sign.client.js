// @ts-check
import { explain, sign } from "./api.client.js";
import { enableCopyButton, getElement, newElement, onSubmit, submitButton, whileBusy } from "./dom.client.js";
import { explanationNodes } from "./explanation.client.js";
import { clearAlert, showAlert, showFailure, toSentence } from "./failure.client.js";
import { intentNodes, isDangerous } from "./intent.client.js";
import { enableOffer } from "./offer.client.js";
import { bodyToSign, kindOf, makeRequest, resultOf } from "./sign-request.client.js";

/**
 * @typedef {import("./api.client.js").Explanation} Explanation
 * @typedef {import("./sign-request.client.js").SignRequest} SignRequest
 * @typedef {import("./sign-request.client.js").SignedValue} SignedValue
 */

/** How long the button that signs stays dead after it appears: a double click on the one before must not reach it. */
const GUARD_TIME = 500;

/**
 * One value that came of signing, with a button that copies it.
 * @param {SignedValue} value
 * @returns {HTMLElement}
 */
function signedRow({ id, name, value }) {
  const code = newElement("code", "", value);
  code.id = id;
  const hidden = newElement("span", "visually-hidden", ` the ${name.toLowerCase()}`);
  const button = newElement("button", "button small", "Copy", hidden);
  button.type = "button";
  button.dataset["copy"] = id;
  const shown = newElement("dd", "copyable", code, " ", button);
  return newElement("div", "fact-wide", newElement("dt", "", name), shown);
}

/** @param {readonly SignedValue[]} values */
function showValues(values) {
  const list = getElement("signed-values", HTMLElement);
  list.replaceChildren(...values.map(signedRow));
  for (const button of list.querySelectorAll("button")) enableCopyButton(button);
}

/**
 * Makes the section that signs work.
 * @param {string} keyId
 * @param {string} address of the key
 */
export function enableSigning(keyId, address) {
  const form = getElement("sign-form", HTMLFormElement);
  const fields = getElement("sign-fields", HTMLFieldSetElement);
  const message = getElement("message", HTMLTextAreaElement);
  const alertBox = getElement("sign-alert", HTMLElement);
  const review = getElement("review", HTMLElement);
  const signButton = getElement("sign-button", HTMLButtonElement);
  const refusal = getElement("review-refusal", HTMLElement);
  const signed = getElement("signed", HTMLElement);
  const anyway = getElement("review-anyway", HTMLElement);
  const anywayBox = getElement("review-anyway-box", HTMLInputElement);

  /**
   * What was reviewed: exactly this is signed.
   * @type {{ request: SignRequest, explanation: Explanation, body: string } | undefined}
   */
  let reviewed;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let guard;

  /** What the form holds. */
  function read() {
    return { kind: String(new FormData(form).get("kind")), text: message.value };
  }

  const offer = enableOffer({
    address,
    read,
    use({ kind, text }) {
      const choice = form.querySelector(`input[name=kind][value=${kind}]`);
      if (choice instanceof HTMLInputElement) choice.checked = true;
      message.value = text;
      showKind();
      message.focus();
    },
  });

  /** @param {unknown} error */
  const fail = (error) => showFailure(alertBox, error);

  /** Takes the review back: nothing can be signed until there is a new one. */
  function change() {
    reviewed = undefined;
    review.hidden = true;
    fields.disabled = false;
  }

  /** The button is dead for a while, and for as long as a danger is not acknowledged. */
  function holdBack() {
    signButton.disabled = true;
    clearTimeout(guard);
    guard = setTimeout(() => signButton.disabled = !anyway.hidden && !anywayBox.checked, GUARD_TIME);
  }

  function showKind() {
    const input = form.querySelector("input[name=kind]:checked");
    if (!(input instanceof HTMLInputElement)) return;
    const { label, isBlind, isProse } = kindOf(input.value);
    getElement("message-label", HTMLElement).textContent = label;
    getElement("kind-hint", HTMLElement).textContent = input.dataset["hint"] ?? "";
    getElement("blind-warning", HTMLElement).hidden = !isBlind;
    message.classList.toggle("mono", !isProse);
    offer.look();
  }

  /**
   * @param {SignRequest} request
   * @param {Explanation} explanation
   */
  function showReview(request, explanation) {
    const body = bodyToSign(request, explanation);
    if (body === undefined) {
      return showAlert(alertBox, "The service reads this as something else. Choose above what it is.");
    }
    reviewed = { request, explanation, body };
    getElement("review-tree", HTMLElement).replaceChildren(...explanationNodes(explanation, request));
    getElement("review-digest", HTMLElement).textContent = explanation.digest;
    getElement("review-intent", HTMLElement).replaceChildren(...intentNodes(explanation.intent));
    const danger = isDangerous(explanation.intent);
    anyway.hidden = !danger || Boolean(explanation.refusal);
    anywayBox.checked = false;
    signButton.textContent = danger ? "Sign anyway" : "Sign";
    refusal.hidden = !explanation.refusal;
    refusal.textContent = explanation.refusal ? toSentence(explanation.refusal.detail) : "";
    signButton.hidden = Boolean(explanation.refusal);
    holdBack();
    fields.disabled = true;
    review.hidden = false;
    review.focus();
  }

  /** @param {readonly SignedValue[]} values */
  function showSigned(values) {
    showValues(values);
    change();
    signed.hidden = false;
    signed.focus();
  }

  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(alertBox);
      signed.hidden = true;
      const { kind, text } = read();
      const request = makeRequest(kind, text);
      showReview(request, await explain(keyId, request.body));
    }, fail));

  signButton.addEventListener("click", () =>
    void whileBusy(signButton, async () => {
      if (reviewed === undefined) return;
      clearAlert(alertBox);
      const { request, explanation, body } = reviewed;
      const values = resultOf(explanation, await sign(keyId, request.action, body));
      if (values !== undefined) return showSigned(values);
      showAlert(
        alertBox,
        "What was signed is not what was shown. Do not use this service until you know why.",
      );
    }, fail));

  anywayBox.addEventListener("change", holdBack);
  getElement("review-cancel", HTMLButtonElement).addEventListener("click", () => {
    change();
    message.focus();
  });
  for (const choice of form.querySelectorAll("input[name=kind]")) choice.addEventListener("change", showKind);
  message.addEventListener("input", offer.look);
  showKind();
}
