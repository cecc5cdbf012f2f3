// @ts-check
import { ApiError, explain, sign } from "./api.client.js";
import { signedAtLast } from "./approval.client.js";
import { getElement, onSubmit, submitButton, whileBusy } from "./dom.client.js";
import { findDraft, forgetDraft, keepDraft } from "./draft.client.js";
import { explanationNodes } from "./explanation.client.js";
import { clearAlert, refusalSentence, showAlert, showFailure } from "./failure.client.js";
import { intentNodes, isDangerous, isUnderstood } from "./intent.client.js";
import { enableOffer } from "./offer.client.js";
import { refreshParts } from "./refresh.client.js";
import { bodyToSign, kindOf, labelOf, makeRequest, resultOf } from "./sign-request.client.js";
import { hideSigned, showSigned } from "./signed.client.js";
import { wordsOf } from "./words.client.js";

/**
 * @typedef {import("./api.client.js").Explanation} Explanation
 * @typedef {import("./sign-request.client.js").SignRequest} SignRequest
 */

/** How long the button that signs stays dead after it appears: a double click on the one before must not reach it. */
const GUARD_TIME = 500;

/**
 * Makes the section that signs work.
 * @param {string} keyId
 * @param {string} address of the key
 * @returns {{ readonly offerKinds: (blindSigning: string) => void }} to be called when the key's setting has changed
 */
export function enableSigning(keyId, address) {
  const form = getElement("sign-form", HTMLFormElement);
  const fields = getElement("sign-fields", HTMLFieldSetElement);
  const message = getElement("message", HTMLTextAreaElement);
  const alertBox = getElement("sign-alert", HTMLElement);
  const review = getElement("review", HTMLElement);
  const signButton = getElement("sign-button", HTMLButtonElement);
  const refusal = getElement("review-refusal", HTMLElement);
  const draftStatus = getElement("draft-status", HTMLElement);
  const anyway = getElement("review-anyway", HTMLElement);
  const anywayBox = getElement("review-anyway-box", HTMLInputElement);
  const allFields = getElement("review-all", HTMLDetailsElement);

  /**
   * What was reviewed: exactly this is signed.
   * @type {{ request: SignRequest, explanation: Explanation, body: string } | undefined}
   */
  let reviewed;

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let guard;

  /** The choice that is made, which stays readable while the form is locked. */
  function chosen() {
    const choice = form.querySelector("input[name=kind]:checked");
    if (!(choice instanceof HTMLInputElement)) throw new TypeError("Cannot sign: nothing is chosen");
    return choice;
  }

  /** What the form holds. */
  function read() {
    return { kind: chosen().value, text: message.value };
  }

  /**
   * Puts a text into the form.
   * @param {{ readonly kind: string, readonly text: string }} value
   */
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
    use(recognised) {
      fill(recognised);
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

  /** Takes the review back, and shows the form again: nothing can be signed until there is a new one. */
  function change() {
    reviewed = undefined;
    review.hidden = true;
    form.hidden = false;
    fields.disabled = false;
  }

  /** Goes back to the form, where the person was. */
  function goBack() {
    clearAlert(alertBox);
    change();
    message.focus();
  }

  /** Takes the place of what was signed by the form, with the text ready to be written over. */
  function startAnew() {
    hideSigned();
    change();
    message.focus();
    message.select();
  }

  /**
   * What the explanation shows besides the sentence: a text itself; of anything else its fields, to be opened by whoever
   * wants them, and open where nothing else says what it is.
   * @param {SignRequest} request
   * @param {Explanation} explanation
   */
  function showFields(request, explanation) {
    const nodes = explanationNodes(explanation, request);
    const isMessage = explanation.kind === "message";
    getElement("review-tree", HTMLElement).replaceChildren(...(isMessage ? nodes : []));
    getElement("review-fields", HTMLElement).replaceChildren(...(isMessage ? [] : nodes));
    getElement("review-digest", HTMLElement).textContent = explanation.digest;
    allFields.querySelector("summary")?.replaceChildren(
      isMessage ? wordsOf("sign").digest : wordsOf("sign").allFields,
    );
    allFields.open = !isMessage && !isUnderstood(explanation.intent);
  }

  /** The button is dead for a while, and for as long as a danger is not acknowledged. */
  function holdBack() {
    signButton.disabled = true;
    clearTimeout(guard);
    guard = setTimeout(() => signButton.disabled = !anyway.hidden && !anywayBox.checked, GUARD_TIME);
  }

  function showKind() {
    const { value, dataset } = chosen();
    const { isBlind, isProse } = kindOf(value);
    getElement("message-label", HTMLElement).textContent = labelOf(value);
    getElement("kind-hint", HTMLElement).textContent = dataset["hint"] ?? "";
    getElement("blind-warning", HTMLElement).hidden = !isBlind;
    message.classList.toggle("mono", !isProse);
  }

  /** The form is about something else than before: what was said and signed of that goes, and the text is kept. */
  function showChange() {
    hideSigned();
    draftStatus.textContent = "";
    const warning = offer.look();
    const { kind, text } = read();
    keepDraft(keyId, { kind, message: text, warning });
  }

  /** Brings back what was written before the page was left. */
  function restore() {
    const draft = findDraft(keyId);
    const choice = `.kind:not([hidden]) input[value="${CSS.escape(draft?.kind ?? "")}"]`;
    if (draft === undefined || form.querySelector(choice) === null) return;
    offer.remember(draft.warning);
    fill({ kind: draft.kind, text: draft.message });
    showChange();
    const { sessionEnded, stillHere } = wordsOf("sign");
    draftStatus.textContent = draft.hasSessionEnded ? `${sessionEnded} ${stillHere}` : stillHere;
  }

  /**
   * @param {SignRequest} request
   * @param {Explanation} explanation
   */
  function showReview(request, explanation) {
    const body = bodyToSign(request, explanation);
    if (body === undefined) {
      return showAlert(alertBox, wordsOf("sign").readAsOther);
    }
    reviewed = { request, explanation, body };
    showFields(request, explanation);
    // What speaks against signing it stood in the form, which is away now.
    const said = [...form.querySelectorAll("#offer .danger")].map((node) => node.cloneNode(true));
    getElement("review-intent", HTMLElement).replaceChildren(...said, ...intentNodes(explanation.intent));
    const danger = isDangerous(explanation.intent);
    anyway.hidden = !danger || Boolean(explanation.refusal);
    anywayBox.checked = false;
    signButton.textContent = danger ? wordsOf("sign").signAnyway : wordsOf("sign").sign;
    refusal.hidden = !explanation.refusal;
    refusal.textContent = explanation.refusal ? refusalSentence(explanation.refusal) : "";
    signButton.hidden = Boolean(explanation.refusal);
    holdBack();
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
      showReview(request, await explain(keyId, request.body));
    }, fail));

  signButton.addEventListener("click", () =>
    void whileBusy(signButton, async () => {
      if (reviewed === undefined) return;
      clearAlert(alertBox);
      const { request, explanation, body } = reviewed;
      const answer = await signedAtLast(
        await sign(keyId, request.action, body),
        explanation.digest,
        (words) => {
          draftStatus.textContent = words;
        },
      );
      const values = answer === undefined ? undefined : resultOf(explanation, answer);
      if (values === undefined) {
        return showAlert(alertBox, wordsOf("sign").notWhatWasShown);
      }
      forgetDraft(keyId);
      change();
      form.hidden = true;
      showSigned(request, explanation, values);
      // It is signed all the same where they cannot be had.
      await refreshParts(["signature-list", "last-signature"]).catch(() => {});
    }, fail));

  anywayBox.addEventListener("change", holdBack);
  getElement("review-cancel", HTMLButtonElement).addEventListener("click", goBack);
  getElement("sign-again", HTMLButtonElement).addEventListener("click", startAnew);
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
   * Offers what a key with this setting signs. A choice that it refuses goes back to the first.
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
