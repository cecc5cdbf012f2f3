// @ts-check
import { ApiError } from "./api.client.js";
import { newElement } from "./dom.client.js";
import { keepUnsent } from "./unsent.client.js";
import { PasskeyError } from "./passkey.client.js";
import { fillCount, wordsOf } from "./messages.client.js";

/**
 * A text as a sentence: with a full stop, unless it ends one itself.
 * @param {string} text
 * @returns {string}
 */
export function toSentence(text) {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/**
 * Why something was refused, in the words for its code where there are any.
 * @param {{ readonly code: string, readonly detail: string }} refusal
 * @returns {string}
 */
function refusalSentence({ code, detail }) {
  const { problems } = wordsOf("failure");
  return Object.hasOwn(problems, code) ? /** @type {any} */ (problems)[code] : toSentence(detail);
}

/**
 * @param {ApiError} error
 * @returns {string}
 */
function problemSentence({ problem: { code, detail, retryAfter } }) {
  const { tooOftenSeconds, tooOftenMinutes } = wordsOf("failure");
  if (code === "rate_limited" && retryAfter !== undefined) {
    return retryAfter < 90
      ? fillCount(tooOftenSeconds, retryAfter)
      : fillCount(tooOftenMinutes, Math.ceil(retryAfter / 60));
  }
  return refusalSentence({ code, detail });
}

/**
 * What went wrong, as one sentence or two for whoever is at the browser.
 * @param {unknown} error
 * @returns {string}
 */
export function failureSentence(error) {
  if (error instanceof ApiError) return problemSentence(error);
  if (error instanceof PasskeyError) return error.message;
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return wordsOf("failure").noAnswer;
  }
  if (error instanceof TypeError) {
    return wordsOf("failure").notReached;
  }
  return wordsOf("failure").ours;
}

/**
 * A sentence of the service's, in the page's language where the catalogue has it.
 * @param {string} message
 * @returns {Node | string}
 */
function ownSentence(message) {
  const { faults, said } = wordsOf("failure");
  if (Object.hasOwn(faults, message)) return toSentence(/** @type {any} */ (faults)[message]);
  return said === "" ? toSentence(message) : inEnglish(message);
}

/**
 * The service's own words, on a page in another language.
 * @param {string} message
 * @returns {HTMLElement}
 */
function inEnglish(message) {
  const element = newElement("span", "", toSentence(message));
  element.lang = "en";
  return element;
}

/**
 * The label of the field on the page in which a fault is, where it is in one.
 * @param {string} place
 * @returns {string | undefined}
 */
function labelOf(place) {
  const [field] = document.getElementsByName(place.replace(/^\//, ""));
  return field instanceof HTMLInputElement ? field.labels?.[0]?.textContent?.trim() : undefined;
}

/**
 * @param {string} place
 * @returns {readonly (Node | string)[]}
 */
function placeNodes(place) {
  const label = labelOf(place);
  return label === undefined ? [`${wordsOf("failure").at} `, newElement("code", "", place)] : [label];
}

/**
 * The faults a problem names, where its sentence does not say it all.
 * @param {ApiError} error
 * @returns {readonly Node[]}
 */
function faultNodes({ problem: { errors, detail } }) {
  const faults = errors.map(({ path, parameter, message }) => ({ place: path ?? parameter ?? "", message }));
  // Elsewhere the service's own sentence stands only among the details.
  const isEnglish = wordsOf("failure").said === "";
  const isSaid = (/** @type {string} */ message) => isEnglish && message === detail;
  const news = faults.filter(({ place, message }) =>
    !isSaid(message) || (place !== "" && (faults.length > 1 || labelOf(place) === undefined))
  );
  if (news.length === 0) return [];
  const items = news.map(({ place, message }) =>
    newElement(
      "li",
      "",
      ...(place === "" ? [] : placeNodes(place)),
      ...(isSaid(message) ? [] : [place === "" ? "" : ": ", ownSentence(message)]),
    )
  );
  return [newElement("ul", "faults", ...items)];
}

/**
 * @param {ApiError} error
 * @returns {readonly Node[]}
 */
function furtherNodes(error) {
  const { requestId, detail } = error.problem;
  const { request, details, said } = wordsOf("failure");
  const lines = [
    ...(said === "" || detail === "" ? [] : [newElement("p", "fine", `${said} `, inEnglish(detail))]),
    ...(requestId === undefined
      ? []
      : [newElement("p", "fine", `${request} `, newElement("code", "", requestId))]),
  ];
  if (lines.length === 0) return faultNodes(error);
  return [...faultNodes(error), newElement("details", "", newElement("summary", "", details), ...lines)];
}

/**
 * Whether a failure means that nobody is signed in any more, on a page that is somebody's own.
 * @param {unknown} error
 * @returns {boolean}
 */
function isSignedOut(error) {
  return error instanceof ApiError && error.problem.code === "authentication_required" &&
    document.body.dataset["visitor"] === "account";
}

/**
 * Shows a failure in an alert region. When the session is over, goes to sign in instead; what is written in these forms
 * is still there afterwards.
 * @param {HTMLElement} region
 * @param {unknown} error
 * @param {readonly string[]} formIds
 */
export function showFailure(region, error, formIds = []) {
  if (isSignedOut(error)) {
    keepUnsent(formIds);
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
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
