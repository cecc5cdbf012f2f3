// @ts-check
import { enableCopying, getElement } from "./dom.client.js";
import { clearAlert, showFailure } from "./failure.client.js";
import { confirmAction } from "./step-up.client.js";
import { showLocalTimes } from "./times.client.js";

enableCopying();
showLocalTimes(document);

const entrance = document.querySelector("#passkey-entrance");

/** @param {HTMLFormElement} form */
async function enter(form) {
  const alertBox = getElement("alert", HTMLElement);
  clearAlert(alertBox);
  try {
    await confirmAction("administer");
    form.submit();
  } catch (error) {
    showFailure(alertBox, error);
  }
}

// A user with a fresh session need not use the passkey again: the form is submitted directly.
if (entrance instanceof HTMLFormElement && entrance.dataset["sign"] === "stale") {
  entrance.addEventListener("submit", (event) => {
    event.preventDefault();
    void enter(entrance);
  });
}
