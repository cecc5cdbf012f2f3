// @ts-check
import { ApiError } from "./api.client.js";
import { newElement } from "./dom.client.js";
import { keepUnsent } from "./unsent.client.js";
import { PasskeyError } from "./passkey.client.js";
import { fillCount, messagesOf } from "./messages.client.js";

/**
 * Appends a full stop unless the text ends a sentence.
 * @param {string} text
 * @returns {string}
 */
export function toSentence(text) {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/**
 * Returns the reason of a refusal: the catalogue's sentence for its code, if there is one.
 * @param {{ readonly code: string, readonly detail: string }} refusal
 * @returns {string}
 */
function refusalSentence({ code, detail }) {
  const { problems } = messagesOf("failure");
  return Object.hasOwn(problems, code) ? /** @type {any} */ (problems)[code] : toSentence(detail);
}

/** @param {ApiError} error @returns {string} */
function problemSentence({ problem: { code, detail, retryAfter } }) {
  const { tooOftenSeconds, tooOftenMinutes } = messagesOf("failure");
  if (code === "rate_limited" && retryAfter !== undefined) {
    return retryAfter < 90
      ? fillCount(tooOftenSeconds, retryAfter)
      : fillCount(tooOftenMinutes, Math.ceil(retryAfter / 60));
  }
  return refusalSentence({ code, detail });
}

/** @param {unknown} error @returns {string} */
export function failureSentence(error) {
  if (error instanceof ApiError) return problemSentence(error);
  if (error instanceof PasskeyError) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return messagesOf("failure").noAnswer;
  }
  if (error instanceof TypeError) {
    return messagesOf("failure").notReached;
  }
  return messagesOf("failure").ours;
}

/**
 * Translates a sentence of the service, if the catalogue has it.
 * @param {string} message
 * @returns {Node | string}
 */
function ownSentence(message) {
  const { faults, serverSays } = messagesOf("failure");
  if (Object.hasOwn(faults, message)) return toSentence(/** @type {any} */ (faults)[message]);
  return serverSays === "" ? toSentence(message) : inEnglish(message);
}

/**
 * Marks the service's own sentence as English on a page in another language.
 * @param {string} message
 * @returns {HTMLElement}
 */
function inEnglish(message) {
  const element = newElement("span", "", toSentence(message));
  element.lang = "en";
  return element;
}

/**
 * Returns the label of the field that a fault refers to, if the page has it.
 * @param {string} place
 * @returns {string | undefined}
 */
function labelOf(place) {
  const [field] = document.getElementsByName(place.replace(/^\//, ""));
  return field instanceof HTMLInputElement ? field.labels?.[0]?.textContent?.trim() : undefined;
}

/** @param {string} place @returns {readonly (Node | string)[]} */
function placeNodes(place) {
  const label = labelOf(place);
  return label === undefined ? [`${messagesOf("failure").at} `, newElement("code", "", place)] : [label];
}

/**
 * Lists the faults that the problem's sentence does not already contain.
 * @param {ApiError} error
 * @returns {readonly Node[]}
 */
function faultNodes({ problem: { errors, detail } }) {
  const faults = errors.map(({ path, parameter, message }) => ({ place: path ?? parameter ?? "", message }));
  // On other pages the service's own sentence is shown in the details only.
  const isEnglish = messagesOf("failure").serverSays === "";
  const isShown = (/** @type {string} */ message) => isEnglish && message === detail;
  const news = faults.filter(({ place, message }) =>
    !isShown(message) || (place !== "" && (faults.length > 1 || labelOf(place) === undefined))
  );
  if (news.length === 0) return [];
  const items = news.map(({ place, message }) =>
    newElement(
      "li",
      "",
      ...(place === "" ? [] : placeNodes(place)),
      ...(isShown(message) ? [] : [place === "" ? "" : ": ", ownSentence(message)]),
    )
  );
  return [newElement("ul", "faults", ...items)];
}

/** @param {ApiError} error @returns {readonly Node[]} */
function furtherNodes(error) {
  const { requestId, detail } = error.problem;
  const { request, details, serverSays } = messagesOf("failure");
  const lines = [
    ...(serverSays === "" || detail === ""
      ? []
      : [newElement("p", "fine", `${serverSays} `, inEnglish(detail))]),
    ...(requestId === undefined
      ? []
      : [newElement("p", "fine", `${request} `, newElement("code", "", requestId))]),
  ];
  if (lines.length === 0) return faultNodes(error);
  return [...faultNodes(error), newElement("details", "", newElement("summary", "", details), ...lines)];
}

/**
 * Returns true if the session of a signed-in user's page has ended.
 * @param {unknown} error
 * @returns {boolean}
 */
function isSignedOut(error) {
  return error instanceof ApiError && error.problem.code === "authentication_required" &&
    document.body.dataset["account"] !== undefined;
}

/**
 * Shows a failure in an alert region. If the session has ended, redirects to sign in instead, and keeps the content of
 * these forms.
 * @param {HTMLElement} region
 * @param {unknown} error
 * @param {readonly string[]} formIds
 */
export function showFailure(region, error, formIds = []) {
  if (isSignedOut(error)) {
    keepUnsent(formIds);
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
    return;
  }
  showAlert(region, failureSentence(error), ...(error instanceof ApiError ? furtherNodes(error) : []));
}

/**
 * Shows a sentence in an alert region, with further nodes below.
 * @param {HTMLElement} region
 * @param {string} sentence
 * @param {...Node} further
 */
export function showAlert(region, sentence, ...further) {
  region.replaceChildren(newElement("div", "notice danger", newElement("p", "", sentence), ...further));
  region.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} region */
export function clearAlert(region) {
  region.replaceChildren();
}
