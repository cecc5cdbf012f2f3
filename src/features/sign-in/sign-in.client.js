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
import { wordsOf } from "../../ui/browser/messages.client.js";

const alertBox = getElement("alert", HTMLElement);
const form = getElement("sign-in-form", HTMLFormElement);
const button = getElement("sign-in-button", HTMLButtonElement);
const autofill = getElement("autofill", HTMLElement);
const email = getElement("email", HTMLInputElement);

/** How long a challenge is good where its options do not say. */
const LIFETIME = 300_000;

/** Of the ceremony under way: a browser runs one at a time, so the next one ends it first. */
let controller = new AbortController();
/** When the challenge of the suggestions stops being good. */
let staleAt = Infinity;
/** Whether the browser suggests passkeys now. */
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
 * @typedef {{ readonly response: unknown, readonly rpId: string }} Answer of a passkey, and whose it was asked for
 */

/**
 * @param {"optional" | "conditional"} mediation
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
async function askForPasskey(mediation, signal) {
  const options = await getRequestOptions();
  // Aborted while the options came: asking now would take the place of the ceremony that ended this one.
  signal.throwIfAborted();
  if (mediation === "conditional") staleAt = Date.now() + 0.9 * (options.timeout ?? LIFETIME);
  const response = await usePasskey(options, signal, mediation);
  return { response, rpId: options.rpId ?? location.hostname };
}

/**
 * Signs in. Of a passkey that its owner removed, the browser is told: it need not be offered again.
 * @param {Answer} answer
 */
async function signIn({ response, rpId }) {
  try {
    await authenticate(response);
  } catch (error) {
    if (!isRemoved(error)) throw error;
    void signalUnknown(rpId, /** @type {{ id: string }} */ (response).id);
    throw new PasskeyError(wordsOf("sign-in").removed, error);
  }
  location.assign(nextPath(location.search));
}

/**
 * Whether the service says that the passkey is a good one which was removed from its account.
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
 * Has the browser suggest passkeys in the field. That nobody takes one is no failure; when the browser stops by itself,
 * it starts again once somebody turns to the field.
 */
async function suggest() {
  isSuggesting = true;
  const isPossible = await canSuggest();
  // The button may have been pressed meanwhile: its ceremony goes on.
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

/** Suggests again where the browser stopped. */
function resumeSuggestions() {
  if (!isSuggesting && button.ariaBusy !== "true") void suggest();
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
  for (const event of ["focus", "pointerdown"]) email.addEventListener(event, resumeSuggestions);
  document.addEventListener("visibilitychange", renewSuggestions);
  setInterval(renewSuggestions, 15_000);
} else {
  showAlert(alertBox, noSupport());
}
