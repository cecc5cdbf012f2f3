// @ts-check
import { explain, sign } from "./api.client.js";
import { getElement, onSubmit, submitButton, whileBusy } from "./dom.client.js";
import { explanationNodes } from "./explanation.client.js";
import { clearAlert, showAlert, showFailure, toSentence } from "./failure.client.js";
import { intentNodes, isDangerous } from "./intent.client.js";

/**
 * @typedef {{ readonly kind: string, readonly message: string, readonly action: "sign" | "sign-typed-data",
 *   readonly body: string }} SignRequest
 */

/** How long the button that signs stays dead after it appears: a double click on the one before must not reach it. */
const GUARD_TIME = 500;

/** @type {Readonly<Record<string, { label: string, isBlind: boolean }>>} */
const KINDS = {
  personal_sign: { label: "Message", isBlind: false },
  typed_data: { label: "Typed data as JSON", isBlind: false },
  raw: { label: "Bytes as 0x and hex", isBlind: true },
  digest: { label: "Digest as 0x and 64 hex digits", isBlind: true },
};

/** @param {string} keyId */
export function enableSigning(keyId) {
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
   * @type {{ request: SignRequest, digest: string } | undefined}
   */
  let reviewed;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let guard;

  /** @returns {SignRequest} */
  function readRequest() {
    const kind = String(new FormData(form).get("kind"));
    const text = message.value;
    if (kind === "typed_data") return { kind, message: text, action: "sign-typed-data", body: text };
    const payload = kind === "personal_sign" ? text : text.trim();
    return {
      kind,
      message: payload,
      action: "sign",
      body: JSON.stringify({ message: payload, format: kind }),
    };
  }

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
    const { label, isBlind } = /** @type {{ label: string, isBlind: boolean }} */ (KINDS[input.value]);
    getElement("message-label", HTMLElement).textContent = label;
    getElement("kind-hint", HTMLElement).textContent = input.dataset["hint"] ?? "";
    getElement("blind-warning", HTMLElement).hidden = !isBlind;
    message.classList.toggle("mono", input.value !== "personal_sign");
  }

  /**
   * @param {SignRequest} request
   * @param {import("./api.client.js").Explanation} explanation
   */
  function showReview(request, explanation) {
    reviewed = { request, digest: explanation.digest };
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

  /** @param {import("./api.client.js").Signed} answer */
  function showSigned(answer) {
    getElement("signature", HTMLElement).textContent = answer.signature;
    getElement("signed-digest", HTMLElement).textContent = answer.digest;
    change();
    signed.hidden = false;
    signed.focus();
  }

  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(alertBox);
      signed.hidden = true;
      const request = readRequest();
      showReview(request, await explain(keyId, request.body));
    }, fail));

  signButton.addEventListener("click", () =>
    void whileBusy(signButton, async () => {
      if (reviewed === undefined) return;
      clearAlert(alertBox);
      const { request, digest } = reviewed;
      const answer = await sign(keyId, request.action, request.body);
      if (answer.digest === digest) return showSigned(answer);
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
  form.addEventListener("change", showKind);
  showKind();
}
