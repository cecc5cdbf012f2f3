// @ts-check
import { endSessions } from "./api.client.js";
import { getElement, onSubmit, submitButton, whileBusy } from "./dom.client.js";
import { clearAlert, showFailure } from "./failure.client.js";
import { refreshParts } from "./refresh.client.js";
import { endSession } from "./removal.client.js";
import { fill, fillCount, wordsOf } from "./words.client.js";

const alertBox = getElement("sessions-alert", HTMLElement);
const status = getElement("sessions-status", HTMLElement);

/**
 * @param {string} words
 * @returns {Promise<void>}
 */
async function showDone(words) {
  const isShown = await refreshParts(["session-list", "activity-list"]).then(() => true, () => false);
  status.textContent = isShown ? words : `${words} ${wordsOf("account-sessions").loadAgain}`;
  if (document.activeElement === document.body) status.focus();
}

/**
 * Does what a button of the list says.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<string>} job resolves to what to say afterwards
 */
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

/**
 * Makes the section of sessions work.
 * @returns {Readonly<Record<string, (button: HTMLButtonElement) => void>>} what its buttons do
 */
export function enableSessions() {
  return {
    end: (button) =>
      attempt(button, async () => {
        await endSession(button.dataset["sessionId"] ?? "");
        return fill(wordsOf("account-sessions").ended, { device: button.dataset["device"] ?? "" });
      }),
    "end-others": (button) =>
      attempt(button, async () => {
        const { ended } = await endSessions("others");
        return fillCount(wordsOf("account-sessions").endedOthers, ended);
      }),
    everywhere: enableSigningOutEverywhere(),
  };
}
