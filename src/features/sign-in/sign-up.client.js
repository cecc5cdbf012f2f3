// @ts-check
import { ApiError } from "../../ui/browser/api.client.js";
import { sendCode, verifyCode } from "./sign-in-api.client.js";
import { getElement, onSubmit, submitButton, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import { makeFirstPasskey } from "./first-passkey.client.js";
import { isSupported, noSupport } from "../../ui/browser/passkey.client.js";
import { findCodeFault, findSentCode, forgetSentCode, keepSentCode } from "./sent-code.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";

const alertBox = getElement("alert", HTMLElement);
const status = getElement("status", HTMLElement);
const steps = getElement("steps", HTMLOListElement);
const emailForm = getElement("email-form", HTMLFormElement);
const codeForm = getElement("code-form", HTMLFormElement);
const passkeyStep = getElement("passkey-step", HTMLElement);
const passkeyForm = getElement("passkey-form", HTMLFormElement);
const accountExists = getElement("account-exists", HTMLElement);
const email = getElement("email", HTMLInputElement);
const code = getElement("code", HTMLInputElement);
const codeEntry = getElement("code-entry", HTMLElement);
const tries = Number(codeForm.dataset["tries"]);
const resend = getElement("resend", HTMLButtonElement);

const PARTS = [emailForm, codeForm, passkeyStep, accountExists];

/** Seconds for which a code is valid if the response does not say. */
const CODE_LIFETIME = 300;

/**
 * Shows one part of the page, marks its step, announces it to screen readers and moves the focus.
 * @param {HTMLElement} part
 * @param {number} step from 1
 * @param {string} message
 * @param {HTMLElement} focus
 */
function show(part, step, message, focus) {
  for (const one of PARTS) one.hidden = one !== part;
  for (const [index, item] of [...steps.children].entries()) {
    item.ariaCurrent = index + 1 === step ? "step" : null;
    item.classList.toggle("done", index + 1 < step);
  }
  clearAlert(alertBox);
  status.textContent = message;
  focus.focus();
}

/** @returns {string} */
function address() {
  return email.value.trim();
}

/** @param {string} message */
function showCodeStep(message) {
  code.value = "";
  getElement("code-to", HTMLElement).textContent = address();
  showCodeEntry("alive");
  show(codeForm, 2, message, code);
}

/**
 * Shows or hides the code field. A dead code accepts no more tries; the user can only send a new one.
 * @param {"alive" | "dead"} state
 */
function showCodeEntry(state) {
  codeEntry.hidden = state === "dead";
  resend.className = state === "dead" ? "button primary block" : "button link";
}

/** @returns {boolean} false if the code can still be used; otherwise shows why not */
function showIfUnusable() {
  const sent = findSentCode();
  const why = sent && findCodeFault(sent, { tries, now: Date.now() });
  if (why === undefined) return false;
  showCodeEntry("dead");
  showAlert(alertBox, why);
  resend.focus();
  return true;
}

function showPasskeyStep() {
  forgetSentCode();
  getElement("verified-email", HTMLElement).textContent = address();
  show(passkeyStep, 3, messagesOf("sign-up").atPasskey, submitButton(passkeyForm));
}

function showAccountExists() {
  forgetSentCode();
  steps.hidden = true;
  const link = getElement("sign-in-link", HTMLAnchorElement);
  link.search = location.search;
  show(accountExists, 2, messagesOf("sign-up").accountExists, link);
}

/** @param {HTMLButtonElement} button @param {() => Promise<void>} job @returns {Promise<void>} */
function attempt(button, job) {
  return whileBusy(button, () => {
    clearAlert(alertBox);
    status.textContent = "";
    return job();
  }, (error) => showFailure(alertBox, error));
}

async function send() {
  const { expiresIn = CODE_LIFETIME } = await sendCode(address());
  keepSentCode({ email: address(), deadline: Date.now() + expiresIn * 1000, wrong: 0 });
}

/**
 * Verifies the code. Returns undefined after the last wrong try, which makes the code invalid, and shows that.
 * @param {string} digits
 */
async function check(digits) {
  try {
    return await verifyCode(address(), digits);
  } catch (error) {
    const sent = findSentCode();
    if (sent === undefined || !(error instanceof ApiError) || error.problem.code !== "invalid_code") {
      throw error;
    }
    keepSentCode({ ...sent, wrong: sent.wrong + 1 });
    if (showIfUnusable()) return undefined;
    throw error;
  }
}

onSubmit(emailForm, () =>
  attempt(submitButton(emailForm), async () => {
    await send();
    showCodeStep(fill(messagesOf("sign-up").askedForCode, { address: address() }));
  }));

onSubmit(codeForm, () =>
  attempt(submitButton(codeForm), async () => {
    if (showIfUnusable()) return;
    // Accepts spaces, dashes and full-width digits.
    const digits = code.value.normalize("NFKC").replace(/\D/g, "");
    if (digits.length !== 6) {
      showAlert(alertBox, messagesOf("sign-up").sixDigits);
      code.focus();
      return;
    }
    const answer = await check(digits);
    if (answer?.next === "sign_in") showAccountExists();
    else if (answer !== undefined) showPasskeyStep();
  }));

resend.addEventListener("click", () =>
  void attempt(resend, async () => {
    await send();
    showCodeStep(fill(messagesOf("sign-up").askedAgain, { address: address() }));
  }));

getElement("other-address", HTMLButtonElement).addEventListener("click", () => {
  forgetSentCode();
  show(emailForm, 1, messagesOf("sign-up").atAddress, email);
});

/**
 * Returns true if a new account is the one whose address was verified on this page, or before it was loaded.
 * @param {{ readonly id: string, readonly name: string }} user
 */
function isVerifiedHere({ id, name }) {
  const { user } = passkeyForm.dataset;
  // The service writes addresses with ASCII letters in lower case.
  return user === undefined
    ? name === address().replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : id === user;
}

onSubmit(passkeyForm, () => attempt(submitButton(passkeyForm), () => makeFirstPasskey(isVerifiedHere)));

/** Resumes a sign-up that has sent a code. */
function resume() {
  const sent = findSentCode();
  if (sent === undefined || !passkeyStep.hidden) return;
  email.value = sent.email;
  showCodeStep(fill(messagesOf("sign-up").askedForCode, { address: address() }));
  showIfUnusable();
}

if (isSupported()) {
  unlock();
  resume();
} else {
  showAlert(alertBox, noSupport());
}
