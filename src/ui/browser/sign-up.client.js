// @ts-check
import { getCreationOptions, registerPasskey, sendCode, verifyCode } from "./api.client.js";
import { getElement, nextPath, onSubmit, submitButton, unlock, whileBusy } from "./dom.client.js";
import { clearAlert, showAlert, showFailure } from "./failure.client.js";
import { createPasskey, isSupported, NO_SUPPORT } from "./passkey.client.js";

const alertBox = getElement("alert", HTMLElement);
const status = getElement("status", HTMLElement);
const steps = getElement("steps", HTMLOListElement);
const emailForm = getElement("email-form", HTMLFormElement);
const codeForm = getElement("code-form", HTMLFormElement);
const passkeyForm = getElement("passkey-form", HTMLFormElement);
const accountExists = getElement("account-exists", HTMLElement);
const email = getElement("email", HTMLInputElement);
const code = getElement("code", HTMLInputElement);
const resend = getElement("resend", HTMLButtonElement);

const PARTS = [emailForm, codeForm, passkeyForm, accountExists];

/**
 * Shows one part of the page, marks its step and tells screen readers; the focus goes to what comes next.
 * @param {HTMLElement} part
 * @param {number} step from 1
 * @param {string} words
 * @param {HTMLElement} focus
 */
function show(part, step, words, focus) {
  for (const one of PARTS) one.hidden = one !== part;
  for (const [index, item] of [...steps.children].entries()) {
    item.ariaCurrent = index + 1 === step ? "step" : null;
    item.classList.toggle("done", index + 1 < step);
  }
  clearAlert(alertBox);
  status.textContent = words;
  focus.focus();
}

/** @returns {string} */
function address() {
  return email.value.trim();
}

function showCodeStep() {
  code.value = "";
  show(codeForm, 2, `Step 2 of 3: we sent a code to ${address()}.`, code);
}

function showPasskeyStep() {
  show(passkeyForm, 3, "Step 3 of 3: your address is confirmed.", submitButton(passkeyForm));
}

function showAccountExists() {
  steps.hidden = true;
  const link = getElement("sign-in-link", HTMLAnchorElement);
  link.search = location.search;
  show(accountExists, 2, "This address already has an account.", link);
}

/** @param {unknown} error */
function fail(error) {
  showFailure(alertBox, error);
}

/**
 * @param {HTMLButtonElement} button
 * @param {() => Promise<void>} job
 * @returns {Promise<void>}
 */
function attempt(button, job) {
  return whileBusy(button, () => {
    clearAlert(alertBox);
    return job();
  }, fail);
}

onSubmit(emailForm, () =>
  attempt(submitButton(emailForm), async () => {
    await sendCode(address());
    showCodeStep();
  }));

onSubmit(codeForm, () =>
  attempt(submitButton(codeForm), async () => {
    // Digits only, however they were typed: spaces, dashes, full-width digits.
    const digits = code.value.normalize("NFKC").replace(/\D/g, "");
    if (digits.length !== 6) {
      showAlert(alertBox, "The code has six digits.");
      code.focus();
      return;
    }
    const { next } = await verifyCode(address(), digits);
    if (next === "sign_in") showAccountExists();
    else showPasskeyStep();
  }));

resend.addEventListener("click", () =>
  void attempt(resend, async () => {
    await sendCode(address());
    showCodeStep();
    status.textContent = `We sent a new code to ${address()}. The old one no longer works.`;
  }));

getElement("other-address", HTMLButtonElement).addEventListener("click", () => {
  show(emailForm, 1, "Step 1 of 3: your e-mail address.", email);
});

onSubmit(passkeyForm, () =>
  attempt(submitButton(passkeyForm), async () => {
    const response = await createPasskey(await getCreationOptions("new"));
    await registerPasskey(response, undefined, "new");
    location.assign(nextPath(location.search));
  }));

if (isSupported()) {
  unlock();
} else {
  showAlert(alertBox, NO_SUPPORT);
}
