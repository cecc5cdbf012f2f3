// @ts-check
import { authenticate, getRequestOptions } from "./api.client.js";
import { getElement, nextPath, onSubmit, unlock, whileBusy } from "./dom.client.js";
import { clearAlert, showAlert, showFailure } from "./failure.client.js";
import { canSuggest, isSupported, usePasskey } from "./passkey.client.js";

const alertBox = getElement("alert", HTMLElement);
const form = getElement("sign-in-form", HTMLFormElement);
const button = getElement("sign-in-button", HTMLButtonElement);
const autofill = getElement("autofill", HTMLElement);

/** Of the ceremony under way: a browser runs one at a time, so the next one ends it first. */
let controller = new AbortController();
/** When the suggestions' challenge stops being good. */
let staleAt = Infinity;

/** @returns {AbortSignal} */
function nextSignal() {
  controller.abort();
  controller = new AbortController();
  return controller.signal;
}

/**
 * @param {"optional" | "conditional"} mediation
 * @param {AbortSignal} signal
 */
async function signIn(mediation, signal) {
  const options = await getRequestOptions();
  // Aborted while the options came: asking now would take the place of the ceremony that ended this one.
  signal.throwIfAborted();
  if (mediation === "conditional") staleAt = Date.now() + (options.timeout ?? 300_000) * 0.9;
  await authenticate(await usePasskey(options, signal, mediation));
  location.assign(nextPath(location.search));
}

/** Has the browser suggest passkeys in the field. A suggestion that is not taken is no failure. */
async function suggest() {
  if (!await canSuggest()) return;
  autofill.hidden = false;
  const signal = nextSignal();
  staleAt = Infinity;
  try {
    await signIn("conditional", signal);
  } catch (error) {
    if (signal.aborted) return;
    showFailure(alertBox, error);
    staleAt = 0;
  }
}

/** Gets a new challenge for the suggestions of a page that has been open for long, once somebody looks at it. */
function renewSuggestions() {
  const isBusy = button.ariaBusy === "true";
  if (document.visibilityState === "visible" && !isBusy && Date.now() >= staleAt) void suggest();
}

onSubmit(form, () =>
  whileBusy(button, async () => {
    clearAlert(alertBox);
    await signIn("optional", nextSignal());
  }, (error) => {
    showFailure(alertBox, error);
    void suggest();
  }));

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
