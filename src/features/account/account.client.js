// @ts-check

import { endSessions } from "./account-api.client.js";
import {
  enableCopying,
  getElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { fill, fillCount, messagesOf } from "../../ui/browser/messages.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { endSession } from "../../ui/browser/removal.client.js";
import { restoreUnsent } from "../../ui/browser/unsent.client.js";
import { enablePasskeys } from "./passkeys.client.js";

/**
 * The handler of each `data-act` button. One delegated listener serves all, because lists are replaced after an act.
 * @type {Readonly<Record<string, (button: HTMLButtonElement) => void>>}
 */
const ACTS = {
  ...enablePasskeys(),
  ...enableSessions(),
  close: (button) => button.closest("dialog")?.close(),
};

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-act]") : null;
  if (button instanceof HTMLButtonElement) ACTS[button.dataset["act"] ?? ""]?.(button);
});

enableCopying();

unlock();

restoreUnsent(getElement("add-status", HTMLElement));

const alertBox = getElement("sessions-alert", HTMLElement);

const status = getElement("sessions-status", HTMLElement);

/** @param {string} message */
async function showDone(message) {
  const isShown = await refreshParts(["session-list", "activity-list"]).then(() => true, () => false);
  status.textContent = isShown ? message : `${message} ${messagesOf("account").loadAgain}`;
  if (document.activeElement === document.body) status.focus();
}

/** @param {HTMLButtonElement} button @param {() => Promise<string>} job resolves to the message to show afterwards */
function attempt(button, job) {
  void whileBusy(button, async () => {
    clearAlert(alertBox);
    status.textContent = "";
    await showDone(await job());
  }, (error) => showFailure(alertBox, error));
}

function enableSigningOutEverywhere() {
  const dialog = getElement("everywhere-dialog", HTMLDialogElement);
  const form = getElement("everywhere-form", HTMLFormElement);
  const dialogAlert = getElement("everywhere-alert", HTMLElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(dialogAlert);
      await endSessions("all");
      location.assign("/signed-out");
    }, (error) => showFailure(dialogAlert, error)));
  return () => {
    clearAlert(dialogAlert);
    dialog.showModal();
  };
}

/** @returns {Readonly<Record<string, (button: HTMLButtonElement) => void>>} the handlers of its buttons */
function enableSessions() {
  return {
    end: (button) =>
      attempt(button, async () => {
        await endSession(button.dataset["sessionId"] ?? "");
        return fill(messagesOf("account").ended, { device: button.dataset["device"] ?? "" });
      }),
    "end-others": (button) =>
      attempt(button, async () => {
        const { ended } = await endSessions("others");
        return fillCount(messagesOf("account").endedOthers, ended);
      }),
    everywhere: enableSigningOutEverywhere(),
  };
}
