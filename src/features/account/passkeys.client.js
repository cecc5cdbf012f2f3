// @ts-check

import { renamePasskey } from "./account-api.client.js";
import { addPasskey } from "../../ui/browser/add-passkey.client.js";
import { getElement, onSubmit, showRowTitle, submitButton, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";
import { isAlreadyHere, isSupported } from "../../ui/browser/passkey.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { deletePasskey } from "../../ui/browser/removal.client.js";
import { signalPasskeys, signalUnknown } from "../../ui/browser/signals.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";

/** @typedef {import("../../ui/browser/api.client.js").Passkey} Passkey */

const alertBox = getElement("add-alert", HTMLElement);

const addStatus = getElement("add-status", HTMLElement);

const listStatus = getElement("passkeys-status", HTMLElement);

/**
 * Reloads the lists and shows what was done.
 * @param {HTMLElement} status the region that shows the message and takes the focus
 * @param {string} message
 */
async function showDone(status, message) {
  const isShown = await refreshParts(["passkey-list", "session-list", "activity-list"])
    .then(() => true, () => false);
  status.textContent = isShown ? message : `${message} ${messagesOf("passkeys").loadAgain}`;
  // The pressed button may have been removed with its row.
  if (document.activeElement === document.body) status.focus();
  await signalPasskeys();
}

function clearMessages() {
  clearAlert(alertBox);
  addStatus.textContent = "";
  listStatus.textContent = "";
}

/** @param {string} message */
function showInForm(message) {
  addStatus.textContent = message;
}

function enableAdding() {
  const form = getElement("add-form", HTMLFormElement);
  const field = getElement("add-name", HTMLInputElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearMessages();
      const name = await addPasskey(showInForm, field.value.trim() || undefined);
      field.value = "";
      await showDone(addStatus, fill(messagesOf("passkeys").added, { name }));
    }, (error) => {
      // Not a failure: the authenticator already has a passkey of this account.
      if (isAlreadyHere(error)) showInForm(/** @type {Error} */ (error).message);
      else showFailure(alertBox, error, [form.id]);
    }));
}

/** @returns {(button: HTMLButtonElement) => void} */
function enableRenaming() {
  const dialog = getElement("rename-dialog", HTMLDialogElement);
  const form = getElement("rename-form", HTMLFormElement);
  const field = getElement("rename-name", HTMLInputElement);
  const dialogAlert = getElement("rename-alert", HTMLElement);
  let passkeyId = "";
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(dialogAlert);
      const { passkey } = await renamePasskey(passkeyId, field.value);
      dialog.close();
      await showDone(listStatus, fill(messagesOf("passkeys").renamed, { name: passkey.name }));
    }, (error) => showFailure(dialogAlert, error)));
  return (button) => {
    passkeyId = button.dataset["passkeyId"] ?? "";
    const name = button.dataset["name"] ?? "";
    showRowTitle(button, "rename-what");
    field.value = name;
    clearAlert(dialogAlert);
    clearMessages();
    dialog.showModal();
    field.select();
  };
}

/** @returns {(button: HTMLButtonElement) => void} */
function enableDeleting() {
  const dialog = getElement("delete-dialog", HTMLDialogElement);
  const form = getElement("delete-form", HTMLFormElement);
  const dialogAlert = getElement("delete-alert", HTMLElement);
  const dialogStatus = getElement("delete-status", HTMLElement);
  let selected = { passkeyId: "", credentialId: "", name: "", isCurrent: false };
  /** Aborts the deletion that the dialog is about when the dialog closes. */
  let controller = new AbortController();
  /** @param {string} message */
  const showInDialog = (message) => {
    dialogStatus.textContent = message;
  };
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(dialogAlert);
      const { passkeyId, credentialId, name, isCurrent } = selected;
      const { signal } = controller;
      await withFreshSession(
        `delete_passkey:${passkeyId}`,
        showInDialog,
        () => deletePasskey(passkeyId),
        signal,
      );
      if (isCurrent) {
        // The session has ended, so the list of remaining passkeys cannot be fetched.
        void signalUnknown(location.hostname, credentialId);
        return location.assign("/signed-out");
      }
      dialog.close();
      await showDone(listStatus, fill(messagesOf("passkeys").deleted, { name }));
    }, (error) => {
      const isAborted = error instanceof DOMException && error.name === "AbortError";
      if (!isAborted) showFailure(dialogAlert, error);
    }));
  dialog.addEventListener("close", () => controller.abort());
  return (button) => {
    selected = {
      passkeyId: button.dataset["passkeyId"] ?? "",
      credentialId: button.dataset["credentialId"] ?? "",
      name: button.dataset["name"] ?? "",
      isCurrent: button.dataset["current"] === "yes",
    };
    showRowTitle(button, "delete-what");
    getElement("delete-current", HTMLElement).hidden = !selected.isCurrent;
    clearAlert(dialogAlert);
    clearMessages();
    controller = new AbortController();
    dialog.showModal();
  };
}

/** @returns {Readonly<Record<string, (button: HTMLButtonElement) => void>>} the handlers of its buttons */
export function enablePasskeys() {
  if (isSupported()) enableAdding();
  else {
    getElement("add-form", HTMLFormElement).hidden = true;
    listStatus.textContent = messagesOf("passkeys").cannotMake;
  }
  return { rename: enableRenaming(), delete: enableDeleting() };
}
