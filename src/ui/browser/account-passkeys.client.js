// @ts-check
import { deletePasskey, getCreationOptions, registerPasskey, renamePasskey } from "./api.client.js";
import { getElement, onSubmit, submitButton, whileBusy } from "./dom.client.js";
import { clearAlert, showFailure } from "./failure.client.js";
import { createPasskey, isAlreadyHere, isSupported } from "./passkey.client.js";
import { refreshParts } from "./refresh.client.js";
import { signalPasskeys } from "./signals.client.js";
import { withFreshSession } from "./step-up.client.js";

const alertBox = getElement("passkeys-alert", HTMLElement);
const status = getElement("passkeys-status", HTMLElement);

/** @param {string} words */
function say(words) {
  status.textContent = words;
}

/**
 * Shows the lists as they are now and tells what was done, where the person reads on.
 * @param {string} words
 * @returns {Promise<void>}
 */
async function showDone(words) {
  const isShown = await refreshParts(["passkey-list", "session-list", "activity-list"])
    .then(() => true, () => false);
  say(isShown ? words : `${words} Load the page again to see it.`);
  // The button that was pressed may be gone with its row.
  if (document.activeElement === document.body) status.focus();
  await signalPasskeys();
}

/**
 * Makes a passkey and registers it. Whatever comes of the registration, the browser is told what counts: a passkey that
 * the service refused must not be offered.
 * @param {string} name
 * @returns {Promise<string>} the name it got
 */
async function addPasskey(name) {
  const options = await withFreshSession("add_passkey", say, getCreationOptions);
  const response = await createPasskey(options);
  try {
    const { passkey } = await withFreshSession(
      "add_passkey",
      say,
      () => registerPasskey(response, name === "" ? undefined : name),
    );
    return passkey?.name ?? name;
  } catch (error) {
    void signalPasskeys();
    throw error;
  }
}

function enableAdding() {
  const form = getElement("add-form", HTMLFormElement);
  const field = getElement("add-name", HTMLInputElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(alertBox);
      say("");
      const name = await addPasskey(field.value.trim());
      field.value = "";
      await showDone(`“${name}” was added. We have sent you a mail about it.`);
    }, (error) => {
      // Nothing failed: it is there.
      if (isAlreadyHere(error)) say(/** @type {Error} */ (error).message);
      else showFailure(alertBox, error);
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
      await showDone(`The passkey is now called “${passkey.name}”.`);
    }, (error) => showFailure(dialogAlert, error)));
  return (button) => {
    passkeyId = button.dataset["passkeyId"] ?? "";
    const name = button.dataset["name"] ?? "";
    getElement("rename-what", HTMLElement).textContent = name;
    field.value = name;
    clearAlert(dialogAlert);
    clearAlert(alertBox);
    say("");
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
  let asked = { passkeyId: "", name: "", isCurrent: false };
  /** @param {string} words */
  const sayInDialog = (words) => {
    dialogStatus.textContent = words;
  };
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(dialogAlert);
      const { passkeyId, name, isCurrent } = asked;
      await withFreshSession(`delete_passkey:${passkeyId}`, sayInDialog, () => deletePasskey(passkeyId));
      if (isCurrent) return location.assign("/signed-out");
      dialog.close();
      await showDone(`“${name}” was deleted. We have sent you a mail about it.`);
    }, (error) => showFailure(dialogAlert, error)));
  return (button) => {
    asked = {
      passkeyId: button.dataset["passkeyId"] ?? "",
      name: button.dataset["name"] ?? "",
      isCurrent: button.dataset["current"] === "yes",
    };
    getElement("delete-what", HTMLElement).textContent = asked.name;
    getElement("delete-current", HTMLElement).hidden = !asked.isCurrent;
    clearAlert(dialogAlert);
    clearAlert(alertBox);
    say("");
    dialog.showModal();
  };
}

/**
 * Makes the section of passkeys work.
 * @returns {Readonly<Record<string, (button: HTMLButtonElement) => void>>} what its buttons do
 */
export function enablePasskeys() {
  if (isSupported()) enableAdding();
  else {
    getElement("add-form", HTMLFormElement).hidden = true;
    say(
      "This browser cannot make passkeys. To add one, bring it up to date, or use another browser or device.",
    );
  }
  return { rename: enableRenaming(), delete: enableDeleting() };
}
