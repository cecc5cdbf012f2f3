// @ts-check
import { ApiError } from "../../../ui/browser/api.client.js";
import { sign } from "../keys-api.client.js";
import { awaitSignature } from "../../../ui/browser/approval.client.js";
import { getElement, onSubmit, submitButton, whileBusy } from "../../../ui/browser/dom.client.js";
import { findDraft, forgetDraft, keepDraft } from "./draft.client.js";
import { clearAlert, showAlert, showFailure } from "../../../ui/browser/failure.client.js";
import { enableOffer } from "./offer.client.js";
import { refreshParts } from "../../../ui/browser/refresh.client.js";
import { fetchReview } from "./review.client.js";
import { bodyToSign, kindOf, labelOf, makeRequest, resultOf } from "./sign-request.client.js";
import { hideSigned, showSigned } from "./signed.client.js";
import { messagesOf } from "../../../ui/browser/messages.client.js";

/**
 * @typedef {import("./review.client.js").Review} Review
 * @typedef {import("./sign-request.client.js").SignRequest} SignRequest
 */

/**
 * Milliseconds that the sign button stays disabled after it appears, so that a double click on the button before
 * cannot reach it.
 */
const GUARD_TIME = 500;

/**
 * @param {string} keyId
 * @param {string} address of the key
 * @returns {{ readonly offerKinds: (blindSigning: string) => void }} call it when the key's setting has
 * changed
 */
export function enableSigning(keyId, address) {
  const form = getElement("sign-form", HTMLFormElement);
  const fields = getElement("sign-fields", HTMLFieldSetElement);
  const message = getElement("message", HTMLTextAreaElement);
  const alertBox = getElement("sign-alert", HTMLElement);
  const review = getElement("review", HTMLElement);
  const signButton = getElement("sign-button", HTMLButtonElement);
  const draftStatus = getElement("draft-status", HTMLElement);

  /**
   * The review that is shown. Exactly its body is signed.
   * @type {{ request: SignRequest, review: Review, body: string } | undefined}
   */
  let reviewed;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let guard;

  /** Returns the chosen radio button. A locked form can still be read. */
  function chosen() {
    const choice = form.querySelector("input[name=kind]:checked");
    if (!(choice instanceof HTMLInputElement)) throw new TypeError("Cannot sign: nothing is chosen");
    return choice;
  }

  function read() {
    return { kind: chosen().value, text: message.value };
  }

  /** @param {{ readonly kind: string, readonly text: string }} value */
  function fill({ kind, text }) {
    for (const choice of form.querySelectorAll("input[name=kind]")) {
      if (choice instanceof HTMLInputElement) choice.checked = choice.value === kind;
    }
    message.value = text;
    showKind();
  }

  const offer = enableOffer({
    address,
    read,
    use(detected) {
      fill(detected);
      showChange();
      message.focus();
    },
  });

  /** @param {unknown} error */
  const fail = (error) => {
    const draft = findDraft(keyId);
    if (
      draft !== undefined && error instanceof ApiError && error.problem.code === "authentication_required"
    ) {
      keepDraft(keyId, { ...draft, hasSessionEnded: true });
    }
    showFailure(alertBox, error);
  };

  /** Discards the review and shows the form again. Nothing can be signed until there is a new review. */
  function change() {
    reviewed = undefined;
    review.hidden = true;
    form.hidden = false;
    fields.disabled = false;
  }

  function goBack() {
    clearAlert(alertBox);
    change();
    message.focus();
  }

  /** Replaces the result of a signature with the form, its text selected. */
  function startOver() {
    hideSigned();
    change();
    message.focus();
    message.select();
  }

  /** Returns the checkbox that acknowledges a danger. Returns undefined if the review has none. */
  function findBox() {
    const box = document.getElementById("review-anyway-box");
    return box instanceof HTMLInputElement ? box : undefined;
  }

  /** Disables the sign button for `GUARD_TIME`, then until the danger is acknowledged. */
  function delaySigning() {
    signButton.disabled = true;
    clearTimeout(guard);
    guard = setTimeout(() => signButton.disabled = findBox()?.checked === false, GUARD_TIME);
  }

  function showKind() {
    const { value, dataset } = chosen();
    const { isBlind, isProse } = kindOf(value);
    getElement("message-label", HTMLElement).textContent = labelOf(value);
    getElement("kind-hint", HTMLElement).textContent = dataset["hint"] ?? "";
    getElement("blind-warning", HTMLElement).hidden = !isBlind;
    message.classList.toggle("mono", !isProse);
  }

  /** Removes the previous result and messages, because the form has changed. Stores the text as a draft. */
  function showChange() {
    hideSigned();
    draftStatus.textContent = "";
    const warning = offer.look();
    const { kind, text } = read();
    keepDraft(keyId, { kind, message: text, warning });
  }

  function restore() {
    const draft = findDraft(keyId);
    const choice = `.kind:not([hidden]) input[value="${CSS.escape(draft?.kind ?? "")}"]`;
    if (draft === undefined || form.querySelector(choice) === null) return;
    offer.restoreWarning(draft.warning);
    fill({ kind: draft.kind, text: draft.message });
    showChange();
    const { sessionEnded, stillHere } = messagesOf("sign-form");
    draftStatus.textContent = draft.hasSessionEnded ? `${sessionEnded} ${stillHere}` : stillHere;
  }

  /** @param {SignRequest} request @param {Review} fetched */
  function showReview(request, fetched) {
    const body = bodyToSign(request, fetched.explanation);
    if (body === undefined) {
      return showAlert(alertBox, messagesOf("sign-form").readAsOther);
    }
    reviewed = { request, review: fetched, body };
    getElement("review-content", HTMLElement).replaceChildren(...fetched.content);
    // Copies the warnings of the form, which is now hidden.
    const copies = [...form.querySelectorAll("#offer .danger")].map((node) => node.cloneNode(true));
    getElement("review-intent", HTMLElement).prepend(...copies);
    signButton.textContent = findBox() === undefined
      ? messagesOf("sign-form").sign
      : messagesOf("sign-form").signAnyway;
    signButton.hidden = document.getElementById("review-refusal") !== null;
    delaySigning();
    fields.disabled = true;
    form.hidden = true;
    review.hidden = false;
    review.focus();
  }

  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(alertBox);
      hideSigned();
      const { kind, text } = read();
      const request = makeRequest(kind, text);
      showReview(request, await fetchReview(keyId, request.body));
    }, fail));

  signButton.addEventListener("click", () =>
    void whileBusy(signButton, async () => {
      if (reviewed === undefined) return;
      clearAlert(alertBox);
      const { request, review: { explanation, subject }, body } = reviewed;
      const answer = await awaitSignature(
        await sign(keyId, request.action, body),
        explanation.digest,
        (message) => {
          draftStatus.textContent = message;
        },
      );
      const values = answer === undefined ? undefined : resultOf(explanation, answer);
      if (values === undefined) {
        return showAlert(alertBox, messagesOf("sign-form").notWhatWasShown);
      }
      forgetDraft(keyId);
      change();
      form.hidden = true;
      showSigned(subject, values);
      // The signature was made even if the parts cannot be loaded.
      await refreshParts(["signature-list", "last-signature"]).catch(() => {});
    }, fail));

  review.addEventListener("change", delaySigning);
  getElement("review-cancel", HTMLButtonElement).addEventListener("click", goBack);
  getElement("sign-again", HTMLButtonElement).addEventListener("click", startOver);
  document.addEventListener("keydown", (event) => {
    const isBusy = signButton.ariaBusy === "true" || document.querySelector("dialog[open]") !== null;
    if (event.key === "Escape" && !review.hidden && !isBusy) goBack();
  });
  message.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  for (const choice of form.querySelectorAll("input[name=kind]")) {
    choice.addEventListener("change", () => {
      showKind();
      showChange();
    });
  }
  message.addEventListener("input", showChange);
  showKind();
  restore();

  /**
   * Shows the kinds that a key with this setting signs. If the chosen kind is refused, chooses the first.
   * @param {string} blindSigning
   */
  function offerKinds(blindSigning) {
    for (const kind of form.querySelectorAll(".kind")) {
      if (!(kind instanceof HTMLElement)) continue;
      kind.hidden = (kind.dataset["refusedBy"] ?? "").split(" ").includes(blindSigning);
    }
    if (chosen().closest(".kind[hidden]") !== null) fill({ kind: "personal_sign", text: message.value });
  }

  return { offerKinds };
}
