// @ts-check
import { getElement, onSubmit, submitButton, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import { makeFirstPasskey } from "./first-passkey.client.js";
import { isSupported, noSupport } from "../../ui/browser/passkey.client.js";

const alertBox = getElement("alert", HTMLElement);
const form = getElement("passkey-form", HTMLFormElement);
const button = submitButton(form);

onSubmit(form, () =>
  whileBusy(button, () => {
    clearAlert(alertBox);
    return makeFirstPasskey(({ id }) => id === form.dataset["user"]);
  }, (error) => showFailure(alertBox, error)));

if (isSupported()) {
  unlock();
} else {
  showAlert(alertBox, noSupport());
}
