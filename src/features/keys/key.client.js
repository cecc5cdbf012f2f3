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
// The layout names the service here.
const serviceName = document.querySelector("meta[name=application-name]")?.getAttribute("content");
const settingsAlert = getElement("settings-alert", HTMLElement);
const settingsStatus = getElement("settings-status", HTMLElement);

/** @param {string} message */
function show(message) {
  settingsStatus.textContent = message;
}

const signing = document.getElementById("sign-form") === null ? undefined : enableSigning(keyId, address);

/**
 * Updates what else on the page depends on a setting.
 * @type {Readonly<Record<string, (key: import("../../api/key.ts").KeyView) => unknown>>}
 */
const REFRESH = {
  async label() {
    // The label is saved even if the page cannot be loaded.
    await refreshParts(["key-label", "archive-what", "sign-key", "signed-key"]).catch(() => {});
    document.title = `${getElement("key-label", HTMLElement).textContent} · ${serviceName}`;
  },
  blindSigning: (key) => signing?.offerKinds(key.blindSigning),
};

/** @type {Readonly<Record<string, string>>} */
const SAVED = messagesOf("key").saved;

/**
 * Saves a setting when its form is submitted. If the service requires a fresh sign-in, the user confirms the change
 * with a passkey, and it continues.
 * @param {HTMLFormElement} form
 */
function enableSetting(form) {
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(settingsAlert);
      show("");
      // Read now: the user may edit the form while the browser asks for the passkey.
      const change = Object.fromEntries(new FormData(form));
      const { key } = await withFreshSession(`loosen_key:${keyId}`, show, () => changeKey(keyId, change));
      const [name = ""] = Object.keys(change);
      await REFRESH[name]?.(key);
      show(SAVED[name] ?? "");
    }, (error) => showFailure(settingsAlert, error, [form.id])));
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

enableCopying();
for (const form of document.querySelectorAll("form.setting")) {
  if (form instanceof HTMLFormElement) enableSetting(form);
}
enableArchiving();
// First: the builder shows the policy that it finds.
restoreUnsent(settingsStatus);
enablePolicy(keyId);
enableAttestation(keyId);
unlock();
