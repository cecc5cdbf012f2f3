// @ts-check

import { post } from "../../ui/browser/api.client.js";
import { getElement, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import { fill, messagesOf } from "../../ui/browser/messages.client.js";
import { refreshParts } from "../../ui/browser/refresh.client.js";
import { stopNotifying } from "../../ui/browser/removal.client.js";

const WORKER = "/service-worker.js";

const alertBox = getElement("browsers-alert", HTMLElement);

const status = getElement("browsers-status", HTMLElement);

/** The reason why this browser cannot be notified, as a sentence. */
class UnableError extends Error {}

/** @param {string} message */
async function showDone(message) {
  const isShown = await refreshParts(["browsers"]).then(() => true, () => false);
  status.textContent = isShown ? message : `${message} ${messagesOf("notifications").loadAgain}`;
  if (document.activeElement === document.body) status.focus();
}

/** @param {HTMLButtonElement} button @param {() => Promise<string>} job resolves to the message to show afterwards */
function attempt(button, job) {
  void whileBusy(button, async () => {
    clearAlert(alertBox);
    status.textContent = "";
    await showDone(await job());
  }, (error) => {
    if (error instanceof UnableError) showAlert(alertBox, error.message);
    else showFailure(alertBox, error);
  });
}

/** @type {string | undefined} */
let trusted;

/** Returns the worker's path. Where the browser enforces Trusted Types, the only one that it accepts. */
function workerPath() {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  const options = { createScriptURL: () => WORKER };
  return trusted ??= trustedTypes?.createPolicy("service-worker", options).createScriptURL("") ?? WORKER;
}

function isSupported() {
  const { PushManager, Notification } = globalThis;
  return [navigator.serviceWorker, PushManager, Notification].every((part) => part !== undefined);
}

/**
 * Subscribes this browser at its push service, in place of any earlier subscription: its key may be another one.
 * @param {string} key
 */
async function subscribe(key) {
  const registration = await navigator.serviceWorker.register(workerPath(), { scope: "/" });
  await navigator.serviceWorker.ready;
  const { pushManager } = registration;
  await (await pushManager.getSubscription())?.unsubscribe();
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch {
    throw new UnableError(messagesOf("notifications").noPushService);
  }
}

/** @param {string} key @returns {Promise<string>} */
async function start(key) {
  const messages = messagesOf("notifications");
  if (!isSupported()) throw new UnableError(messages.notSupported);
  if (await Notification.requestPermission() !== "granted") throw new UnableError(messages.notAllowed);
  const { endpoint, keys } = (await subscribe(key)).toJSON();
  await post("/api/auth/push-subscriptions", { endpoint, keys });
  return messages.started;
}

/** @param {HTMLButtonElement} button @returns {Promise<string>} */
async function stop({ dataset: { stop: id = "", device = "", current } }) {
  await stopNotifying(id);
  if (current !== undefined && isSupported()) {
    const registration = await navigator.serviceWorker.getRegistration("/");
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  }
  return fill(messagesOf("notifications").stopped, { device });
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const { key, stop: id } = button.dataset;
  if (key !== undefined) attempt(button, () => start(key));
  if (id !== undefined) attempt(button, () => stop(button));
});

unlock();
