// @ts-check
import { addPasskey } from "../../ui/browser/add-passkey.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import { isAlreadyHere, isSupported, noSupport } from "../../ui/browser/passkey.client.js";
import { cancelRecovery, changeRecoverySettings, makeRecoveryCodes } from "./recovery-api.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";

const alertBox = getElement("alert", HTMLElement);

/**
 * Runs a job that may need a fresh sign-in when a form is submitted. Does nothing if the page does not have the form.
 * @param {string} formId
 * @param {string} statusId the element that shows messages
 * @param {(show: (message: string) => void) => Promise<void>} job
 */
function onForm(formId, statusId, job) {
  const form = document.getElementById(formId);
  if (!(form instanceof HTMLFormElement)) return;
  const status = document.getElementById(statusId) ?? alertBox;
  /** @param {string} message */
  const show = (message) => {
    status.textContent = message;
  };
  onSubmit(form, () =>
    whileBusy(submitButton(form), () => {
      clearAlert(alertBox);
      show("");
      return job(show);
    }, (error) => {
      if (isAlreadyHere(error)) show(/** @type {Error} */ (error).message);
      else showFailure(alertBox, error);
    }));
}

/** Replaces "Later" with "Go on" once the user has added a passkey or made codes. */
function offerGoingOn() {
  const link = document.getElementById("way-on");
  if (link === null) return;
  link.textContent = getElement("recovery-settings", HTMLElement).dataset["goOn"] ?? "";
  link.classList.add("primary");
}

onForm("passkey-form", "passkey-status", async (show) => {
  show(fill(messagesOf("recovery-settings").added, { name: await addPasskey(show) }));
  offerGoingOn();
});

onForm("codes-form", "codes-status", async (show) => {
  const { codes } = await withFreshSession("change_recovery", show, makeRecoveryCodes);
  getElement("code-list", HTMLElement).textContent = codes.join("\n");
  getElement("codes-shown", HTMLElement).hidden = false;
  getElement("codes-state", HTMLElement).hidden = true;
  getElement("codes-form", HTMLElement).hidden = true;
  show(messagesOf("recovery-settings").made);
  offerGoingOn();
});

onForm("choices-form", "choices-status", async (show) => {
  const alone = document.getElementById("email-alone");
  const choices = {
    delayHours: Number(getElement("delay", HTMLSelectElement).value),
    ...(alone instanceof HTMLInputElement ? { emailAlone: alone.checked } : {}),
  };
  await withFreshSession("change_recovery", show, () => changeRecoverySettings(choices));
  show(messagesOf("recovery-settings").saved);
});

onForm("cancel-form", "alert", async (show) => {
  await withFreshSession("change_recovery", show, cancelRecovery);
  location.reload();
});

if (!isSupported()) showAlert(alertBox, noSupport());
enableCopying();
unlock();
