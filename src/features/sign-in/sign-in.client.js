// @ts-check
import { ApiError } from "../../ui/browser/api.client.js";
import { authenticate, getRequestOptions } from "./sign-in-api.client.js";
import { getElement, nextPath, onSubmit, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showAlert, showFailure } from "../../ui/browser/failure.client.js";
import {
  canSuggest,
  isSupported,
  noSupport,
  PasskeyError,
  usePasskey,
} from "../../ui/browser/passkey.client.js";
import { signalUnknown } from "../../ui/browser/signals.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";

const alertBox = getElement("alert", HTMLElement);
const form = getElement("sign-in-form", HTMLFormElement);
const button = getElement("sign-in-button", HTMLButtonElement);
const autofill = getElement("autofill", HTMLElement);
const email = getElement("email", HTMLInputElement);
const shared = getElement("shared", HTMLInputElement);

/** Milliseconds for which a challenge is valid if its options do not say. */
const LIFETIME = 300_000;

/** Aborts the current ceremony. A browser runs one at a time, so the next one aborts it first. */
let controller = new AbortController();
/** The time at which the challenge of the suggestions is renewed. */
let staleAt = Infinity;
let isSuggesting = false;

/** @returns {AbortSignal} */
function nextSignal() {
  controller.abort();
  controller = new AbortController();
  staleAt = Infinity;
  isSuggesting = false;
  return controller.signal;
}

/**
 * @typedef {{ readonly response: unknown, readonly rpId: string }} Answer the response of a passkey, and its
 * relying party
 */

/** @param {"optional" | "conditional"} mediation @param {AbortSignal} signal @returns {Promise<Answer>} */
async function askForPasskey(mediation, signal) {
  const options = await getRequestOptions();
  // If it was aborted while the options were fetched, a ceremony now would abort the one that replaced it.
  signal.throwIfAborted();
  if (mediation === "conditional") staleAt = Date.now() + 0.9 * (options.timeout ?? LIFETIME);
  const response = await usePasskey(options, signal, mediation);
  return { response, rpId: options.rpId ?? location.hostname };
}

/**
 * Signs in. If the owner deleted the passkey, tells the browser, so that it does not offer it again.
 * @param {Answer} answer
 */
async function signIn({ response, rpId }) {
  try {
    await authenticate(response, !shared.checked);
  } catch (error) {
    if (!isRemoved(error)) throw error;
    void signalUnknown(rpId, /** @type {{ id: string }} */ (response).id);
    throw new PasskeyError(messagesOf("sign-in").removed, error);
  }
  location.assign(nextPath(location.search));
}

/**
 * Returns true if the service says that the passkey is valid but was removed from its account.
 * @param {unknown} error
 * @returns {boolean}
 */
function isRemoved(error) {
  return error instanceof ApiError && error.problem.code === "invalid_passkey" &&
    error.problem.errors.some(({ path }) => path === "/response/id");
}

/** @param {unknown} error */
function fail(error) {
  showFailure(alertBox, error);
  void suggest();
}

/**
 * Lets the browser suggest passkeys in the field. It is no failure if the user takes none. If the browser stops by
 * itself, `resumeSuggestions` starts it again once the user turns to the field.
 */
async function suggest() {
  isSuggesting = true;
  const isPossible = await canSuggest();
  // The button may have been pressed meanwhile. Its ceremony continues.
  if (!isPossible || button.ariaBusy === "true") {
    isSuggesting = false;
    return;
  }
  autofill.hidden = false;
  const signal = nextSignal();
  isSuggesting = true;
  const answer = await askForPasskey("conditional", signal).catch(() => undefined);
  if (answer === undefined) {
    if (!signal.aborted) isSuggesting = false;
    return;
  }
  await whileBusy(button, () => signIn(answer), fail);
}

function resumeSuggestions() {
  if (!isSuggesting && button.ariaBusy !== "true") void suggest();
}

/** Gets a new challenge for a page that has been open for long, once the user looks at it. */
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
  for (const event of ["focus", "pointerdown"]) email.addEventListener(event, resumeSuggestions);
  document.addEventListener("visibilitychange", renewSuggestions);
  setInterval(renewSuggestions, 15_000);
} else {
  showAlert(alertBox, noSupport());
}
