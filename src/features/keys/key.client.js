// @ts-check
import { archiveKey, changeKey } from "./keys-api.client.js";
import { enableAttestation } from "./attestation.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { enablePolicy } from "./key-policy.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { enableSigning } from "./sign-form/sign-form.client.js";
import { restoreUnsent } from "../../ui/browser/unsent.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";

const { keyId = "", address = "" } = getElement("key", HTMLElement).dataset;
const settingsAlert = getElement("settings-alert", HTMLElement);
const settingsStatus = getElement("settings-status", HTMLElement);

/** @param {string} message */
function show(message) {
  settingsStatus.textContent = message;
}

/**
 * Saves one setting when its form is submitted. If the service requires a fresh sign-in, the user confirms the change
 * with a passkey, and it continues.
 * @param {string} formId
 * @param {() => { readonly label?: string, readonly blindSigning?: string }} read
 * @param {(key: import("../../api/key.ts").KeyView) => string | Promise<string>} done returns the message to
 * show afterwards
 */
function enableSetting(formId, read, done) {
  const form = getElement(formId, HTMLFormElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(settingsAlert);
      show("");
      // Read now: the user may edit the form while the browser asks for the passkey.
      const change = read();
      const { key } = await withFreshSession(`loosen_key:${keyId}`, show, () => changeKey(keyId, change));
      show(await done(key));
    }, (error) => showFailure(settingsAlert, error, [formId])));
}

async function refreshLabel() {
  // The label is saved even if the page cannot be loaded.
  await refreshParts(["key-label", "archive-what", "sign-key", "signed-key"]).catch(() => {});
  document.title = `${getElement("key-label", HTMLElement).textContent} · Holdfast`;
}

function enableArchiving() {
  const dialog = getElement("archive-dialog", HTMLDialogElement);
  const form = getElement("archive-form", HTMLFormElement);
  const alertBox = getElement("archive-alert", HTMLElement);
  const action = form.dataset["action"] === "unarchive" ? "unarchive" : "archive";
  getElement("archive-button", HTMLButtonElement).addEventListener("click", () => {
    clearAlert(alertBox);
    dialog.showModal();
  });
  getElement("archive-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      await archiveKey(keyId, action);
      location.reload();
    }, (error) => showFailure(alertBox, error)));
}

const signing = document.getElementById("sign-form") === null ? undefined : enableSigning(keyId, address);
enableCopying();
enableSetting("label-form", () => ({ label: getElement("label", HTMLInputElement).value }), async () => {
  await refreshLabel();
  return messagesOf("key").labelSaved;
});
enableSetting(
  "blind-signing-form",
  () => ({ blindSigning: getElement("blind-signing", HTMLSelectElement).value }),
  ({ blindSigning }) => {
    signing?.offerKinds(blindSigning);
    return messagesOf("key").blindSigningSaved;
  },
);
enableArchiving();
enablePolicy(keyId);
enableAttestation(keyId);
unlock();
restoreUnsent(settingsStatus);
