// @ts-check
import { getCreationOptions, registerPasskey } from "./api.client.js";
import { getElement, nextPath, onSubmit, submitButton, unlock, whileBusy } from "./dom.client.js";
import { clearAlert, showAlert, showFailure } from "./failure.client.js";
import { createPasskey, isSupported, noSupport } from "./passkey.client.js";

const alertBox = getElement("alert", HTMLElement);
const form = getElement("passkey-form", HTMLFormElement);
const button = submitButton(form);

onSubmit(form, () =>
  whileBusy(button, async () => {
    clearAlert(alertBox);
    const response = await createPasskey(await getCreationOptions("new"));
    await registerPasskey(response, undefined, "new");
    // On the way: a second passkey or recovery codes, or later.
    location.assign(`/account/recovery?next=${encodeURIComponent(nextPath(location.search))}`);
  }, (error) => showFailure(alertBox, error)));

if (isSupported()) {
  unlock();
} else {
  showAlert(alertBox, noSupport());
}
