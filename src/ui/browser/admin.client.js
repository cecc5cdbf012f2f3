// @ts-check
import { getStepUpOptions, stepUp } from "./api.client.js";
import { enableCopying, getElement } from "./dom.client.js";
import { clearAlert, showFailure } from "./failure.client.js";
import { confirmWithPasskey } from "./passkey.client.js";
import { showLocalTimes } from "./times.client.js";

enableCopying();
showLocalTimes(document);

const entrance = document.querySelector("#passkey-entrance");

/** @param {HTMLFormElement} form */
async function enter(form) {
  const alertBox = getElement("alert", HTMLElement);
  clearAlert(alertBox);
  try {
    const options = await getStepUpOptions("administer");
    await stepUp("administer", await confirmWithPasskey(options, new AbortController().signal));
    form.submit();
  } catch (error) {
    showFailure(alertBox, error);
  }
}

// Who signed in just now need not use the passkey again: the form goes as it is.
if (entrance instanceof HTMLFormElement && entrance.dataset["sign"] === "stale") {
  entrance.addEventListener("submit", (event) => {
    event.preventDefault();
    void enter(entrance);
  });
}
