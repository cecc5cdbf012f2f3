// @ts-check
import { authenticate, getRequestOptions } from "./api.client.js";
import { getElement, nextPath, onSubmit, unlock, whileBusy } from "./dom.client.js";
import { clearAlert, showAlert, showFailure } from "./failure.client.js";
import { canSuggest, isSupported, usePasskey } from "./passkey.client.js";

const alertBox = getElement("alert", HTMLElement);
const form = getElement("sign-in-form", HTMLFormElement);
const button = getElement("sign-in-button", HTMLButtonElement);
const autofill = getElement("autofill", HTMLElement);

/** How long a challenge is good where its options do not say. */
const LIFETIME = 300_000;

/** Of the ceremony under way: a browser runs one at a time, so the next one ends it first. */
let controller = new AbortController();
/** When the challenge of the suggestions stops being good. */
let staleAt = Infinity;

/** @returns {AbortSignal} */
function nextSignal() {
  controller.abort();
  controller = new AbortController();
  staleAt = Infinity;
  return controller.signal;
}

/**
 * @param {"optional" | "conditional"} mediation
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>}
 */
async function askForPasskey(mediation, signal) {
  const options = await getRequestOptions();
  // Aborted while the options came: asking now would take the place of the ceremony that ended this one.
  signal.throwIfAborted();
  if (mediation === "conditional") staleAt = Date.now() + 0.9 * (options.timeout ?? LIFETIME);
  return await usePasskey(options, signal, mediation);
}

/** @param {unknown} response */
async function signIn(response) {
  await authenticate(response);
  location.assign(nextPath(location.search));
}

/** @param {unknown} error */
function fail(error) {
  showFailure(alertBox, error);
  void suggest();
}

/** Has the browser suggest passkeys in the field. That nobody takes one is no failure. */
async function suggest() {
  if (!await canSuggest()) return;
  autofill.hidden = false;
  const response = await askForPasskey("conditional", nextSignal()).catch(() => undefined);
  if (response === undefined) return;
  await whileBusy(button, () => signIn(response), fail);
}

/** Gets a new challenge for the suggestions of a page that has been open for long, once somebody looks at it. */
function renewSuggestions() {
  const isBusy = button.ariaBusy === "true";
  if (document.visibilityState === "visible" && !isBusy && Date.now() >= staleAt) void suggest();
}

onSubmit(form, () =>
  whileBusy(button, async () => {
    clearAlert(alertBox);
    await signIn(await askForPasskey("optional", nextSignal()));
  }, fail));

if (isSupported()) {
  unlock();
  void suggest();
  document.addEventListener("visibilitychange", renewSuggestions);
  setInterval(renewSuggestions, 15_000);
} else {
  showAlert(
    alertBox,
    "This browser cannot use passkeys. Bring it up to date, or use another browser or device.",
  );
}
