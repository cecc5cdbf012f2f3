// @ts-check
import { getElement, onSubmit, submitButton, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import { createPasskey, isSupported, noSupport } from "../../ui/browser/passkey.client.js";
import {
  beginRecovery,
  finishRecovery,
  getRecoveryOptions,
  sendRecoveryCode,
} from "./recovery-api.client.js";
import { showLocalTimes } from "../../ui/browser/times.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";

/** @typedef {import("./recovery-api.client.js").Evidence} Evidence */

showLocalTimes(document);

const alertBox = getElement("alert", HTMLElement);
const status = getElement("status", HTMLElement);

/** @param {string} id @returns {HTMLFormElement | undefined} */
function findForm(id) {
  const form = document.getElementById(id);
  return form instanceof HTMLFormElement ? form : undefined;
}

/** @param {string} id @returns {string} the trimmed text of a field; empty if the page does not have it */
function typed(id) {
  const field = document.getElementById(id);
  return field instanceof HTMLInputElement ? field.value.trim() : "";
}

/** @returns {Evidence} */
function evidence() {
  const recoveryCode = typed("recovery-code");
  return {
    ...(typed("email") === "" ? {} : { email: typed("email"), code: typed("code") }),
    ...(recoveryCode === "" ? {} : { recoveryCode }),
  };
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
  const email = typed("email");
  await sendRecoveryCode(email);
  const addressForm = findForm("address-form");
  const next = findForm("begin-form") ?? findForm("finish-form");
  if (addressForm !== undefined) addressForm.hidden = true;
  if (next !== undefined) next.hidden = false;
  status.textContent = fill(messagesOf("recover").sent, { email });
  const code = getElement("code", HTMLInputElement);
  code.value = "";
  code.focus();
}

/**
 * Runs a job when a form is submitted. Does nothing if the page does not have the form.
 * @param {string} id
 * @param {() => Promise<void>} job
 */
function onForm(id, job) {
  const form = findForm(id);
  if (form !== undefined) onSubmit(form, () => attempt(submitButton(form), job));
}

/**
 * Begins a recovery and reloads the page, which finds it by the cookie of this browser.
 * @param {Evidence} shown
 */
async function begin(shown) {
  await beginRecovery(shown);
  status.textContent = messagesOf("recover").begun;
  location.reload();
}

/**
 * The options of a failed ceremony, to try again with: their code is used, and they are valid for five minutes.
 * @type {{ readonly options: PublicKeyCredentialCreationOptionsJSON, readonly shown: string } | undefined}
 */
let begun;

async function finish() {
  const shown = JSON.stringify(evidence());
  if (begun?.shown !== shown) begun = { options: await getRecoveryOptions(evidence()), shown };
  const response = await createPasskey(begun.options);
  begun = undefined;
  await finishRecovery(response);
  location.assign("/account");
}

if (isSupported()) {
  onForm("address-form", send);
  onForm("begin-form", () => begin(evidence()));
  onForm("alone-form", () => begin({ recoveryCode: typed("only-code") }));
  onForm("finish-form", finish);
  const resend = document.getElementById("resend");
  if (resend instanceof HTMLButtonElement) resend.addEventListener("click", () => void attempt(resend, send));
  unlock();
} else {
  showAlert(alertBox, noSupport());
}
